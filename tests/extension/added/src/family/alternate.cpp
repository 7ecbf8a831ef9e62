#include "canopy/family/alternate.hpp"

#include "family/list.hpp"
#include "optimizers/checked.hpp"

namespace canopy {

Alternate::Alternate(const Space& space, const AlternateOptions& options,
                     const Objective& objective)
    : TurnOptimizer(checked(options, objective), space.dimension()), space_(space) {
  const std::array<double, 2> shares{options.first, options.second};
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    arms_.at(i).resize(space.dimension());
    space.from_unit_cube(std::vector<double>(space.dimension(), shares.at(i)), arms_.at(i));
  }
}

TurnOptimizer::Choice Alternate::choose() {
  const NodeIndex chosen = next_;
  next_ = 1 - next_;
  return {.node = chosen};
}

void Alternate::transfer(State& state) {
  state.mark("alternate");
  TurnOptimizer::transfer(state);
  state(next_);
  if (!state.restoring()) return;
  require_nodes_below(arms_.size());
  State::require(next_ < arms_.size());
}

std::unique_ptr<Optimizer> Alternate::clone() const {
  return std::make_unique<Alternate>(*this);
}

OptimizerEntry alternate_entry() {
  return optimizer_entry<Alternate, AlternateOptions>("alternate", "two arms in turn");
}

}  // namespace canopy
