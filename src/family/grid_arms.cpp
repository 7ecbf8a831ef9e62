#include "canopy/family/detail/grid_arms.hpp"

#include "canopy/errors.hpp"

#include <algorithm>
#include <string>

namespace canopy {

GridArms::GridArms(const Space& space, std::uint64_t points) : dimension_(space.dimension()) {
  std::vector<std::vector<double>> along;  // coordinates along each parameter
  for (const Parameter& parameter : space.parameters()) {
    along.push_back(parameter.domain.grid(points));
    size_ *= along.back().size();
    if (size_ > kMost) {
      throw ConfigurationError(
          {{"optimizer.points", std::to_string(points),
            "gives more than 100000 arms with " + std::to_string(dimension_) + " parameters"}});
    }
  }
  for (std::size_t arm = 0; arm < size_; ++arm) {
    std::size_t rest = arm;
    for (const std::vector<double>& coordinates : along) {
      coordinates_.push_back(coordinates[rest % coordinates.size()]);
      rest /= coordinates.size();
    }
  }
}

std::optional<std::size_t> GridArms::find(Arm arm) const {
  for (std::size_t i = 0; i < size_; ++i) {
    const Arm here = (*this)[i];
    if (std::equal(here.begin(), here.end(), arm.begin(), arm.end())) return i;
  }
  return std::nullopt;
}

}  // namespace canopy
