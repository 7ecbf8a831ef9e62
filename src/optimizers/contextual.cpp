#include "canopy/contextual.hpp"

#include "canopy/errors.hpp"

#include "optimizers/checked.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace canopy {
namespace {

constexpr std::uint64_t kFirstStep = 12;  // pulls
constexpr double kFewestPulls = 16.0;     // of a region that is tested
constexpr double kEvidence = 2.0;         // nats that a split must gain, and the logarithm of the
                                          // number of variables
constexpr std::size_t kShortList = 8;     // values of which each is a border
constexpr int kQuantiles = 4;

AdaptiveOptions without_what_contexts_exclude(const AdaptiveOptions& options,
                                              const ContextSpace& contexts,
                                              const Objective& objective) {
  std::vector<Violation> violations;
  if (contexts.empty()) violations.push_back({"context", "", "is missing"});
  if (options.settle != 0) {
    violations.push_back({"optimizer.settle", std::to_string(options.settle),
                          "cannot be combined with contexts yet"});
  }
  if (options.drift != Drift::none) {
    violations.push_back({"optimizer.drift", std::string(name_of(options.drift)),
                          "cannot be combined with contexts yet"});
  }
  if (!objective.limits.empty()) {
    violations.push_back(
        {"limits", objective.limits[0].metric, "cannot be combined with contexts yet"});
  }
  throw_if_any(std::move(violations));
  return options;
}

/// The lowest and the highest bin of a set.
std::size_t lowest(BinSet bins) {
  return static_cast<std::size_t>(std::countr_zero(bins));
}
std::size_t highest(BinSet bins) {
  return static_cast<std::size_t>(63 - std::countl_zero(bins));
}

/// All bins from one on.
BinSet from_bin(std::size_t bin) {
  return bin >= ContextSpace::kMostBins ? 0 : ~BinSet{0} << bin;
}

BinSet only_bin(std::size_t bin) {
  return BinSet{1} << bin;
}

}  // namespace

Contextual::Contextual(const Space& space, const ContextSpace& contexts,
                       const AdaptiveOptions& options, const Objective& objective)
    : Contextual(std::make_shared<BoxPartition>(space), contexts, options, objective) {}

Contextual::Contextual(const std::shared_ptr<const Partition>& partition,
                       const ContextSpace& contexts, const AdaptiveOptions& options,
                       const Objective& objective)
    : contexts_(contexts),
      partition_(partition),
      options_(without_what_contexts_exclude(options, contexts, objective)),
      objective_(objective),
      effect_(contexts) {
  Place& whole = places_.emplace_back();
  for (std::size_t k = 0; k < contexts_.size(); ++k) whole.bins.at(k) = contexts_.all_bins(k);
  whole.tree = std::make_unique<Adaptive>(partition_, options_, objective_);
}

Contextual::Contextual(const Contextual& other)
    : Optimizer(other),
      contexts_(other.contexts_),
      partition_(other.partition_),
      options_(other.options_),
      objective_(other.objective_),
      effect_(other.effect_),
      open_(other.open_),
      newest_(other.newest_),
      told_(other.told_),
      next_step_(other.next_step_),
      last_bins_(other.last_bins_),
      last_arm_(other.last_arm_),
      switches_(other.switches_),
      observed_(other.observed_),
      penalized_(other.penalized_),
      moved_(other.moved_) {
  for (const Place& place : other.places_) {
    places_.push_back({place.bins, place.parts, place.split, place.evidence,
                       place.tree ? std::make_unique<Adaptive>(*place.tree) : nullptr,
                       place.rewards, place.tested_at});
  }
}

// --- contexts --------------------------------------------------------------------------------

std::size_t Contextual::place_of(ContextBins bins) const {
  std::size_t at = 0;
  while (!places_[at].tree) at = places_[at].parts + (places_[at].split.is_right(bins) ? 1 : 0);
  return at;
}

