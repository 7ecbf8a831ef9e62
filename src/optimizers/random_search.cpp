#include "canopy/random_search.hpp"

#include "canopy/confidence.hpp"

#include "optimizers/fields.hpp"

#include <utility>

namespace canopy {

RandomSearch::RandomSearch(Space space, const RandomSearchOptions& options,
                           const Objective& objective)
    : TurnOptimizer(checked(options, objective)),
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

void RandomSearch::learn(NodeIndex node, double pulls, double sum) {
  const double mean = sum / pulls;
  if (best_pulls_ != 0.0 && mean <= best_mean_) return;
  best_arm_.assign(arms_[node].begin(), arms_[node].end());
  best_mean_ = mean;
  best_pulls_ = pulls;
}

void RandomSearch::transfer(State& state) {
  state.mark("random");
  TurnOptimizer::transfer(state);
  state(arms_, best_arm_, best_mean_, best_pulls_, random_);
  require_nodes_below(arms_.size());
}

std::optional<Best> RandomSearch::best() const {
  if (best_pulls_ == 0.0) return std::nullopt;
  return to_best(best_arm_, best_mean_, hoeffding_width(best_pulls_), best_pulls_);
}

}  // namespace canopy
