#include "canopy/grid.hpp"

#include "canopy/confidence.hpp"
#include "canopy/cover_tree.hpp"
#include "canopy/errors.hpp"

#include "optimizers/checked.hpp"
#include "optimizers/list.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

namespace canopy {
namespace {

/// The integers of a parameter on a log scale; null for any other parameter.
const Integer* log_integers(const Space& space, std::size_t axis) {
  const auto* integer = std::get_if<Integer>(&space.parameters()[axis].domain);
  return integer != nullptr && integer->scale == Scale::log ? integer : nullptr;
}

/// The coordinates of the arms along one parameter.
std::vector<double> coordinates_along(const Space& space, std::size_t axis, std::uint64_t points) {
  const std::uint64_t count = std::min(points, space.value_count(axis).value_or(points));
  const Integer* integers = log_integers(space, axis);
  std::vector<double> coordinates;
  if (integers != nullptr && count == space.value_count(axis)) {  // each of them, the rare ones too
    for (std::int64_t n = integers->low; n <= integers->high; ++n) {
      coordinates.push_back(static_cast<double>(n));
    }
    return coordinates;
  }
  std::vector<double> unit(space.dimension(), 0.5);
  std::vector<double> arm(space.dimension());
  for (std::uint64_t i = 0; i < count; ++i) {
    unit[axis] = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    space.from_unit_cube(unit, arm);
    const bool again =
        integers != nullptr && !coordinates.empty() && coordinates.back() == arm[axis];
    if (!again) coordinates.push_back(arm[axis]);
  }
  return coordinates;
}

/// The coordinates of the arms along each parameter.
std::vector<std::vector<double>> coordinates_by_axis(const Space& space, std::uint64_t points) {
  std::vector<std::vector<double>> all;
  std::uint64_t arms = 1;
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    all.push_back(coordinates_along(space, i, points));
    arms *= all.back().size();
    if (arms > Grid::kMostArms) {
      throw ConfigurationError({{"optimizer.points", std::to_string(points),
                                 "makes more than 100000 arms from " +
                                     std::to_string(space.dimension()) + " parameters"}});
    }
  }
  return all;
}

}  // namespace

Grid::Grid(const Space& space, const GridOptions& options, const Objective& objective)
    : TurnOptimizer(checked(options, objective), space.dimension()),
      space_(space),
      arm_size_(space.dimension()),
      confidence_scale_(options.confidence_scale) {
  const auto coordinates = coordinates_by_axis(space, options.points);
  std::vector<std::size_t> index(arm_size_, 0);
  for (std::size_t axis = 0; axis < arm_size_;) {  // counts through all indices, first axis fastest
    for (std::size_t i = 0; i < arm_size_; ++i) arms_.push_back(coordinates[i][index[i]]);
    statistics_.emplace_back();
    for (axis = 0; axis < arm_size_ && ++index[axis] == coordinates[axis].size(); ++axis) {
      index[axis] = 0;
    }
  }
}

Arm Grid::arm(std::size_t index) const {
  return std::span(arms_).subspan(index * arm_size_, arm_size_);
}

double Grid::width(double pulls) const {
  return confidence_width(scale() * confidence_scale_,
                          2.0 * std::log(static_cast<double>(std::max<std::uint64_t>(1, t_ - 1))),
                          pulls);
}

TurnOptimizer::Choice Grid::choose() {
  update_scale_if_due();
  std::size_t chosen = 0;
  double largest = -kInfinity;
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    const auto [pulls, sum] = statistics_[i];
    const double index = pulls == 0.0 ? kInfinity : sum / pulls + width(pulls);
    if (index > largest) {
      largest = index;
      chosen = i;
    }
  }
  return {.node = static_cast<NodeIndex>(chosen)};
}

void Grid::learn(NodeIndex node, const Rewards& mapped) {
  statistics_[node].pulls += static_cast<double>(mapped.count);
  statistics_[node].sum += mapped.sum;
}

void Grid::accept_observed(Arm arm, const Rewards& mapped) {
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    const Arm here = this->arm(i);
    if (!std::equal(here.begin(), here.end(), arm.begin(), arm.end())) continue;
    learn(static_cast<NodeIndex>(i), mapped);
    return;
  }
}

void Grid::transfer(State& state) {
  state.mark("grid");
  TurnOptimizer::transfer(state);
  const std::size_t arms = statistics_.size();
  state(statistics_);
  if (!state.restoring()) return;
  State::require(statistics_.size() == arms);
  require_nodes_below(arms);
}

std::unique_ptr<Optimizer> Grid::clone() const {
  return std::make_unique<Grid>(*this);
}

OptimizerEntry grid_entry() {
  return optimizer_entry<Grid, GridOptions>("grid", "a fixed grid of arms under UCB1", 2);
}

}  // namespace canopy