Contextual::Seen Contextual::see(Context context) {
  bool is_moved = false;
  const std::vector<double> within = contexts_.within(context, is_moved);
  if (is_moved) ++moved_;
  last_bins_ = contexts_.bins_of(within);
  return {place_of(last_bins_), last_bins_};
}

double Contextual::level_effect(Context context) const {
  bool is_moved = false;
  const double effect = effect_.at(contexts_.bins_of(contexts_.within(context, is_moved)));
  return here().reward_map().to_user_difference(effect);
}

// --- asking ----------------------------------------------------------------------------------

Pull Contextual::ask(std::uint64_t /*pulls*/) {
  throw ConfigurationError({{"context", "",
                             "is missing: " + contexts_[0].name +
                                 " and all other "
                                 "variables must be given with every ask"}});
}

Pull Contextual::ask_in(Context context, std::uint64_t /*pulls*/) {
  const Seen seen = see(context);
  Adaptive& tree = *places_[seen.place].tree;
  tree.interrupt();  // what the system did last was in another context
  return issue(seen.place, tree.ask(1));
}

/// In the context of the last ask.
Pull Contextual::ask_again() {
  const std::size_t place = place_of(last_bins_);
  return issue(place, places_[place].tree->ask_again());
}

/// A pull of a tree under a ticket of this optimizer.
Pull Contextual::issue(std::size_t place, Pull of_tree) {
  open_[++newest_] = {place, of_tree.ticket, last_bins_};
  of_tree.ticket = newest_;
  if (!std::ranges::equal(last_arm_, of_tree.arm)) {
    last_arm_.assign(of_tree.arm.begin(), of_tree.arm.end());
    ++switches_;
  }
  return of_tree;
}

// --- telling ---------------------------------------------------------------------------------

/// Calls tell(tree, its ticket) for an open ticket.
template <class Tell>
Status Contextual::told(Ticket ticket, const Tell& tell) {
  const auto found = open_.find(ticket);
  if (found == open_.end()) {
    return ticket == 0 || ticket > newest_ ? Status::unknown_ticket : Status::closed_ticket;
  }
  const Open open = found->second;
  Adaptive& tree = *places_[open.place].tree;
  tree.set_level_effect(effect_.at(open.bins));
  tree.interrupt();
  const std::optional<Pull> pull = tree.pull_of(open.ticket);
  const Status status = tell(places_[open.place], open, pull->arm);
  if (!is_taken(status)) return status;
  open_.erase(found);
  ++told_;
  step_if_due();
  return status;
}

Status Contextual::tell(Ticket ticket, double reward) {
  return tell(ticket, Rewards::one(reward));
}

Status Contextual::tell(Ticket ticket, std::span<const double> rewards) {
  if (rewards.size() > 1) return Status::too_many_rewards;
  return rewards.empty() ? Status::ok : tell(ticket, rewards[0]);
}

Status Contextual::tell(Ticket ticket, const Rewards& rewards) {
  return told(ticket, [&](Place& place, const Open& open, Arm arm) {
    const std::vector<double> own(arm.begin(), arm.end());  // the ticket is closed by telling
    const Status status = place.tree->tell(open.ticket, rewards);
    if (status == Status::ok) {
      keep(place, open.bins, own, place.tree->reward_map().to_mapped(rewards));
    }
    return status;
  });
}

/// Adds rewards, in mapped units, to those of a region.
void Contextual::keep(Place& place, ContextBins bins, Arm arm, const Rewards& rewards) {
  std::vector<ContextRewards>& of_arm = place.rewards[{arm.begin(), arm.end()}];
  const auto at = std::lower_bound(
      of_arm.begin(), of_arm.end(), bins,
      [](const ContextRewards& entry, ContextBins wanted) { return entry.bins < wanted; });
  if (at != of_arm.end() && at->bins == bins) {
    at->rewards += rewards;
  } else {
    of_arm.insert(at, {bins, rewards});
  }
}

