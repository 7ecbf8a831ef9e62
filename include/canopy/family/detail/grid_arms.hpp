#pragma once

#include "canopy/space.hpp"
#include "canopy/state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

/// The arms of a grid: `points` along each parameter, in the middle of as many equal parts. An
/// integer or a choice has at most as many as it has values, and an integer on a log scale fewer if
/// several parts have the same middle. Arms are numbered with the first parameter varying fastest.
class GridArms {
 public:
  static constexpr std::size_t kMost = 100'000;

  /// Throws ConfigurationError for more than kMost arms in total.
  GridArms(const Space& space, std::uint64_t points);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Arm operator[](std::size_t arm) const {
    return Arm(coordinates_).subspan(arm * dimension_, dimension_);
  }

  /// The number of an arm; none if it is not on the grid.
  [[nodiscard]] std::optional<std::size_t> find(Arm arm) const;

 private:
  std::size_t dimension_;
  std::size_t size_ = 1;
  std::vector<double> coordinates_;  // one row per arm
};

/// The rewards of an arm of a grid.
struct ArmSums {
  double pulls = 0.0;
  double sum = 0.0;

  [[nodiscard]] double mean() const { return sum / pulls; }

  void transfer(State& state) {
    state(pulls, sum);
    state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
  }
};

}  // namespace canopy
