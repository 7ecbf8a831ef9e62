#pragma once

#include "canopy/options.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace canopy {

/// The default limit of arms along each parameter.
template <class Options>
inline constexpr double kMostPoints = 32.0;

/// The arms along each parameter of a bandit on a grid: as set, else kMostPoints, or fewer so that
/// there are about a thousand in total.
template <class Options>
[[nodiscard]] std::uint64_t points_of(const Options& options, std::size_t dimension) {
  if (options.points) return *options.points;
  const double fitting = std::pow(1024.0, 1.0 / static_cast<double>(dimension)) + 1e-9;
  return static_cast<std::uint64_t>(std::clamp(std::floor(fitting), 2.0, kMostPoints<Options>));
}

template <class Options>
[[nodiscard]] OptionValues resolve_points(const OptionValues& values, std::size_t dimension) {
  auto options = options_from<Options>(values, "optimizer.");
  options.points = points_of(options, dimension);
  return values_of(options);
}

}  // namespace canopy