Status Contextual::penalize(Ticket ticket, double reward) {
  return told(ticket, [&](Place& place, const Open& open, Arm /*arm*/) {
    const Status status = place.tree->penalize(open.ticket, reward);
    if (status == Status::ok) ++penalized_;
    return status;
  });
}

Status Contextual::bar(Arm arm, double reward) {
  Status status = Status::ok;
  for (const Place& place : places_) {
    if (place.tree && status == Status::ok) status = place.tree->bar(arm, reward);
  }
  return status;
}

bool Contextual::is_barred(Arm arm) const {
  return here().is_barred(arm);
}

/// The worst of all regions.
std::optional<double> Contextual::failure_reward() const {
  const bool minimizes = objective_.direction == Direction::minimize;
  std::optional<double> worst;
  for (const Place& place : places_) {
    const std::optional<double> own = place.tree ? place.tree->failure_reward() : std::nullopt;
    if (!own) continue;
    if (!worst) worst = own;
    worst = minimizes ? std::max(*worst, *own) : std::min(*worst, *own);
  }
  return worst;
}

Status Contextual::observe(Arm /*arm*/, const Rewards& /*rewards*/) {
  return Status::needs_context;
}

Status Contextual::observe_in(Context context, Arm arm, const Rewards& rewards) {
  const Seen seen = see(context);
  Place& place = places_[seen.place];
  place.tree->set_level_effect(effect_.at(seen.bins));
  place.tree->interrupt();
  const Status status = place.tree->observe(arm, rewards);
  if (status == Status::ok) {
    observed_ += rewards.count;
    keep(place, seen.bins, arm, place.tree->reward_map().to_mapped(rewards));
  }
  return status;
}

Status Contextual::remember(Arm /*arm*/, const Rewards& /*rewards*/) {
  return Status::needs_context;
}

/// There are no limits, so every metric is passed over.
Status Contextual::measure(Ticket ticket, Arm arm, const Metrics& metrics) {
  (void)ticket;
  return places_[place_of(last_bins_)].tree->measure(0, arm, metrics);
}

void Contextual::set_reward_range(const std::optional<RewardRange>& range) {
  for (const Place& place : places_) {
    if (place.tree) place.tree->set_reward_range(range);
  }
  objective_.reward_range = range;
}

std::optional<RewardRange> Contextual::reward_range() const {
  return here().reward_range();
}

Status Contextual::drop(Ticket ticket) {
  const auto found = open_.find(ticket);
  if (found == open_.end()) {
    return ticket == 0 || ticket > newest_ ? Status::unknown_ticket : Status::closed_ticket;
  }
  const Status status = places_[found->second.place].tree->drop(found->second.ticket);
  if (status == Status::ok) open_.erase(found);
  return status;
}

void Contextual::finish() {
  for (const Place& place : places_) {
    if (place.tree) place.tree->finish();
  }
}

// --- regions ---------------------------------------------------------------------------------

void Contextual::step_if_due() {
  if (static_cast<double>(told_) < next_step_) return;
  const auto pulls = static_cast<double>(told_);
  next_step_ = std::max(pulls + 4.0, pulls * (told_ < 1000 ? 1.1 : 1.25));
  if (told_ < kFirstStep || (places_[0].tree && !places_[0].tree->has_begun())) return;
  fit_effect();
  for (std::size_t i = 0; i < places_.size(); ++i) {  // those that a split adds, too
    if (places_[i].tree) split_if_it_pays(i);
  }
}

void Contextual::fit_effect() {
  std::vector<LevelEffect::Known> trees;
  for (const Place& place : places_) {
    if (place.tree) trees.push_back({&place.tree->model(), &place.rewards});
  }
  if (!effect_.fit(trees)) return;
  for (const Place& place : places_) {
    if (place.tree) place.tree->relearn(less_effect(place.rewards));
  }
}

