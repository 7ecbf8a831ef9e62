#include "canopy/family/thompson.hpp"

#include "family/grid_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <cmath>
#include <cstddef>

namespace canopy {

Thompson::Thompson(const Space& space, const ThompsonOptions& options, const Objective& objective)
    : GridBandit(space, points_of(options, space.dimension()), checked(options, objective)),
      confidence_scale_(options.confidence_scale),
      random_({.seed = options.seed, .algorithm = "thompson"}) {}

TurnOptimizer::Choice Thompson::choose() {
  update_scale_if_due();
  if (const auto fresh = first_without_pulls()) return {.node = *fresh};
  const double deviation = scale() * confidence_scale_;
  std::size_t chosen = 0;
  double largest = -kInfinity;
  for (std::size_t i = 0; i < size(); ++i) {
    const Statistics& arm = statistics()[i];
    const double drawn = arm.mean() + deviation / std::sqrt(arm.pulls) * random_.normal();
    if (drawn > largest) {
      largest = drawn;
      chosen = i;
    }
  }
  return {.node = static_cast<NodeIndex>(chosen)};
}

void Thompson::transfer(State& state) {
  state.mark("thompson");
  GridBandit::transfer(state);
  state(random_);
}

std::unique_ptr<Optimizer> Thompson::clone() const {
  return std::make_unique<Thompson>(*this);
}

OptimizerEntry thompson_entry() {
  OptimizerEntry entry = optimizer_entry<Thompson, ThompsonOptions>(
      "thompson", "a fixed grid of arms under Thompson sampling");
  entry.resolve = resolve_points<ThompsonOptions>;
  return entry;
}

}  // namespace canopy
