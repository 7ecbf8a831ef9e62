#include "canopy/family/grid.hpp"

#include "canopy/confidence.hpp"

#include "family/grid_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

Grid::Grid(const Space& space, const GridOptions& options, const Objective& objective)
    : GridBandit(space, points_of(options, space.dimension()), checked(options, objective)),
      confidence_scale_(options.confidence_scale) {}

TurnOptimizer::Choice Grid::choose() {
  update_scale_if_due();
  if (const auto fresh = first_without_pulls()) return {.node = *fresh};
  const double factor = scale() * confidence_scale_;
  const double twice_log = 2.0 * std::log(static_cast<double>(std::max<std::uint64_t>(1, t_ - 1)));
  std::size_t chosen = 0;
  double largest = -kInfinity;
  for (std::size_t i = 0; i < size(); ++i) {
    const Statistics& arm = statistics()[i];
    const double index = arm.mean() + confidence_width(factor, twice_log, arm.pulls);
    if (index > largest) {
      largest = index;
      chosen = i;
    }
  }
  return {.node = static_cast<NodeIndex>(chosen)};
}

void Grid::transfer(State& state) {
  state.mark("grid");
  GridBandit::transfer(state);
}

std::unique_ptr<Optimizer> Grid::clone() const {
  return std::make_unique<Grid>(*this);
}

OptimizerEntry grid_entry() {
  OptimizerEntry entry =
      optimizer_entry<Grid, GridOptions>("grid", "a fixed grid of arms under UCB1", 2);
  entry.resolve = resolve_points<GridOptions>;
  return entry;
}

}  // namespace canopy