Adaptive::RewardsOfArms Contextual::less_effect(const RewardsByContext& rewards) const {
  Adaptive::RewardsOfArms learnt;
  for (const auto& [arm, by_context] : rewards) learnt[arm] = effect_.without(by_context);
  return learnt;
}

void Contextual::split_if_it_pays(std::size_t index) {
  Place& place = places_[index];
  const auto pulls = static_cast<double>(place.tree->summary().t - 1);
  if (pulls < 1.0001 * place.tested_at || pulls < kFewestPulls) return;
  place.tested_at = pulls;
  const SplitTest test(place.tree->model(), place.rewards, effect_);
  Judged best{.evidence = kEvidence + std::log(static_cast<double>(contexts_.size()))};
  for (std::size_t k = 0; k < contexts_.size(); ++k) {
    Judged of_variable;
    for (const ContextSplit& split : candidates(place, k)) {
      const double evidence = test.gain(split).value_or(-kInfinity);
      if (evidence > of_variable.evidence) of_variable = {split, evidence};
    }
    if (is_short_list(place, k) && !contexts_[k].domain.is_ordered()) {
      regroup(test, place.bins.at(k), of_variable);
    }
    if (of_variable.evidence > best.evidence) best = of_variable;
  }
  if (best.split.right != 0) split(index, best);
}

/// Moves one value after the other to the other side, as long as that gains evidence: choices have
/// no order, so any group of them may want another arm.
void Contextual::regroup(const SplitTest& test, BinSet bins, Judged& best) {
  if (best.split.right == 0) return;
  for (bool has_gained = true; has_gained;) {
    has_gained = false;
    const BinSet before = best.split.right;
    for (std::size_t b = lowest(bins); b <= highest(bins); ++b) {
      const BinSet right = before ^ only_bin(b);
      if ((bins & only_bin(b)) == 0 || right == 0 || right == bins) continue;
      const ContextSplit split{best.split.variable, right};
      const double evidence = test.gain(split).value_or(-kInfinity);
      if (!(evidence > best.evidence)) continue;
      best = {split, evidence};
      has_gained = true;
    }
  }
}

bool Contextual::is_short_list(const Place& place, std::size_t variable) const {
  return contexts_.has_bin_per_value(variable) &&
         static_cast<std::size_t>(std::popcount(place.bins.at(variable))) <= kShortList;
}

/// Thresholds near the quartiles of the rewards of a region; of a short list, those between all
/// values and, if it has no order, each value by itself. Of a whole period also the parts between
/// two quartiles: the night may begin before midnight.
std::vector<ContextSplit> Contextual::candidates(const Place& place, std::size_t variable) const {
  const BinSet bins = place.bins.at(variable);
  std::vector<ContextSplit> candidates;
  const auto add = [&](BinSet right) {
    right &= bins;
    if (right != 0 && right != bins) candidates.push_back({variable, right});
  };
  if (is_short_list(place, variable)) {
    for (std::size_t b = lowest(bins) + 1; b <= highest(bins); ++b) {
      if ((bins & only_bin(b)) != 0) add(from_bin(b));
    }
    if (contexts_[variable].domain.is_ordered()) return candidates;
    for (std::size_t b = lowest(bins) + 1; b < highest(bins); ++b) add(only_bin(b));
    return candidates;
  }
  std::vector<double> count(contexts_.bin_count(variable));
  double all = 0.0;
  for (const auto& [arm, by_context] : place.rewards) {
    for (const auto& [of, rewards] : by_context) {
      count[ContextSpace::bin(of, variable)] += static_cast<double>(rewards.count);
      all += static_cast<double>(rewards.count);
    }
  }
  std::vector<std::size_t> borders;
  for (int quantile = 1; quantile < kQuantiles; ++quantile) {
    double below = 0.0;
    std::size_t b = 0;
    while (b < count.size() && below + 0.5 * count[b] < all * quantile / kQuantiles) {
      below += count[b++];
    }
    if (borders.empty() || b != borders.back()) borders.push_back(b);
  }
  for (const std::size_t border : borders) add(from_bin(border));
  if (contexts_[variable].period == 0.0 || bins != contexts_.all_bins(variable)) return candidates;
  for (std::size_t i = 0; i < borders.size(); ++i) {
    for (std::size_t j = i + 1; j < borders.size(); ++j) {
      add(from_bin(borders[i]) & ~from_bin(borders[j]));
    }
  }
  return candidates;
}

