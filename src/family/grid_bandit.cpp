#include "canopy/family/detail/grid_bandit.hpp"

#include "canopy/errors.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace canopy {
namespace {

/// The coordinates of the arms along each parameter.
std::vector<std::vector<double>> coordinates_by_axis(const Space& space, std::uint64_t points) {
  std::vector<std::vector<double>> all;
  std::uint64_t arms = 1;
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    all.push_back(space.parameters()[i].domain.grid(points));
    arms *= all.back().size();
    if (arms > GridBandit::kMostArms) {
      throw ConfigurationError({{"optimizer.points", std::to_string(points),
                                 "makes more than 100000 arms from " +
                                     std::to_string(space.dimension()) + " parameters"}});
    }
  }
  return all;
}

}  // namespace

GridBandit::GridBandit(const Space& space, std::uint64_t points, const Objective& objective)
    : TurnOptimizer(objective, space.dimension()), space_(space) {
  const auto coordinates = coordinates_by_axis(space, points);
  const std::size_t axes = coordinates.size();
  std::vector<std::size_t> index(axes, 0);
  for (std::size_t axis = 0; axis < axes;) {  // counts through all indices, first axis fastest
    for (std::size_t i = 0; i < axes; ++i) arms_.push_back(coordinates[i][index[i]]);
    statistics_.emplace_back();
    for (axis = 0; axis < axes && ++index[axis] == coordinates[axis].size(); ++axis) {
      index[axis] = 0;
    }
  }
}

Arm GridBandit::arm_of(NodeIndex node) const {
  return std::span(arms_).subspan(node * space_.dimension(), space_.dimension());
}

std::optional<NodeIndex> GridBandit::first_without_pulls() {
  while (with_pulls_ < size() && statistics_[with_pulls_].pulls > 0.0) ++with_pulls_;
  if (with_pulls_ == size()) return std::nullopt;
  return static_cast<NodeIndex>(with_pulls_);
}

void GridBandit::learn(NodeIndex node, const Rewards& mapped) {
  statistics_[node].pulls += static_cast<double>(mapped.count);
  statistics_[node].sum += mapped.sum;
}

void GridBandit::learn(NodeIndex node, double pulls, double mean) {
  statistics_[node].pulls += pulls;
  statistics_[node].sum += pulls * mean;
}

void GridBandit::unlearn(NodeIndex node, double pulls, double sum) {
  Statistics& arm = statistics_[node];
  arm.pulls -= pulls;
  arm.sum -= sum;
  if (arm.pulls > 0.0) return;
  arm = {};
  with_pulls_ = std::min<std::size_t>(with_pulls_, node);
}

void GridBandit::fade(double factor) {
  constexpr double kNextToNone = 1e-12;
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    Statistics& arm = statistics_[i];
    arm.pulls *= factor;
    arm.sum *= factor;
    if (arm.pulls < kNextToNone) unlearn(static_cast<NodeIndex>(i), arm.pulls, arm.sum);
  }
}

void GridBandit::accept_observed(Arm arm, const Rewards& mapped) {
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    const auto node = static_cast<NodeIndex>(i);
    const Arm here = arm_of(node);
    if (!std::equal(here.begin(), here.end(), arm.begin(), arm.end())) continue;
    learn(node, mapped);
    return;
  }
}

void GridBandit::transfer(State& state) {
  TurnOptimizer::transfer(state);
  const std::size_t arms = statistics_.size();
  state(statistics_);
  if (!state.restoring()) return;
  State::require(statistics_.size() == arms);
  with_pulls_ = 0;
  require_nodes_below(arms);
}

}  // namespace canopy
