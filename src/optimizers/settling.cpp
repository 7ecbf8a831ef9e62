#include "canopy/detail/settling.hpp"

#include <cmath>

namespace canopy {

Settling::Settling(std::uint64_t pulls)
    : kept_(pulls == 0 ? 0.0 : std::exp(-3.0 / static_cast<double>(pulls))) {}

bool Settling::play(const Partition& partition, std::span<const double> cell, std::uint64_t pulls) {
  if (kept_ == 0.0) return true;
  const bool is_first = place_.empty();
  place_.resize(partition.dimension());
  const double left = std::pow(kept_, static_cast<double>(pulls));
  bool is_near = true;
  for (std::size_t axis = 0; axis < place_.size(); ++axis) {
    const Partition::Reach reach = *partition.reach(cell, axis);
    const double away = is_first ? 0.0 : place_[axis] - reach.arm;
    is_near = is_near && std::abs(away * kept_) <= 0.5 * reach.half_side;
    place_[axis] = reach.arm + away * left;
  }
  return is_near;
}

}  // namespace canopy