void Contextual::split(std::size_t index, const Judged& judged) {
  const auto& [split, evidence] = judged;
  const std::size_t parts = places_.size();
  places_.resize(parts + 2);
  Place& whole = places_[index];
  for (const bool right : {false, true}) {
    const std::size_t at = parts + (right ? 1 : 0);
    Place& part = places_[at];
    part.bins = whole.bins;
    if (right) {
      part.bins.at(split.variable) &= split.right;
    } else {
      part.bins.at(split.variable) &= ~split.right;
    }
    for (const auto& [arm, by_context] : whole.rewards) {
      std::vector<ContextRewards> own;
      for (const ContextRewards& entry : by_context) {
        if (split.is_right(entry.bins) == right) own.push_back(entry);
      }
      if (!own.empty()) part.rewards.emplace(arm, std::move(own));
    }
    Adaptive::Part kept;
    kept.learnt = less_effect(part.rewards);
    for (const auto& [arm, by_context] : part.rewards) {
      Rewards& all = kept.rewards[arm];
      all = by_context[0].rewards;
      for (std::size_t i = 1; i < by_context.size(); ++i) all += by_context[i].rewards;
    }
    std::map<Ticket, Ticket> of_tree;  // the tickets that go there
    for (const auto& [ticket, open] : open_) {
      if (open.place == index && split.is_right(open.bins) == right) of_tree[open.ticket] = ticket;
    }
    kept.keeps_ticket = [&](Ticket ticket) { return of_tree.contains(ticket); };
    part.tree = std::make_unique<Adaptive>(*whole.tree);
    part.tree->keep_part(kept);
    for (const auto& [inner, ticket] : of_tree) open_[ticket].place = at;
  }
  whole.parts = parts;
  whole.split = split;
  whole.evidence = evidence;
  whole.tree.reset();
  whole.rewards.clear();
}

// --- what is known ---------------------------------------------------------------------------

std::optional<Best> Contextual::best() const {
  std::optional<Best> best = here().best();
  if (best) best->by_model.reset();  // it is of the level without the effect of the context
  return best;
}

std::optional<Best> Contextual::best_in(Context context) const {
  bool is_moved = false;
  const ContextBins bins = contexts_.bins_of(contexts_.within(context, is_moved));
  std::optional<Best> best = places_[place_of(bins)].tree->best();
  if (best) best->by_model.reset();
  return best;
}

/// Neighbours along the first variable are next to each other, and so on.
std::vector<std::size_t> Contextual::regions_in_order() const {
  std::vector<std::size_t> regions;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].tree) regions.push_back(i);
  }
  std::sort(regions.begin(), regions.end(), [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < contexts_.size(); ++k) {
      const BinSet first = places_[a].bins.at(k);
      const BinSet second = places_[b].bins.at(k);
      if (first != second)
        return std::countr_zero(first) < std::countr_zero(second) ||
               (std::countr_zero(first) == std::countr_zero(second) && first < second);
    }
    return false;
  });
  return regions;
}

ContextRange Contextual::range_of(std::size_t variable, BinSet bins) const {
  ContextRange range;
  range.is_everything = bins == contexts_.all_bins(variable);
  const Domain& domain = contexts_[variable].domain;
  if (!domain.is_ordered()) {
    for (std::size_t b = 0; b < contexts_.bin_count(variable); ++b) {
      if ((bins & only_bin(b)) != 0) range.values.push_back(contexts_.ends(variable, b)[0]);
    }
    return range;
  }
  std::size_t first = lowest(bins);
  std::size_t last = highest(bins);
  const bool wraps = contexts_[variable].period != 0.0 && !range.is_everything && first == 0 &&
                     last + 1 == contexts_.bin_count(variable);
  if (wraps) {  // it goes through the end of the period
    const BinSet others = contexts_.all_bins(variable) & ~bins;
    first = highest(others) + 1;
    last = lowest(others) - 1;
  }
  range.ends = {contexts_.ends(variable, first)[0], contexts_.ends(variable, last)[1]};
  return range;
}

