#include "canopy/family/thoo.hpp"

#include "family/hoo_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace canopy {

std::uint32_t thoo_depth_limit(double horizon, double nu1, double rho) {
  const double depth = std::ceil((std::log(horizon) / 2.0 + std::log(nu1)) / -std::log(rho));
  return static_cast<std::uint32_t>(std::clamp(depth, 0.0, 1e9));
}

Thoo::Thoo(const Space& space, const ThooOptions& options, const Objective& objective)
    : Thoo(std::make_shared<BoxPartition>(space), options, objective) {}

Thoo::Thoo(const std::shared_ptr<const Partition>& partition, const ThooOptions& options,
           const Objective& objective)
    : HooTree(partition, hoo_constants(options, partition->dimension()), options.seed,
              checked(options, objective)),
      doubling_(!options.horizon) {
  begin_period(options.horizon.value_or(2));
}

void Thoo::begin_period(std::uint64_t length) {
  period_length_ = length;
  if (doubling_) period_end_ = t_ + length;
  ++periods_;
  const auto n = static_cast<double>(length);
  set_log(std::log(n));
  depth_limit_ = thoo_depth_limit(n, constants().nu1, constants().rho);
  if (depth_limit_ > 0) expand(root());
}

TurnOptimizer::Choice Thoo::choose() {
  if (doubling_ && t_ >= period_end_) {
    if (const auto last = HooTree::recommendation()) {
      past_ = Past{{last->arm.begin(), last->arm.end()}, last->mean, last->pulls, pulls()};
    }
    start_over();
    begin_period(2 * period_length_);
    learn_observed();
  }
  return HooTree::choose();
}

void Thoo::learn_here(NodeIndex node, const Rewards& mapped) {
  update_path(node, mapped);
  if (depth_of(node) < depth_limit_) expand(node);
}

std::optional<TicketedOptimizer::Recommendation> Thoo::recommendation() const {
  if (!past_ || past_->all_pulls <= pulls()) return HooTree::recommendation();
  return Recommendation{past_->arm, past_->mean, past_->pulls};
}

void Thoo::transfer(State& state) {
  state.mark("thoo");
  HooTree::transfer(state);
  bool has_past = past_.has_value();
  state(period_length_, period_end_, periods_, depth_limit_, has_past);
  if (state.restoring()) past_ = std::nullopt;
  state.require_restored(period_length_ >= 1 && period_length_ <= Tickets::kLast);
  if (!has_past) return;
  if (state.restoring()) past_ = Past{};
  state(past_->arm, past_->mean, past_->pulls, past_->all_pulls);
  state.require_restored(contains(past_->arm) && State::are_finite({past_->mean}) &&
                         State::are_counts({past_->pulls, past_->all_pulls}));
}

Summary Thoo::summary() const {
  Summary summary = HooTree::summary();
  summary.refreshes = periods_;
  return summary;
}

std::unique_ptr<Optimizer> Thoo::clone() const {
  return std::make_unique<Thoo>(*this);
}

OptimizerEntry thoo_entry() {
  OptimizerEntry entry = optimizer_entry<Thoo, ThooOptions>(
      "thoo", "truncated HOO: a known horizon, or periods of doubling length", 2);
  entry.resolve = resolve_rho<ThooOptions>;
  return entry;
}

}  // namespace canopy
