#include "canopy/cart_pole.hpp"

#include "environments/cart_pole_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace canopy {
namespace {

using Grid = CartPoleGrid;

/// Mean rewards, row by row: the angle gain increases from row to row, the spin gain within one.
constexpr std::array<double, Grid::angle_points * Grid::spin_points> kMeans{
#include "environments/cart_pole_table.inc"
};

double mean_at(std::size_t angle, std::size_t spin) {
  return kMeans.at(angle * Grid::spin_points + spin);
}

/// The grid line at or before a coordinate, except the last one, and the distance from it.
struct Place {
  std::size_t line;
  double beyond;
};

Place place(double gain, double step, std::size_t points) {
  const double lines = std::clamp(gain / step, 0.0, static_cast<double>(points - 1));
  const double line = std::min(std::floor(lines), static_cast<double>(points - 2));
  return {static_cast<std::size_t>(line), lines - line};
}

}  // namespace

CartPole::CartPole(const CartPoleOptions& /*options*/)
    : PolicyEnvironment(
          Space{{"angle_gain", Real{0.0, Grid::angle_step * (Grid::angle_points - 1)}},
                {"spin_gain", Real{0.0, Grid::spin_step * (Grid::spin_points - 1)}}}) {}

double CartPole::mean_reward(Arm arm) const {
  const auto [angle, angle_beyond] = place(arm[0], Grid::angle_step, Grid::angle_points);
  const auto [spin, spin_beyond] = place(arm[1], Grid::spin_step, Grid::spin_points);
  return std::lerp(std::lerp(mean_at(angle, spin), mean_at(angle, spin + 1), spin_beyond),
                   std::lerp(mean_at(angle + 1, spin), mean_at(angle + 1, spin + 1), spin_beyond),
                   angle_beyond);
}

Optimum CartPole::optimum() const {
  const auto* best = std::max_element(kMeans.begin(), kMeans.end());
  const auto point = static_cast<std::size_t>(best - kMeans.begin());
  const std::size_t angle = point / Grid::spin_points;
  const std::size_t spin = point % Grid::spin_points;
  return {
      {Grid::angle_step * static_cast<double>(angle), Grid::spin_step * static_cast<double>(spin)},
      *best};
}

}  // namespace canopy
