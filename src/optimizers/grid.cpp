#include "canopy/grid.hpp"

#include "canopy/confidence.hpp"
#include "canopy/cover_tree.hpp"
#include "canopy/errors.hpp"

#include "optimizers/checked.hpp"
#include "optimizers/list.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace canopy {
namespace {

/// How many arms there are along each parameter.
std::vector<std::uint64_t> points_by_axis(const Space& space, std::uint64_t points) {
  std::vector<std::uint64_t> counts;
  std::uint64_t arms = 1;
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    counts.push_back(std::min(points, space.value_count(i).value_or(points)));
    arms *= counts.back();
    if (arms > Grid::kMostArms) {
      throw ConfigurationError({{"optimizer.points", std::to_string(points),
                                 "makes more than 100000 arms from " +
                                     std::to_string(space.dimension()) + " parameters"}});
    }
  }
  return counts;
}

}  // namespace

Grid::Grid(const Space& space, const GridOptions& options, const Objective& objective)
    : TurnOptimizer(checked(options, objective)),
      space_(space),
      arm_size_(space.dimension()),
      confidence_scale_(options.confidence_scale) {
  const std::vector<std::uint64_t> counts = points_by_axis(space, options.points);
  std::vector<std::uint64_t> index(arm_size_, 0);
  std::vector<double> unit(arm_size_);
  for (std::size_t axis = 0; axis < arm_size_;) {  // counts through all indices, first axis fastest
    for (std::size_t i = 0; i < arm_size_; ++i) {
      unit[i] = (static_cast<double>(index[i]) + 0.5) / static_cast<double>(counts[i]);
    }
    arms_.resize(arms_.size() + arm_size_);
    space.from_unit_cube(unit, std::span(arms_).last(arm_size_));
    statistics_.emplace_back();
    for (axis = 0; axis < arm_size_ && ++index[axis] == counts[axis]; ++axis) index[axis] = 0;
  }
}

Arm Grid::arm(std::size_t index) const {
  return std::span(arms_).subspan(index * arm_size_, arm_size_);
}

double Grid::width(double pulls) const {
  return confidence_width(confidence_scale_,
                          2.0 * std::log(static_cast<double>(std::max<std::uint64_t>(1, t_ - 1))),
                          pulls);
}

TurnOptimizer::Choice Grid::choose() {
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
  State::require(statistics_.size() == arms);
  require_nodes_below(arms);
}

std::optional<Best> Grid::best() const {
  const Statistics* best = nullptr;
  const auto lower = [this](const Statistics& arm) {
    return arm.sum / arm.pulls - width(arm.pulls);
  };
  for (const Statistics& candidate : statistics_) {
    if (candidate.pulls == 0.0) continue;
    if (best == nullptr || lower(candidate) > lower(*best)) best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  const auto index = static_cast<std::size_t>(best - statistics_.data());
  return to_best(arm(index), best->sum / best->pulls, width(best->pulls), best->pulls);
}

std::unique_ptr<Optimizer> Grid::clone() const {
  return std::make_unique<Grid>(*this);
}

OptimizerEntry grid_entry() {
  return optimizer_entry<Grid, GridOptions>("grid", "a fixed grid of arms under UCB1");
}

}  // namespace canopy
