#include "canopy/contextual.hpp"

#include "canopy/errors.hpp"

#include "optimizers/checked.hpp"

#include <algorithm>
#include <utility>

namespace canopy {
namespace {

AdaptiveOptions without_what_contexts_exclude(AdaptiveOptions options,
                                              const ContextSpace& contexts) {
  std::vector<Violation> violations;
  if (contexts.empty()) violations.push_back({"context", "", "is required: at least one variable"});
  if (options.settle != 0) {
    violations.push_back({"optimizer.settle", std::to_string(options.settle),
                          "cannot be combined with contexts yet"});
  }
  throw_if_any(std::move(violations));
  options.drift = Drift::none;
  return options;
}

}  // namespace

Contextual::Contextual(const Space& space, const ContextSpace& contexts,
                       const AdaptiveOptions& options, const Objective& objective)
    : Contextual(std::make_shared<BoxPartition>(space), contexts, options, objective) {}

Contextual::Contextual(std::shared_ptr<const Partition> partition, const ContextSpace& contexts,
                       const AdaptiveOptions& options, const Objective& objective)
    : contexts_(contexts),
      partition_(std::move(partition)),
      options_(without_what_contexts_exclude(options, contexts)),
      objective_(objective),
      effect_(contexts),
      metric_effects_(objective.limits.size(), LevelEffect(contexts)) {
  Place& whole = places_.emplace_back(new_place());
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
      metric_effects_(other.metric_effects_),
      open_(other.open_),
      newest_(other.newest_),
      told_(other.told_),
      next_step_(other.next_step_),
      last_bins_(other.last_bins_),
      last_asked_bins_(other.last_asked_bins_),
      last_arm_(other.last_arm_),
      switches_(other.switches_),
      observed_(other.observed_),
      penalized_(other.penalized_),
      out_of_range_(other.out_of_range_),
      moved_(other.moved_) {
  for (const Place& place : other.places_) {
    places_.push_back({place.bins, place.parts, place.split, place.evidence,
                       place.tree ? std::make_unique<Adaptive>(*place.tree) : nullptr,
                       place.rewards, place.pulls, place.known, place.tested_at, place.metrics});
  }
}

Contextual::Place Contextual::new_place() const {
  Place place;
  place.metrics.resize(objective_.limits.size());
  return place;
}

// --- contexts --------------------------------------------------------------------------------

std::size_t Contextual::place_of(ContextBins bins) const {
  std::size_t at = 0;
  while (!places_[at].tree) at = places_[at].parts + (places_[at].split.is_right(bins) ? 1 : 0);
  return at;
}

ContextBins Contextual::bins_in(Context context) const {
  bool is_moved = false;
  return contexts_.bins_of(contexts_.within(context, is_moved));
}

Contextual::Seen Contextual::see(Context context) {
  bool is_moved = false;
  const std::vector<double> within = contexts_.within(context, is_moved);
  if (is_moved) ++moved_;
  last_bins_ = contexts_.bins_of(within);
  return {place_of(last_bins_), last_bins_};
}

double Contextual::level_effect(Context context) const {
  const double effect = effect_.at(bins_in(context));
  return here().reward_map().to_user_difference(effect);
}

std::vector<Interval> Contextual::metric_effects_at(ContextBins bins) const {
  std::vector<Interval> effects;
  for (const LevelEffect& effect : metric_effects_) {
    effects.push_back({effect.at(bins), effect.at(bins)});
  }
  return effects;
}

/// The range of each metric's effect over the observed contexts of a region.
std::vector<Interval> Contextual::metric_effects_of(const Place& place) const {
  std::vector<Interval> effects;
  for (const LevelEffect& effect : metric_effects_) {
    Interval ends{kInfinity, -kInfinity};
    for (const auto& [bins, pulls] : place.pulls) {
      ends.lower = std::min(ends.lower, effect.at(bins));
      ends.upper = std::max(ends.upper, effect.at(bins));
    }
    effects.push_back(place.pulls.empty() ? Interval{0.0, 0.0} : ends);
  }
  return effects;
}

/// Calls `ask` with the tree of the context's region, with limits judged in that context.
template <class Ask>
auto Contextual::judged_in(ContextBins bins, const Ask& ask) const {
  return judged_at(places_[place_of(bins)], metric_effects_at(bins), ask);
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
  last_asked_bins_ = seen.bins;
  Adaptive& tree = *places_[seen.place].tree;
  tree.judge_limits_at(metric_effects_at(seen.bins));
  return issue(seen.place, tree.ask(1));
}

Ticket Contextual::skip_ticket(Context context) {
  last_asked_bins_ = see(context).bins;
  return ++newest_;
}

/// Uses the context of the last ask.
Pull Contextual::ask_again() {
  const std::size_t place = place_of(last_asked_bins_);
  return issue(place, places_[place].tree->ask_again());
}

/// Issues a pull of a region's tree under a ticket of this optimizer.
Pull Contextual::issue(std::size_t place, Pull of_tree) {
  Open& open = open_[++newest_];
  open = {place, of_tree.ticket, last_asked_bins_, {of_tree.arm.begin(), of_tree.arm.end()}};
  of_tree.ticket = newest_;
  of_tree.arm = open.arm;
  places_[place].tree->interrupt();  // the next pull may be in another context
  if (!std::ranges::equal(last_arm_, of_tree.arm)) {
    last_arm_.assign(of_tree.arm.begin(), of_tree.arm.end());
    ++switches_;
  }
  return of_tree;
}

// --- telling ---------------------------------------------------------------------------------

/// The reason why a ticket is not open.
Status Contextual::absence(Ticket ticket) const {
  return ticket == 0 || ticket > newest_ ? Status::unknown_ticket : Status::closed_ticket;
}

/// Calls tell(place, open) for an open ticket.
template <class Tell>
Status Contextual::told(Ticket ticket, const Tell& tell) {
  const auto found = open_.find(ticket);
  if (found == open_.end()) return absence(ticket);
  const Open open = found->second;
  Place& place = places_[open.place];
  place.tree->set_level_effect(effect_.at(open.bins));
  const Status status = tell(place, open);
  if (!is_taken(status)) return status;
  place.tree->interrupt();
  open_.erase(found);
  ++place.pulls[open.bins];
  ++told_;
  step_if_due();
  return status;
}

Status Contextual::tell(Ticket ticket, double reward) {
  return tell(ticket, Rewards::one(reward));
}

Status Contextual::tell(Ticket ticket, std::span<const double> rewards) {
  if (!open_.contains(ticket)) return absence(ticket);
  if (rewards.size() > 1) return Status::too_many_rewards;
  return rewards.empty() ? Status::ok : tell(ticket, rewards[0]);
}

Status Contextual::tell(Ticket ticket, const Rewards& rewards) {
  return told(ticket, [&](Place& place, const Open& open) {
    const Status status = counted(place, [&] { return place.tree->tell(open.ticket, rewards); });
    if (status == Status::ok) {
      keep(place, open.bins, open.arm, place.tree->reward_map().to_mapped(rewards));
    }
    return status;
  });
}

/// Calls tell() of a tree, and counts rewards out of range. The trees' own counts cannot be added
/// up, because after a split both parts include the rewards of the whole.
template <class Tell>
Status Contextual::counted(const Place& place, const Tell& tell) {
  if (!objective_.reward_range) return tell();
  const std::uint64_t before = place.tree->summary().out_of_range;
  const Status status = tell();
  out_of_range_ += place.tree->summary().out_of_range - before;
  return status;
}

/// Adds rewards, in mapped units, to those of a region.
void Contextual::keep(Place& place, ContextBins bins, Arm arm, const Rewards& rewards) {
  place.known += rewards.count;
  place.rewards[{arm.begin(), arm.end()}][bins] += rewards;
}

Status Contextual::penalize(Ticket ticket, double reward) {
  return told(ticket, [&](Place& place, const Open& open) {
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

/// The worst failure reward of all regions.
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
  const ContextBins bins = bins_in(context);
  Place& place = places_[place_of(bins)];
  place.tree->set_level_effect(effect_.at(bins));
  const Status status = counted(place, [&] { return place.tree->observe(arm, rewards); });
  if (status != Status::ok) return status;  // the state is unchanged
  (void)see(context);
  place.tree->interrupt();
  observed_ += rewards.count;
  keep(place, bins, arm, place.tree->reward_map().to_mapped(rewards));
  step_if_due();
  return status;
}

Status Contextual::remember(Arm /*arm*/, const Rewards& /*rewards*/) {
  return Status::needs_context;
}

Status Contextual::measure(Ticket ticket, Arm arm, const Metrics& metrics) {
  if (ticket == 0) return Status::needs_context;
  const auto found = open_.find(ticket);
  if (found == open_.end()) return absence(ticket);
  const Open& open = found->second;
  return learn_metrics(places_[open.place], open.bins, open.ticket, arm, metrics);
}

Status Contextual::measure_in(Context context, Arm arm, const Metrics& metrics) {
  const ContextBins bins = bins_in(context);
  return learn_metrics(places_[place_of(bins)], bins, 0, arm, metrics);
}

Status Contextual::learn_metrics(Place& place, ContextBins bins, Ticket of_tree, Arm arm,
                                 const Metrics& metrics) {
  std::vector<double> effects;
  for (const LevelEffect& effect : metric_effects_) effects.push_back(effect.at(bins));
  place.tree->set_metric_effects(std::move(effects));
  const Status status = place.tree->measure(of_tree, arm, metrics);
  if (!is_taken(status)) return status;
  for (std::size_t i = 0; i < objective_.limits.size(); ++i) {
    const Limit& limit = objective_.limits[i];
    const auto found = metrics.find(limit.metric);
    if (found == metrics.end()) continue;
    Measured& measured = place.metrics[i];
    measured.values[{arm.begin(), arm.end()}][bins] += Rewards::one(found->second);
    if (limit.room(found->second) < 0.0) ++measured.beyond[bins];
  }
  return status;
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
  if (found == open_.end()) return absence(ticket);
  const Status status = places_[found->second.place].tree->drop(found->second.ticket);
  if (status == Status::ok) open_.erase(found);
  return status;
}

void Contextual::finish() {
  for (const Place& place : places_) {
    if (place.tree) place.tree->finish();
  }
}

// --- queries ---------------------------------------------------------------------------------

namespace {

/// Removes the model's interval, which is for the level without the effect of the context.
std::optional<Best> without_model(std::optional<Best> best) {
  if (best) best->by_model.reset();
  return best;
}

}  // namespace

std::optional<Best> Contextual::best() const {
  return without_model(judged_in(last_bins_, [](const Adaptive& tree) { return tree.best(); }));
}

std::optional<Best> Contextual::best_in(Context context) const {
  return without_model(
      judged_in(bins_in(context), [](const Adaptive& tree) { return tree.best(); }));
}

std::optional<Best> Contextual::nearest() const {
  return without_model(judged_in(last_bins_, [](const Adaptive& tree) { return tree.nearest(); }));
}

std::optional<Best> Contextual::nearest_in(Context context) const {
  return without_model(
      judged_in(bins_in(context), [](const Adaptive& tree) { return tree.nearest(); }));
}

std::vector<LimitCheck> Contextual::limit_checks(Arm arm) const {
  return judged_in(last_bins_, [&](const Adaptive& tree) { return tree.limit_checks(arm); });
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
    if (!all.fitting_range) all.fitting_range = own.fitting_range;
  }
  all.t = told_ + 1;
  all.out_of_range = out_of_range_;
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
  if (!pull) return std::nullopt;
  pull->ticket = ticket;
  pull->arm = found->second.arm;
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
      place.pulls.clear();
      place.metrics.clear();
      place.known = 0;
      for (const BinSet own : {bins.at(variable) & ~right, right}) {
        Place& part = places_.emplace_back(new_place());
        part.bins = bins;
        part.bins.at(variable) = own;
        part.tree = std::make_unique<Adaptive>(partition_, options_, objective_);
      }
      continue;
    }
    std::string tree = state.restoring() ? std::string() : place.tree->save();
    state.nested(tree);
    if (state.restoring()) place.tree->restore(tree);
    state(place.rewards, place.pulls, place.known, place.tested_at, place.metrics);
  }
  for (LevelEffect& effect : metric_effects_) state(effect);
  state(effect_, open_, newest_, told_, next_step_, last_bins_, last_asked_bins_, last_arm_,
        switches_, observed_, penalized_, out_of_range_, moved_);
  if (!state.restoring()) return;
  State::require(places_.size() == count && State::are_sizes({next_step_}) &&
                 contexts_.has(last_bins_) && contexts_.has(last_asked_bins_));
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto are_here = [&](ContextBins bins) {
      return contexts_.has(bins) && place_of(bins) == i;
    };
    const auto require_sense = [&](const RewardsByContext& values) {
      for (const auto& [arm, by_context] : values) {
        State::require(partition_->contains(arm) && !by_context.empty());
        for (const auto& [bins, rewards] : by_context) {
          State::require(are_here(bins) && rewards.count != 0);
        }
      }
    };
    require_sense(places_[i].rewards);
    State::require(!places_[i].tree || places_[i].metrics.size() == objective_.limits.size());
    for (const Measured& measured : places_[i].metrics) {
      require_sense(measured.values);
      for (const auto& [bins, times] : measured.beyond) State::require(are_here(bins));
    }
    for (const auto& [bins, pulls] : places_[i].pulls) State::require(are_here(bins));
  }
  for (const auto& [ticket, open] : open_) {
    State::require(ticket <= newest_ && contexts_.has(open.bins) &&
                   place_of(open.bins) == open.place);
    const std::optional<Pull> pull = places_[open.place].tree->pull_of(open.ticket);
    State::require(pull && std::ranges::equal(pull->arm, open.arm));
  }
}

std::unique_ptr<Optimizer> Contextual::clone() const {
  return std::make_unique<Contextual>(*this);
}

}  // namespace canopy
