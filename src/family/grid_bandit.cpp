#include "canopy/family/detail/grid_bandit.hpp"

#include <algorithm>

namespace canopy {

GridBandit::GridBandit(const Space& space, std::uint64_t points, const Objective& objective)
    : TurnOptimizer(objective, space.dimension()),
      space_(space),
      arms_(space, points),
      statistics_(arms_.size()) {}

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
  if (const auto found = arms_.find(arm)) learn(static_cast<NodeIndex>(*found), mapped);
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
