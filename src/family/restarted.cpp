#include "canopy/family/restarted.hpp"

#include "family/composite_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <memory>
#include <string>
#include <utility>

namespace canopy {

Restarted::Restarted(const Space& space, const RestartedOptions& options,
                     const Objective& objective, const PartitionRule& partition)
    : Composite(space, partition, checked(options, objective)), options_(options) {
  add_child();
}

Restarted::Restarted(std::shared_ptr<const Partition> cells, const RestartedOptions& options,
                     const Objective& objective)
    : Composite(std::move(cells), checked(options, objective)), options_(options) {
  add_child();
}

Selection Restarted::child_at(std::size_t /*number*/) const {
  return {std::string(name_of(options_.base))};
}

TurnOptimizer::Choice Restarted::choose() {
  if (t_ - started_ >= options_.every) {
    renew_only_child();
    started_ = t_;
    forget_arms(false);
  }
  return play(0, options_.every - (t_ - started_));
}

std::optional<TicketedOptimizer::Recommendation> Restarted::recommendation() const {
  const auto best = best_of(0);
  if (!best) return std::nullopt;
  recommended_ = best->own.empty() ? best->arm : best->own;
  return Recommendation{recommended_, best->mean, static_cast<double>(best->pulls)};
}

void Restarted::transfer(State& state) {
  state.mark("restarted");
  Composite::transfer(state);
  state(started_);
  state.require_restored(children() == 1 && started_ >= 1 && started_ <= t_);
}

std::unique_ptr<Optimizer> Restarted::clone() const {
  return std::make_unique<Restarted>(*this);
}

OptimizerEntry restarted_entry() {
  return composite_entry<Restarted, RestartedOptions>(
      "restarted", "the adaptive tree or HCT, restarted at regular intervals");
}

}  // namespace canopy
