#include "canopy/family/gpo.hpp"

#include "family/composite_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace canopy {

GpoPlan gpo_plan(std::uint64_t horizon, double rho_max, std::uint32_t arity) {
  const double half = 0.5 * static_cast<double>(horizon);
  const double most = std::max(1.0, std::floor(half));
  const double wanted = std::ceil(instances_worthwhile(half, rho_max, arity));
  const double instances = std::clamp(wanted, 1.0, most);
  return {static_cast<std::uint64_t>(instances),
          static_cast<std::uint64_t>(std::max(1.0, std::floor(half / instances)))};
}

Gpo::Gpo(const Space& space, const GpoOptions& options, const Objective& objective,
         const PartitionRule& partition)
    : Composite(space, partition, checked(options, objective)),
      options_(options),
      plan_(gpo_plan(options.horizon, options.rho_max, arity())),
      left_(plan_.share) {
  add_child();
}

Gpo::Gpo(std::shared_ptr<const Partition> cells, const GpoOptions& options,
         const Objective& objective)
    : Composite(std::move(cells), checked(options, objective)),
      options_(options),
      plan_(gpo_plan(options.horizon, options.rho_max, arity())),
      left_(plan_.share) {
  add_child();
}

Selection Gpo::child_at(std::size_t number) const {
  const double rho = instance_rho(options_.rho_max, number + 1, plan_.instances);
  Selection instance = instance_of(options_.base, options_.nu_max, rho, options_.confidence_scale,
                                   options_.seed + number);
  if (options_.base == Base::thoo) instance.options.set("horizon", plan_.share);
  return instance;
}

TurnOptimizer::Choice Gpo::choose() {
  if (stage_ == Stage::search && left_ == 0) next_search();
  if (stage_ == Stage::search) return play(children() - 1);
  if (stage_ == Stage::validate && next_validation()) {
    return play(checked_ - 1, found_[checked_ - 1].arm, left_);
  }
  const auto best = winner();
  return best ? play(*best, found_[*best].arm, 1) : play(0);
}

/// Assigns the next instance its share of the pulls, less the pulls that earlier instances had
/// beyond their shares; at least one.
void Gpo::assign_share() {
  const std::uint64_t owed = std::min(beyond_, plan_.share - 1);
  beyond_ -= owed;
  left_ = plan_.share - owed;
}

/// Called when an instance has had its pulls. A custom partition may throw, which leaves the state
/// unchanged.
void Gpo::next_search() {
  const bool was_last = children() == plan_.instances;
  const auto best = best_of(children() - 1);
  if (!was_last) add_child();
  found_.emplace_back();
  if (best) found_.back().arm = best->own.empty() ? best->arm : best->own;
  if (was_last) {
    stage_ = Stage::validate;
  } else {
    assign_share();
  }
}

/// Proceeds to the next arm to be validated; false if there is none.
bool Gpo::next_validation() {
  while (checked_ < found_.size()) {
    const std::vector<double>& arm = found_[checked_++].arm;
    if (arm.empty() || is_barred(arm)) continue;
    assign_share();
    return true;
  }
  stage_ = Stage::over;
  return false;
}

void Gpo::hear(std::size_t child, bool asked, const Rewards& mapped) {
  if (stage_ == Stage::over) return;
  const std::uint64_t due = std::min(left_, mapped.count);
  left_ -= due;
  beyond_ += mapped.count - due;
  // A damaged saved state may have a validated arm before any arm was found.
  if (asked || child >= found_.size()) return;
  found_[child].pulls += static_cast<double>(mapped.count);
  found_[child].sum += mapped.sum;
}

/// The index of the best mean so far; ties go to the first.
std::optional<std::size_t> Gpo::winner() const {
  std::optional<std::size_t> winner;
  double best = -kInfinity;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const Found& found = found_[i];
    if (found.pulls == 0.0 || found.sum / found.pulls <= best || is_barred(found.arm)) continue;
    best = found.sum / found.pulls;
    winner = i;
  }
  return winner;
}

/// The winner, or the recommendation of the current instance while there is no winner.
std::optional<TicketedOptimizer::Recommendation> Gpo::recommendation() const {
  if (const auto best = winner()) {
    const Found& found = found_[*best];
    return Recommendation{found.arm, found.sum / found.pulls, found.pulls};
  }
  const auto best = best_of(children() - 1);
  if (!best) return std::nullopt;
  recommended_ = best->own.empty() ? best->arm : best->own;
  return Recommendation{recommended_, best->mean, static_cast<double>(best->pulls)};
}

void Gpo::transfer(State& state) {
  state.mark("gpo");
  Composite::transfer(state);
  state(stage_, left_, beyond_, found_, checked_);
  if (!state.restoring()) return;
  State::require(children() >= 1 && children() <= plan_.instances && stage_ <= Stage::over);
  const bool searching = stage_ == Stage::search;
  State::require(found_.size() == (searching ? children() - 1 : plan_.instances));
  State::require(searching || children() == plan_.instances);
  State::require(left_ <= plan_.share && checked_ <= found_.size());
  for (const Found& found : found_) State::require(found.arm.empty() || contains(found.arm));
}

std::unique_ptr<Optimizer> Gpo::clone() const {
  return std::make_unique<Gpo>(*this);
}

namespace {

GpoOptions options_over(Base base, const OptionValues& values) {
  const auto given = options_from<PctOptions>(values, "optimizer.");
  return {.horizon = given.horizon,
          .base = base,
          .nu_max = given.nu_max,
          .rho_max = given.rho_max,
          .confidence_scale = given.confidence_scale};
}

template <Base base>
OptimizerEntry confidence_trees_entry(std::string name, std::string line) {
  OptimizerEntry entry = composite_entry<Gpo, GpoOptions>(std::move(name), std::move(line));
  entry.fields = fields_of<PctOptions>();
  entry.make = [](const OptionValues& values, const Space& space, const PartitionRule& partition,
                  const Objective& objective) -> std::unique_ptr<Optimizer> {
    return std::make_unique<Gpo>(space, options_over(base, values), objective, partition);
  };
  entry.make_over = [](const OptionValues& values, const std::shared_ptr<const Partition>& cells,
                       const Objective& objective) -> std::unique_ptr<Optimizer> {
    return std::make_unique<Gpo>(cells, options_over(base, values), objective);
  };
  return entry;
}

}  // namespace

OptimizerEntry gpo_entry() {
  return composite_entry<Gpo, GpoOptions>(
      "gpo", "an algorithm with many values of rho, then cross-validation: a known horizon");
}

OptimizerEntry pct_entry() {
  return confidence_trees_entry<Base::hct>("pct", "GPO over HCT: a known horizon");
}

OptimizerEntry vpct_entry() {
  return confidence_trees_entry<Base::vhct>("vpct", "GPO over VHCT: a known horizon");
}

}  // namespace canopy
