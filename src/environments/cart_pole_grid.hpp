#pragma once

#include <cstddef>

namespace canopy {

/// The grid of gains on which cart-pole's mean reward was measured.
struct CartPoleGrid {
  static constexpr std::size_t angle_points = 17;
  static constexpr std::size_t spin_points = 31;
  static constexpr double angle_step = 5.0;
  static constexpr double spin_step = 1.0;
};

}  // namespace canopy