/// Whether a step along one variable leads from one region to the other. Any two values of a choice
/// are a step apart.
bool Contextual::are_neighbours(const Place& a, const Place& b) const {
  std::size_t apart = 0;
  for (std::size_t k = 0; k < contexts_.size(); ++k) {
    const BinSet first = a.bins.at(k);
    const BinSet second = b.bins.at(k);
    if ((first & second) != 0) continue;
    ++apart;
    if (!contexts_[k].domain.is_ordered()) continue;
    BinSet beside = first << 1 | first >> 1;
    if (contexts_[k].period != 0.0) {
      const BinSet last = only_bin(contexts_.bin_count(k) - 1);
      if ((first & 1U) != 0) beside |= last;
      if ((first & last) != 0) beside |= 1U;
    }
    if ((beside & second) == 0) return false;
  }
  return apart == 1;
}

PolicyRow Contextual::row_of(const Place& place) const {
  PolicyRow row;
  for (std::size_t k = 0; k < contexts_.size(); ++k) {
    row.where.push_back(range_of(k, place.bins.at(k)));
  }
  row.pulls = place.tree->summary().t - 1;
  const std::optional<Best> best = place.tree->best();
  if (!best) return row;
  row.arm = best->arm;
  row.arm_pulls = best->pulls;
  row.mean = best->mean;
  if (best->assumes != Assumption::none) row.interval = Interval{best->lower, best->upper};
  return row;
}

std::optional<Policy> Contextual::policy() const {
  Policy policy;
  const std::vector<std::size_t> regions = regions_in_order();
  for (const std::size_t region : regions) policy.rows.push_back(row_of(places_[region]));
  const bool minimizes = objective_.direction == Direction::minimize;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Place& place = places_[regions[i]];
    PolicyRow& row = policy.rows[i];
    for (std::size_t j = 0; j < regions.size(); ++j) {
      if (i == j || policy.rows[j].arm.empty() || row.arm.empty()) continue;
      if (!are_neighbours(place, places_[regions[j]])) continue;
      // Ruled out: its interval here is wholly worse.
      const auto theirs = place.tree->estimate(policy.rows[j].arm);
      const bool is_known = theirs && theirs->assumes != Assumption::none && row.interval;
      const bool is_worse = is_known && (minimizes ? theirs->interval.lower > row.interval->upper
                                                   : theirs->interval.upper < row.interval->lower);
      if (!is_worse) row.may_share.push_back(j);
    }
  }
  for (std::size_t k = 0; k < contexts_.size(); ++k) {
    ContextEffect& effect = policy.effects.emplace_back();
    for (const double number : effect_.table(k)) {
      effect.by_bin.push_back(here().reward_map().to_user_difference(number));
    }
    policy.weights.emplace_back();
  }
  for (const Place& place : places_) {
    if (place.tree) continue;
    ContextWeight& weight = policy.weights[place.split.variable];
    ++weight.splits;
    weight.evidence += place.evidence;
  }
  policy.moved = moved_;
  return policy;
}

std::optional<ArmEstimate> Contextual::estimate(Arm arm) const {
  return here().estimate(arm);
}

std::optional<Evidence> Contextual::evidence() const {
  return here().evidence();
}

std::size_t Contextual::regions() const {
  return (places_.size() + 1) / 2;
}

