#include "canopy/family/detail/context_bandit.hpp"

#include "canopy/errors.hpp"
#include "canopy/family/detail/arm_slots.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace canopy {

ContextBandit::ContextBandit(const Space& space, std::uint64_t points, const Objective& objective,
                             ContextSpace contexts)
    : TicketedOptimizer(objective, space.dimension()),
      space_(space),
      arms_(space, points),
      contexts_(std::move(contexts)) {}

std::vector<double> ContextBandit::within(Context context) const {
  if (contexts_.empty()) return {};
  bool is_moved = false;
  return contexts_.within(context, is_moved);
}

bool ContextBandit::is_within(Context context) const {
  if (context.size() != contexts_.size()) return false;
  for (std::size_t i = 0; i < contexts_.size(); ++i) {
    if (!contexts_[i].domain.contains(context[i])) return false;
  }
  return true;
}

// --- asking ----------------------------------------------------------------------------------

Pull ContextBandit::ask(std::uint64_t /*pulls*/) {
  if (contexts_.empty()) return open({});
  throw ConfigurationError({{"context", "",
                             "is missing: " + contexts_[0].name +
                                 " and all other variables must be given with every ask"}});
}

Pull ContextBandit::ask_in(Context context, std::uint64_t /*pulls*/) {
  return open(within(context));
}

Pull ContextBandit::ask_again() {
  return last_.empty() ? ask(1) : open(last_);
}

std::size_t ContextBandit::choose(Context context) const {
  const View view = view_of(context);
  std::size_t chosen = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t arm = 0; arm < size(); ++arm) {
    if (is_barred(arms_[arm])) continue;
    const double value = index(view, arm);
    if (!(value > largest)) continue;
    largest = value;
    chosen = arm;
  }
  return chosen;
}

Pull ContextBandit::open(std::vector<double> context) {
  (void)update_scale_if_due();
  const std::size_t chosen = choose(context);
  const Arm arm = arms_[chosen];
  if (!std::equal(arm.begin(), arm.end(), last_arm_.begin(), last_arm_.end())) {
    last_arm_.assign(arm.begin(), arm.end());
    ++switches_;
  }
  last_ = context;
  const NodeIndex slot = free_slot(tickets_, plays_.size());
  if (slot == plays_.size()) plays_.emplace_back();
  plays_[slot] = {chosen, std::move(context)};
  return {tickets_.open(slot, 1), arm, 1};
}

// --- learning --------------------------------------------------------------------------------

void ContextBandit::accept(NodeIndex node, const Rewards& mapped) {
  learn(view_of(plays_[node].context), plays_[node].arm, mapped);
}

Status ContextBandit::observe(Arm arm, const Rewards& rewards) {
  return contexts_.empty() ? TicketedOptimizer::observe(arm, rewards) : Status::needs_context;
}

Status ContextBandit::observe_in(Context context, Arm arm, const Rewards& rewards) {
  in_ = within(context);
  const Status status = TicketedOptimizer::observe(arm, rewards);
  in_.reset();
  return status;
}

void ContextBandit::accept_observed(Arm arm, const Rewards& mapped) {
  if (const auto found = arms_.find(arm)) {
    learn(view_of(in_.value_or(std::vector<double>())), *found, mapped);
  }
}

// --- queries ---------------------------------------------------------------------------------

std::optional<Best> ContextBandit::best_in(Context context) const {
  std::optional<Best> best = this->best();
  if (contexts_.empty() || !best) return best;
  const View view = view_of(within(context));
  std::optional<ArmValue> largest;
  std::size_t chosen = 0;
  for (std::size_t arm = 0; arm < size(); ++arm) {
    const std::optional<ArmValue> here = value_of(view, arm);
    if (!here || is_excluded(arms_[arm]) || (largest && here->mean <= largest->mean)) {
      continue;
    }
    largest = here;
    chosen = arm;
  }
  if (!largest) return best;
  return Best{.arm = {arms_[chosen].begin(), arms_[chosen].end()},
              .mean = map_.to_user(largest->mean),
              .pulls = static_cast<std::uint64_t>(largest->pulls),
              .confidence = best->confidence,
              .arms = best->arms,
              .basis = Best::Basis::model};
}

Summary ContextBandit::summary() const {
  Summary summary = basic_summary();
  summary.switches = switches_;
  return summary;
}

void ContextBandit::transfer(State& state) {
  TicketedOptimizer::transfer(state);
  state(plays_, last_, last_arm_, switches_);
  if (!state.restoring()) return;
  for (const Play& play : plays_) State::require(play.arm < size() && is_within(play.context));
  State::require(last_.empty() || is_within(last_));
  require_nodes_below(plays_.size());
}

}  // namespace canopy
