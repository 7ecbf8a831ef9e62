#include "canopy/contextual_with_baseline.hpp"

#include "canopy/detail/reward_map.hpp"
#include "canopy/errors.hpp"
#include "canopy/random.hpp"

#include "optimizers/baseline_rounds.hpp"

#include <algorithm>
#include <utility>

namespace canopy {

ContextualWithBaseline::ContextualWithBaseline(std::unique_ptr<Contextual> search, Space space,
                                               const Objective& objective,
                                               std::vector<double> baseline,
                                               const BaselineRule& rule)
    : search_(std::move(search)),
      space_(std::move(space)),
      level_(objective.confidence),
      direction_(objective.direction),
      baseline_(std::move(baseline)),
      rule_(rule) {
  throw_unless_usable(rule_, space_, baseline_);
}

ContextualWithBaseline::ContextualWithBaseline(const ContextualWithBaseline& other)
    : Optimizer(other),
      search_(std::make_unique<Contextual>(*other.search_)),
      space_(other.space_),
      level_(other.level_),
      direction_(other.direction_),
      baseline_(other.baseline_),
      rule_(other.rule_),
      challengers_(other.challengers_),
      challenger_(other.challenger_),
      is_duel_(other.is_duel_),
      rounds_(other.rounds_),
      asked_(other.asked_),
      search_pulls_(other.search_pulls_),
      since_(other.since_),
      pairs_(other.pairs_),
      tosses_(other.tosses_),
      half_asked_(other.half_asked_),
      open_(other.open_),
      challenger_pulls_(other.challenger_pulls_),
      baseline_pulls_(other.baseline_pulls_),
      baseline_sum_(other.baseline_sum_) {}

// --- asking ----------------------------------------------------------------------------------

/// Whether parts of the current round have not been asked for yet.
bool ContextualWithBaseline::is_in_round() const {
  if (rounds_ == 0) return false;
  if (!is_duel_) return asked_ < rule_.pulls;
  return half_asked_ != 0 || (asked_ < rule_.pairs && !is_out(challengers_[*challenger_]));
}

bool ContextualWithBaseline::is_round_due() const {
  if (rule_.every == 0) return false;
  if (rounds_ == 0 || is_in_round()) return true;
  return since_ >= pulls_between(rule_, rounds_) && search_pulls_ >= rule_.first;
}

Pull ContextualWithBaseline::ask_in(Context context, std::uint64_t pulls) {
  if (!is_round_due()) return search_->ask_in(context, pulls);
  if (!is_in_round()) {
    begin_round();
    if (rounds_ > 1) choose_challenger();
  }
  if (!is_duel_) return give_baseline(context);
  const std::vector<double> arm = challenger_arm(context);
  // Both sides would play the same arm. This depends only on the context and the frozen policy, not
  // on the random order.
  if (arm.empty() || arm == baseline_) return search_->ask_in(context, pulls);
  return give_half(context, std::nullopt);
}

Pull ContextualWithBaseline::ask_as(const Pull& earlier, std::uint64_t pulls, Context context) {
  if (earlier.purpose == Purpose::search) return search_->ask_in(context, pulls);
  const std::vector<double> arm(earlier.arm.begin(), earlier.arm.end());
  const bool is_next_round = earlier.round == rounds_ + 1;
  if (earlier.round == 0 || (earlier.round != rounds_ && !is_next_round)) return {};
  if (!earlier.then.empty() || earlier.length != 1 || earlier.purpose == Purpose::wait) return {};
  if (is_next_round) begin_round();
  if (earlier.purpose == Purpose::baseline) {
    return arm == baseline_ ? give_baseline(context) : Pull();
  }
  if (!is_duel_) choose_challenger();
  if (!is_duel_ || (arm != baseline_ && arm != challenger_arm(context))) return {};
  return give_half(context, arm == baseline_);
}

void ContextualWithBaseline::begin_round() {
  ++rounds_;
  since_ = 0;
  asked_ = 0;
  is_duel_ = false;
}

Pull ContextualWithBaseline::give_baseline(Context context) {
  ++asked_;
  return open_as({.arm = baseline_, .context = {context.begin(), context.end()}});
}

/// The first pull of a pair, or the second one of the pair that has begun. `is_baseline` is given
/// when a recorded order is replayed.
Pull ContextualWithBaseline::give_half(Context context, std::optional<bool> is_baseline) {
  if (half_asked_ == 0) {
    RandomStream coin({.seed = rule_.seed, .purpose = "order", .run = ++tosses_});
    half_asked_ = tosses_;
    pairs_[half_asked_] = {.challenger = *challenger_,
                           .is_baseline_first = is_baseline.value_or(coin.coin()),
                           .effect = search_->effect()};
    ++asked_;
  }
  const std::uint64_t number = half_asked_;
  Pair& pair = pairs_.at(number);
  const bool plays_baseline = pair.is_baseline_first == (pair.asked == 0);
  if (++pair.asked == 2) half_asked_ = 0;
  return open_as({.arm = plays_baseline ? baseline_ : challenger_arm(context),
                  .context = {context.begin(), context.end()},
                  .pair = number,
                  .is_baseline = plays_baseline});
}

Pull ContextualWithBaseline::open_as(Open open) {
  open.round = rounds_;
  const Ticket ticket = search_->skip_ticket(open.context);
  return pull_of(ticket, open_[ticket] = std::move(open));
}

Pull ContextualWithBaseline::pull_of(Ticket ticket, const Open& open) {
  return {.ticket = ticket,
          .arm = open.arm,
          .length = 1,
          .purpose = open.pair != 0 ? Purpose::duel : Purpose::baseline,
          .round = open.round};
}

// --- challengers -----------------------------------------------------------------------------

std::vector<double> ContextualWithBaseline::challenger_arm(Context context) const {
  return challengers_[*challenger_].policy.arm_in(search_->bins_in(context));
}

double ContextualWithBaseline::alpha(std::size_t challenger) const {
  return challenger_alpha(level_, static_cast<double>(challenger + 1));
}

Uplift::Verdict ContextualWithBaseline::verdict(std::size_t challenger) const {
  return verdict_of(challengers_[challenger].pairs, alpha(challenger), direction_);
}

bool ContextualWithBaseline::is_out(const Challenger& challenger) const {
  return challenger.failures >= kMostFailuresOfChallenger;
}

std::optional<std::size_t> ContextualWithBaseline::find_challenger(
    const FrozenPolicy& policy) const {
  const auto found =
      std::find_if(challengers_.begin(), challengers_.end(),
                   [&](const Challenger& each) { return each.policy.is_same_as(policy); });
  if (found == challengers_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - challengers_.begin());
}

/// As in WithBaseline, the current challenger stays until its pairs decide, or until it is
/// unpromising.
void ContextualWithBaseline::choose_challenger() {
  if (challenger_) {
    const Challenger& present = challengers_[*challenger_];
    if (is_still_open(present.pairs, alpha(*challenger_), direction_) && !is_out(present)) {
      is_duel_ = true;
      return;
    }
  }
  FrozenPolicy policy = search_->freeze();
  if (policy.is_everywhere(baseline_)) return;
  const std::optional<std::size_t> known = find_challenger(policy);
  if (known && is_out(challengers_[*known])) return;
  if (!known) challengers_.push_back({.policy = std::move(policy), .named_at = pulls()});
  challenger_ = known.value_or(challengers_.size() - 1);
  is_duel_ = true;
}

// --- telling ---------------------------------------------------------------------------------

/// Counts pulls told to the search.
Status ContextualWithBaseline::counted(Status status) {
  if (!is_taken(status)) return status;
  ++search_pulls_;
  ++since_;
  return status;
}

Status ContextualWithBaseline::tell(Ticket ticket, double reward) {
  return tell(ticket, Rewards::one(reward));
}

Status ContextualWithBaseline::tell(Ticket ticket, std::span<const double> rewards) {
  const auto found = open_.find(ticket);
  if (found == open_.end()) {
    const Status status = search_->tell(ticket, rewards);
    return rewards.empty() ? status : counted(status);
  }
  if (rewards.empty()) return Status::impossible_sums;
  if (rewards.size() > 1) return Status::too_many_rewards;
  return tell(ticket, Rewards::one(rewards[0]));
}

Status ContextualWithBaseline::tell(Ticket ticket, const Rewards& rewards) {
  const auto found = open_.find(ticket);
  if (found == open_.end()) return counted(search_->tell(ticket, rewards));
  if (rewards.count > 1) return Status::too_many_rewards;
  const Open open = found->second;
  if (const Status status = check(rewards, RewardMap(Objective{})); status != Status::ok) {
    return status;
  }
  if (!open.is_baseline) {
    const Status status = search_->observe_in(open.context, open.arm, rewards);
    if (!is_taken(status)) return status;
    ++challenger_pulls_;
  } else {
    ++baseline_pulls_;
    baseline_sum_ += rewards.sum;
  }
  add_to_pair(open, rewards.sum);
  open_.erase(ticket);
  return Status::ok;
}

/// Ignores rewards of a void pair.
void ContextualWithBaseline::add_to_pair(const Open& open, double reward) {
  const auto found = pairs_.find(open.pair);
  if (found == pairs_.end()) return;
  Pair& pair = found->second;
  const double effect = pair.effect.at(search_->bins_in(open.context));
  const double value = reward - search_->to_user_difference(effect);
  pair.difference += open.is_baseline ? -value : value;
  if (++pair.told < 2) return;
  challengers_[pair.challenger].pairs.add(pair.difference);
  pairs_.erase(found);
}

void ContextualWithBaseline::void_pair(std::uint64_t pair) {
  pairs_.erase(pair);
  if (half_asked_ == pair) half_asked_ = 0;
}

Status ContextualWithBaseline::measure(Ticket ticket, Arm arm, const Metrics& metrics) {
  const auto found = open_.find(ticket);
  return found == open_.end() ? search_->measure(ticket, arm, metrics)
                              : search_->measure_in(found->second.context, arm, metrics);
}

Status ContextualWithBaseline::penalize(Ticket ticket, double reward) {
  const auto found = open_.find(ticket);
  if (found == open_.end()) return counted(search_->penalize(ticket, reward));
  if (!RewardMap::usable(reward)) return Status::not_a_reward;
  const Open open = found->second;
  open_.erase(found);
  const auto pair = pairs_.find(open.pair);
  if (!open.is_baseline && pair != pairs_.end()) {
    Challenger& challenger = challengers_[pair->second.challenger];
    ++challenger.failures;
    const double largest = challenger.pairs.largest();
    const double sign = direction_ == Direction::maximize ? 1.0 : -1.0;
    if (largest > 0.0) challenger.pairs.add(-sign * largest);
  }
  void_pair(open.pair);
  return Status::ok;
}

Status ContextualWithBaseline::drop(Ticket ticket) {
  const auto found = open_.find(ticket);
  if (found == open_.end()) return search_->drop(ticket);
  void_pair(found->second.pair);
  open_.erase(found);
  return Status::ok;
}

// --- queries ---------------------------------------------------------------------------------

/// Removes intervals that assume a constant level of rewards, once results without that assumption
/// are available.
Best ContextualWithBaseline::described(Best best) const {
  const bool is_measured = baseline_pulls_ != 0 && best.basis != Best::Basis::no_noise;
  return is_measured ? beside_baseline(std::move(best)) : best;
}

std::optional<Best> ContextualWithBaseline::best() const {
  const std::optional<Best> best = search_->best();
  return best ? std::optional(described(*best)) : std::nullopt;
}

std::optional<Best> ContextualWithBaseline::best_in(Context context) const {
  const std::optional<Best> best = search_->best_in(context);
  return best ? std::optional(described(*best)) : std::nullopt;
}

std::optional<Policy> ContextualWithBaseline::policy() const {
  std::optional<Policy> policy = search_->policy();
  if (baseline_pulls_ == 0) return policy;
  for (PolicyRow& row : policy->rows) row.interval.reset();
  return policy;
}

/// The proven challengers, by decreasing difference.
std::vector<std::size_t> ContextualWithBaseline::proven_challengers() const {
  std::vector<std::size_t> proven;
  for (std::size_t i = 0; i < challengers_.size(); ++i) {
    if (verdict(i) == Uplift::Verdict::better && !is_out(challengers_[i])) proven.push_back(i);
  }
  const auto gain = [&](std::size_t i) {
    const double mean = challengers_[i].pairs.mean();
    return direction_ == Direction::maximize ? mean : -mean;
  };
  std::stable_sort(proven.begin(), proven.end(),
                   [&](std::size_t a, std::size_t b) { return gain(a) > gain(b); });
  return proven;
}

std::vector<Uplift> ContextualWithBaseline::proven() const {
  std::vector<Uplift> uplifts;
  for (const std::size_t i : proven_challengers()) uplifts.push_back(uplift_of(i));
  return uplifts;
}

std::optional<std::vector<double>> ContextualWithBaseline::proven_in(Context context) const {
  const std::vector<std::size_t> proven = proven_challengers();
  if (proven.empty()) return std::nullopt;
  const FrozenPolicy& policy = challengers_[proven.front()].policy;
  const std::vector<double>& arm = policy.arm_in(search_->bins_in(context));
  return arm.empty() ? baseline_ : arm;
}

std::optional<Uplift> ContextualWithBaseline::uplift() const {
  if (baseline_pulls_ == 0) return std::nullopt;
  const std::vector<std::size_t> proven = proven_challengers();
  if (!proven.empty()) return uplift_of(proven.front());
  if (!challenger_ && search_->freeze().is_everywhere(baseline_)) return std::nullopt;
  return uplift_of(challenger_);
}

Uplift ContextualWithBaseline::uplift_of(std::optional<std::size_t> challenger) const {
  const FrozenPolicy now = search_->freeze();
  Uplift uplift{.confidence = level_, .fewest = Pairs::fewest(alpha(0))};
  uplift.policy_of = pulls();
  if (challenger) {
    const auto& [policy, pairs, failures, named_at] = challengers_[*challenger];
    uplift.policy_of = named_at;
    uplift.is_best = policy.is_same_as(now);
    uplift.verdict = verdict(*challenger);
    uplift.difference = pairs.mean();
    uplift.interval = pairs.interval(alpha(*challenger));
    uplift.pairs = pairs.count();
    uplift.fewest = Pairs::fewest(alpha(*challenger));
  }
  uplift.best_is_baseline = now.is_everywhere(baseline_);
  if (const auto known = find_challenger(now)) {
    uplift.best_pairs = challengers_[*known].pairs.count();
    uplift.best_verdict = verdict(*known);
  }
  uplift.baseline_mean =
      baseline_sum_ / static_cast<double>(std::max<std::uint64_t>(1, baseline_pulls_));
  uplift.rounds = rounds_;
  uplift.baseline_pulls = baseline_pulls_;
  return uplift;
}

std::uint64_t ContextualWithBaseline::pulls() const {
  return search_->summary().t - 1 + challenger_pulls_ + baseline_pulls_;
}

Summary ContextualWithBaseline::summary() const {
  Summary summary = search_->summary();
  summary.t = pulls() + 1;
  summary.in_flight += open_.size();
  return summary;
}

std::optional<Pull> ContextualWithBaseline::pull_of(Ticket ticket) const {
  const auto found = open_.find(ticket);
  return found != open_.end() ? pull_of(ticket, found->second) : search_->pull_of(ticket);
}

std::vector<Pull> ContextualWithBaseline::in_flight() const {
  std::vector<Pull> pulls = search_->in_flight();
  for (const auto& [ticket, open] : open_) pulls.push_back(pull_of(ticket, open));
  std::sort(pulls.begin(), pulls.end(),
            [](const Pull& one, const Pull& other) { return one.ticket < other.ticket; });
  return pulls;
}

// --- saving ----------------------------------------------------------------------------------

void ContextualWithBaseline::transfer(State& state) {
  std::string settings = "contextual_with_baseline-1";
  for (const double coordinate : baseline_) settings += "/" + std::to_string(coordinate);
  state.mark(settings);
  std::uint64_t count = challengers_.size();
  state(count);
  state(challengers_, challenger_, is_duel_, rounds_, asked_, search_pulls_, since_, tosses_,
        half_asked_, open_, challenger_pulls_, baseline_pulls_, baseline_sum_);
  std::uint64_t pairs = pairs_.size();
  state(pairs);
  auto next = pairs_.begin();
  if (state.restoring()) pairs_.clear();
  for (std::uint64_t i = 0; i < pairs; ++i) {
    std::uint64_t number = state.restoring() ? 0 : next->first;
    state(number);
    if (state.restoring()) pairs_[number].effect = LevelEffect(search_->contexts());
    state(state.restoring() ? pairs_[number] : (next++)->second);
  }
  if (!state.restoring()) return;
  const std::size_t variables = search_->contexts().size();
  State::require(pairs_.size() == pairs && challengers_.size() == count &&
                 State::are_finite({baseline_sum_}));
  State::require(!challenger_ || *challenger_ < challengers_.size());
  State::require((!is_duel_ || challenger_) && (half_asked_ == 0 || pairs_.contains(half_asked_)));
  for (const Challenger& each : challengers_) {
    State::require(each.policy.variables == variables);
    for (const FrozenPolicy::Row& row : each.policy.rows) {
      State::require(row.arm.empty() || space_.contains(row.arm));
    }
  }
  for (const auto& [number, pair] : pairs_) {
    State::require(pair.challenger < challengers_.size() && pair.asked <= 2 && pair.told < 2 &&
                   number <= tosses_ && State::are_finite({pair.difference}));
  }
  for (const auto& [ticket, open] : open_) {
    State::require(space_.contains(open.arm) && open.context.size() == variables &&
                   open.is_baseline == (open.arm == baseline_));
  }
}

std::string ContextualWithBaseline::save() {
  State state;
  transfer(state);
  std::string search = search_->save();
  state.nested(search);
  return state.text();
}

void ContextualWithBaseline::restore(std::string_view saved) {
  State state(saved);
  transfer(state);
  std::string search;
  state.nested(search);
  state.end();
  search_->restore(search);
}

std::unique_ptr<Optimizer> ContextualWithBaseline::clone() const {
  return std::unique_ptr<Optimizer>(new ContextualWithBaseline(*this));
}

}  // namespace canopy