Summary Contextual::summary() const {
  Summary all;
  for (const Place& place : places_) {
    if (!place.tree) continue;
    const Summary own = place.tree->summary();
    all.nodes += own.nodes;
    all.depth = std::max(all.depth, own.depth);
    all.out_of_range += own.out_of_range;
    if (!all.fitting_range) all.fitting_range = own.fitting_range;
  }
  all.t = told_ + 1;
  all.switches = switches_;
  all.observed = observed_;
  all.penalized = penalized_;
  all.in_flight = open_.size();
  return all;
}

std::optional<Learnt> Contextual::learnt() const {
  return here().learnt();
}

const TreeView* Contextual::tree() {
  return places_[place_of(last_bins_)].tree->tree();
}

std::optional<Pull> Contextual::pull_of(Ticket ticket) const {
  const auto found = open_.find(ticket);
  if (found == open_.end()) return std::nullopt;
  std::optional<Pull> pull = places_[found->second.place].tree->pull_of(found->second.ticket);
  if (pull) pull->ticket = ticket;
  return pull;
}

std::vector<Pull> Contextual::in_flight() const {
  std::vector<Pull> pulls;
  for (const auto& [ticket, open] : open_) pulls.push_back(*pull_of(ticket));
  return pulls;
}

// --- state -----------------------------------------------------------------------------------

std::string Contextual::save() {
  State state;
  transfer(state);
  return state.text();
}

void Contextual::restore(std::string_view saved) {
  State state(saved);
  transfer(state);
  state.end();
}

void Contextual::transfer(State& state) {
  state.mark("contextual");
  std::uint64_t count = places_.size();
  state(count);
  State::require(count % 2 == 1 && count < (std::uint64_t{1} << 32));
  if (state.restoring()) {
    places_.resize(1);
    places_[0].tree = std::make_unique<Adaptive>(partition_, options_, objective_);
  }
  for (std::size_t i = 0; i < count; ++i) {
    State::require(i < places_.size());
    Place& place = places_[i];
    bool is_split = place.tree == nullptr;
    state(is_split);
    if (is_split) {
      state(place.parts, place.split.variable, place.split.right, place.evidence);
      if (!state.restoring()) continue;
      State::require(place.parts == places_.size() && place.split.variable < contexts_.size() &&
                     places_.size() + 2 <= count && State::are_finite({place.evidence}));
      const std::size_t variable = place.split.variable;
      const BinSet right = place.split.right;
      const Bins bins = place.bins;
      State::require((right & ~bins.at(variable)) == 0 && right != 0 && right != bins.at(variable));
      place.tree.reset();
      place.rewards.clear();
      for (const BinSet own : {bins.at(variable) & ~right, right}) {
        Place& part = places_.emplace_back();
        part.bins = bins;
        part.bins.at(variable) = own;
        part.tree = std::make_unique<Adaptive>(partition_, options_, objective_);
      }
      continue;
    }
    std::string tree = state.restoring() ? std::string() : place.tree->save();
    state.nested(tree);
    if (state.restoring()) place.tree->restore(tree);
    state(place.rewards, place.tested_at);
    state.require_restored(State::are_sizes({place.tested_at}));
  }
  state(effect_, open_, newest_, told_, next_step_, last_bins_, last_arm_, switches_, observed_,
        penalized_, moved_);
  if (!state.restoring()) return;
  State::require(places_.size() == count && State::are_sizes({next_step_}));
  for (const Place& place : places_) {
    for (const auto& [arm, by_context] : place.rewards) {
      State::require(partition_->contains(arm) && !by_context.empty());
      for (const ContextRewards& entry : by_context) State::require(entry.rewards.count != 0);
    }
  }
  for (const auto& [ticket, open] : open_) {
    State::require(ticket <= newest_ && open.place < places_.size() &&
                   places_[open.place].tree != nullptr &&
                   places_[open.place].tree->pull_of(open.ticket).has_value());
  }
}

std::unique_ptr<Optimizer> Contextual::clone() const {
  return std::make_unique<Contextual>(*this);
}

}  // namespace canopy
