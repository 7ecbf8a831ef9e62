#include "canopy/family/random_search.hpp"

#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <utility>

namespace canopy {

RandomSearch::RandomSearch(Space space, const RandomSearchOptions& options,
                           const Objective& objective)
    : TurnOptimizer(checked(options, objective), space.dimension()),
      space_(std::move(space)),
      arms_(space_.dimension()),
      unit_(space_.dimension()),
      random_({.seed = options.seed, .algorithm = "random"}) {}

TurnOptimizer::Choice RandomSearch::choose() {
  for (double& coordinate : unit_) coordinate = random_.uniform();
  const NodeIndex slot = arms_.free_slot(tickets_);
  space_.from_unit_cube(unit_, arms_.at(slot));
  return {.node = slot};
}

void RandomSearch::learn(NodeIndex node, const Rewards& mapped) {
  accept_observed(arms_[node], mapped);
}

void RandomSearch::accept_observed(Arm arm, const Rewards& mapped) {
  if (best_pulls_ != 0.0 && mapped.mean() <= best_mean_) return;
  best_arm_.assign(arm.begin(), arm.end());
  best_mean_ = mapped.mean();
  best_pulls_ = static_cast<double>(mapped.count);
}

void RandomSearch::transfer(State& state) {
  state.mark("random");
  TurnOptimizer::transfer(state);
  state(arms_, best_arm_, best_mean_, best_pulls_, random_);
  if (!state.restoring()) return;
  require_nodes_below(arms_.size());
  State::require(arms_.are_in(space_) && (best_pulls_ == 0.0 || contains(best_arm_)));
  State::require(State::are_finite({best_mean_}) && State::are_counts({best_pulls_}));
}

std::optional<TicketedOptimizer::Recommendation> RandomSearch::recommendation() const {
  if (best_pulls_ == 0.0) return std::nullopt;
  return Recommendation{best_arm_, best_mean_, best_pulls_};
}

std::unique_ptr<Optimizer> RandomSearch::clone() const {
  return std::make_unique<RandomSearch>(*this);
}

OptimizerEntry random_entry() {
  return optimizer_entry<RandomSearch, RandomSearchOptions>(
      "random", "arms drawn uniformly: a baseline for the others");
}

}  // namespace canopy
