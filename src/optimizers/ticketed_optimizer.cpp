#include "canopy/detail/ticketed_optimizer.hpp"

#include "canopy/confidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace canopy {
namespace {

/// With this many rewards an arm can overrule a model: its interval uses only its own variance.
constexpr std::uint64_t kEnoughToOverrule = 16;

}  // namespace

TicketedOptimizer::TicketedOptimizer(const Objective& objective, std::size_t dimension)
    : map_(objective),
      evidence_(dimension, objective.confidence),
      limits_(objective.limits),
      metrics_(objective.limits.size(), Evidence(dimension, objective.confidence)),
      range_is_hard_(objective.hard_range),
      range_(objective.reward_range),
      next_range_(range_) {
  evidence_.set_range(range_, range_is_hard_);
  if (range_) scale_ = (*range_)[1] - (*range_)[0];
}

// --- telling ---------------------------------------------------------------------------------

bool TicketedOptimizer::passes_over(Tickets::Open& ticket, std::uint64_t pulls) {
  const NodeIndex node = ticket.node;
  if (record_pulls(node, pulls)) return false;
  tickets_.use(ticket, pulls);
  t_ += pulls;
  pass_over(node, pulls);
  return true;
}

void TicketedOptimizer::pass_on(Tickets::Open& ticket, const Rewards& mapped) {
  after_evidence();
  const NodeIndex node = ticket.node;
  tickets_.use(ticket, mapped.count);
  t_ += mapped.count;
  accept(node, mapped);
}

Status TicketedOptimizer::tell(Ticket ticket, double reward) {
  Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return tickets_.absence(ticket);
  if (!RewardMap::usable(map_.to_mapped(reward))) return Status::not_a_reward;
  if (passes_over(*open, 1)) return Status::passed_over;
  note_origin(reward);
  evidence_.add(arm_of(open->node), reward);
  pass_on(*open, Rewards::one(map_.to_mapped(reward)));
  return Status::ok;
}

Status TicketedOptimizer::tell(Ticket ticket, std::span<const double> rewards) {
  Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return tickets_.absence(ticket);
  if (rewards.size() > open->remaining) return Status::too_many_rewards;
  if (rewards.empty()) return Status::ok;
  for (const double reward : rewards) {
    if (!RewardMap::usable(map_.to_mapped(reward))) return Status::not_a_reward;
  }
  if (passes_over(*open, rewards.size())) return Status::passed_over;
  note_origin(rewards.front());
  std::vector<double> mapped;
  mapped.reserve(rewards.size());
  evidence_.turn_to(arm_of(open->node));
  for (const double reward : rewards) {
    mapped.push_back(map_.to_mapped(reward));
    evidence_.add(reward);
  }
  pass_on(*open, Rewards::of(mapped));
  return Status::ok;
}

Status TicketedOptimizer::tell(Ticket ticket, const Rewards& rewards) {
  Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return tickets_.absence(ticket);
  if (rewards.count > open->remaining) return Status::too_many_rewards;
  if (const Status status = check(rewards, map_); status != Status::ok) return status;
  if (passes_over(*open, rewards.count)) return Status::passed_over;
  note_origin(rewards.mean());
  evidence_.add(arm_of(open->node), rewards);
  pass_on(*open, map_.to_mapped(rewards));
  return Status::ok;
}

void TicketedOptimizer::accept_penalty(NodeIndex node, double mapped) {
  accept(node, Rewards::one(mapped));
}

void TicketedOptimizer::accept_bar(Arm arm, double mapped, std::uint64_t weight) {
  accept_observed(arm, {weight, static_cast<double>(weight) * mapped, 0.0, mapped, mapped});
}

Status TicketedOptimizer::penalize(Ticket ticket, double reward) {
  Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return tickets_.absence(ticket);
  if (!RewardMap::usable(map_.to_mapped(reward))) return Status::not_a_reward;
  note_origin(reward);
  const NodeIndex node = open->node;
  ++penalties_[{arm_of(node).begin(), arm_of(node).end()}].weight;
  ++penalized_;
  tickets_.use(*open, 1);
  ++t_;
  accept_penalty(node, map_.to_mapped(reward));
  return tickets_.find(ticket) != nullptr ? drop(ticket) : Status::ok;
}

Status TicketedOptimizer::bar(Arm arm, double reward) {
  if (!contains(arm)) return Status::not_an_arm;
  if (!RewardMap::usable(map_.to_mapped(reward))) return Status::not_a_reward;
  note_origin(reward);
  evidence_.bar(arm);
  Penalty& penalty = penalties_[{arm.begin(), arm.end()}];
  const auto known = evidence_.find(arm);
  const std::uint64_t pulls = known ? evidence_.estimate(*known).pulls : 0;
  std::uint64_t weight = std::max<std::uint64_t>(1, penalty.weight + pulls);
  if (std::exchange(penalty.barred,
                    true)) {  // barred before: only rewards since then are outweighed
    weight = pulls - std::min(pulls, penalty.weight);
    if (weight == 0) return Status::ok;
  }
  penalty.weight += weight;
  accept_bar(arm, map_.to_mapped(reward), weight);
  return Status::ok;
}

std::optional<double> TicketedOptimizer::failure_reward() const {
  Evidence now = evidence_;
  now.absorb();
  if (now.size() == 0 && !(now.min() <= now.max())) return std::nullopt;
  double low = now.min();
  double high = now.max();
  if (!(low <= high)) low = high = now.mean(0);  // only remembered rewards so far
  const bool minimizes = map_.minimizes();
  const double worst = minimizes ? high : low;
  // If all rewards are equal, the spread is taken from the reward's size.
  double spread = high - low;
  if (spread == 0.0) spread = worst == 0.0 ? 1.0 : std::abs(worst);
  return minimizes ? worst + 0.1 * spread : worst - 0.1 * spread;
}

bool TicketedOptimizer::is_barred(Arm arm) const {
  if (penalties_.empty()) return false;
  const auto found = penalties_.find({arm.begin(), arm.end()});
  return found != penalties_.end() && found->second.barred;
}

bool TicketedOptimizer::is_excluded(Arm arm) const {
  if (penalties_.empty() || !penalties_.contains({arm.begin(), arm.end()})) return false;
  if (is_barred(arm)) return true;
  return !evidence_.knows(arm);
}

Status TicketedOptimizer::check_arm(Arm arm, const Rewards& rewards) const {
  return contains(arm) ? check(rewards, map_) : Status::not_an_arm;
}

Status TicketedOptimizer::observe(Arm arm, const Rewards& rewards) {
  if (const Status status = check_arm(arm, rewards); status != Status::ok) return status;
  note_origin(rewards.mean());
  const std::vector<double> here(evidence_.here().begin(), evidence_.here().end());
  evidence_.add(arm, rewards);
  if (!here.empty()) evidence_.turn_to(here);  // the next rewards are of this arm
  after_evidence();
  observed_ += rewards.count;
  accept_observed(arm, map_.to_mapped(rewards));
  return Status::ok;
}

Status TicketedOptimizer::remember(Arm arm, const Rewards& rewards) {
  if (const Status status = check_arm(arm, rewards); status != Status::ok) return status;
  const std::vector<double> here(evidence_.here().begin(), evidence_.here().end());
  evidence_.add_apart(arm, rewards);
  if (!here.empty()) evidence_.turn_to(here);
  return Status::ok;
}

void TicketedOptimizer::forget_arms(bool level_moves) {
  evidence_.start_anew(level_moves);
  for (auto& [arm, penalty] : penalties_)
    penalty.weight = 0;  // no rewards are left to be outweighed
  since_ = t_ - 1;
}

// --- metrics ---------------------------------------------------------------------------------

Status TicketedOptimizer::measure(Ticket ticket, Arm arm, const Metrics& metrics) {
  if (!contains(arm)) return Status::not_an_arm;
  for (const auto& [name, value] : metrics) {
    if (!RewardMap::usable(value)) return Status::not_a_reward;
  }
  bool has_limit = false;
  std::vector<double> values(limits_.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const auto found = metrics.find(limits_[i].metric);
    if (found == metrics.end()) continue;
    values[i] = found->second;
    has_limit = true;
  }
  if (has_limit) accept_metrics(ticket, arm, values);
  return Status::ok;
}

void TicketedOptimizer::accept_metrics(Ticket /*ticket*/, Arm arm,
                                       const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    metrics_[i].add(arm, values[i]);
    metrics_[i].absorb();
  }
  bar_broken_arms(arm);
}

/// An arm's measurements may change the estimated noise of a metric, so all arms are checked. A
/// barred arm that is measured again is barred again, to outweigh its new rewards.
void TicketedOptimizer::bar_broken_arms(Arm measured) {
  const std::optional<double> reward = failure_reward();
  if (!reward) return;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const Evidence& metric = metrics_[i];
    for (std::size_t j = 0; j < metric.size(); ++j) {
      const bool is_broken = metric.has_no_noise()
                                 ? limits_[i].room(metric.mean(j)) < 0.0
                                 : limits_[i].is_surely_broken(metric.borrowed_interval(j));
      const std::vector<double> arm(metric.arm(j).begin(), metric.arm(j).end());
      const bool is_here = std::equal(arm.begin(), arm.end(), measured.begin(), measured.end());
      if (is_broken && (is_here || !is_barred(arm))) (void)bar(arm, *reward);
    }
  }
}

std::vector<LimitCheck> TicketedOptimizer::limit_checks(Arm arm) const {
  std::vector<LimitCheck> checks;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const Evidence& metric = metrics_[i];
    const auto index = metric.find(arm);
    if (!index) continue;
    const double mean = metric.mean(*index);
    const double room = limits_[i].room(mean);
    const double range = metric.max() - metric.min();
    const auto pulls = static_cast<double>(metric.pulls(*index));
    // Without repeats, assumes a sixteenth of the squared range.
    const double noise = metric.noise() > 0.0 ? metric.noise() : range * range / 16.0;
    double deviations = room / std::sqrt(noise / pulls);
    if (limits_[i].is_at_end(metric.min(), metric.max()) && room >= 0.0) {
      deviations = 0.5 * std::sqrt(pulls);
    } else if (metric.has_no_noise()) {
      deviations = room >= 0.0 ? kInfinity : -kInfinity;
    } else if (noise == 0.0) {  // only a single value was measured
      deviations = room >= 0.0 ? 0.5 : -0.5;
    }
    checks.push_back(check_of(limits_[i], mean, deviations, range, metric.pulls(*index)));
  }
  return checks;
}

Status TicketedOptimizer::drop(Ticket ticket) {
  Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return tickets_.absence(ticket);
  tickets_.close(*open);
  return Status::ok;
}

std::optional<Pull> TicketedOptimizer::pull_of(Ticket ticket) const {
  const Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return std::nullopt;
  return Pull{open->number, arm_of(open->node), open->remaining};
}

std::vector<Pull> TicketedOptimizer::in_flight() const {
  std::vector<Pull> pulls;
  tickets_.for_each_open([&](const Tickets::Open& ticket) {
    pulls.push_back({ticket.number, arm_of(ticket.node), ticket.remaining});
  });
  return pulls;
}

// --- the scale -------------------------------------------------------------------------------

void TicketedOptimizer::set_reward_range(const std::optional<RewardRange>& range) {
  if (range) throw_if_any(range_violations(*range));
  if (!range && range_is_hard_) {
    throw_if_any({{"reward_range", "auto", "must be two numbers, because hard_range is set"}});
  }
  next_range_ = range;
}

bool TicketedOptimizer::update_scale(bool phase_begins) {
  evidence_.absorb();
  if (phase_begins && range_ != next_range_) {
    range_ = next_range_;
    evidence_.set_range(range_, range_is_hard_);
  }
  const double before = scale_;
  has_spread_ = !range_ && has_spread();
  if (range_) {
    scale_ = (*range_)[1] - (*range_)[0];
  } else {
    scale_ = has_spread_ ? evidence_.max() - evidence_.min() : 1.0;
  }
  return scale_ != before;
}

void TicketedOptimizer::count_anew(std::uint64_t pulls) {
  t_ = pulls + 1;
  scale_until_ = std::min(scale_until_, phase_end(t_));
}

bool TicketedOptimizer::update_scale_if_due() {
  const bool begins = t_ >= scale_until_;
  if (begins) scale_until_ = phase_end(t_);
  return (begins || scale_is_due()) && update_scale(begins);
}

// --- queries ---------------------------------------------------------------------------------

std::optional<Evidence> TicketedOptimizer::evidence() const {
  Evidence now = evidence_;  // works on a copy: reading must not end a batch
  for (const auto& [arm, penalty] : penalties_) {
    if (penalty.barred) now.bar(arm);  // it may have got rewards since it was barred
  }
  now.absorb();
  return now;
}

/// Protects against a wrong model: if the interval of another arm is entirely better than that of
/// the model's choice, and both use only their own variance, that arm is recommended instead.
std::size_t TicketedOptimizer::insured(const Evidence& now, std::size_t modelled) const {
  const bool minimizes = map_.minimizes();
  const ArmEstimate chosen = now.estimate(modelled);
  std::size_t best = modelled;
  double end = minimizes ? -chosen.interval.lower : chosen.interval.upper;
  if (chosen.assumes == Assumption::none || chosen.assumes == Assumption::noise_as_elsewhere) {
    return best;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double mean = minimizes ? -now.mean(i) : now.mean(i);
    if (now.pulls(i) < kEnoughToOverrule || !(mean > end) || now.is_barred(i)) continue;
    const ArmEstimate known = now.estimate(i);
    const double bound = minimizes ? -known.interval.upper : known.interval.lower;
    if (known.assumes == Assumption::noise_as_elsewhere || !(bound > end)) continue;
    best = i;
    end = bound;
  }
  return best;
}

std::pair<std::optional<std::size_t>, Best::Basis> TicketedOptimizer::choose_best(
    const Evidence& now, const std::optional<Recommendation>& own) const {
  const bool minimizes = map_.minimizes();
  if (now.has_no_noise()) return {now.best_mean(minimizes), Best::Basis::no_noise};
  const auto known = own ? now.find(own->arm) : std::nullopt;
  if (own && own->by_model) {
    if (!known) return {std::nullopt, Best::Basis::model};
    const std::size_t chosen = insured(now, *known);
    return {chosen, chosen == *known ? Best::Basis::model : Best::Basis::interval};
  }
  if (const auto safest = now.safest(minimizes)) return {safest, Best::Basis::interval};
  return {own ? known : now.most_pulled(minimizes), Best::Basis::repeats_few};
}

/// The evidence with arms barred that must not be recommended, as limits take precedence over
/// rewards.
Evidence TicketedOptimizer::recommendable() const {
  Evidence now = *evidence();
  if (limits_.empty()) return now;
  const auto deviations_of = [&](std::size_t index) {
    const std::vector<LimitCheck> checks = limit_checks(now.arm(index));
    const LimitCheck* worst = worst_of(checks);
    if (worst == nullptr) return kInfinity;
    return worst->deviations;
  };
  std::vector<double> deviations;
  std::vector<double> of_repeated;
  for (std::size_t i = 0; i < now.size(); ++i) {
    deviations.push_back(now.is_barred(i) ? -kInfinity : deviations_of(i));
    if (now.pulls(i) >= 2) of_repeated.push_back(deviations.back());
  }
  double required = required_deviations(of_repeated);
  if (required == kInfinity) required = required_deviations(deviations);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (deviations[i] < required || required == kInfinity) now.bar(now.arm(i));
  }
  return now;
}

std::optional<Best> TicketedOptimizer::best() const {
  const Evidence now = recommendable();
  std::optional<Recommendation> own = recommendation();
  if (own) {
    const auto known = now.find(own->arm);
    if (is_excluded(own->arm) || (known && now.is_barred(*known))) own.reset();
  }
  const bool is_known_since = now.most_pulled(map_.minimizes()).has_value();
  // There are no rewards, or all arms are barred.
  if (!is_known_since && !(since_ && own && own->by_model)) return std::nullopt;
  const auto [index, basis] = choose_best(now, own);
  return described(now, index, basis, own);
}

std::optional<Best> TicketedOptimizer::nearest() const {
  if (limits_.empty() || best()) return std::nullopt;
  const Evidence now = *evidence();
  std::optional<std::size_t> nearest;
  double least = kInfinity;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::vector<LimitCheck> checks = limit_checks(now.arm(i));
    if (checks.empty()) continue;
    double excess = 0.0;
    for (const LimitCheck& check : checks) excess += check.excess;
    if (nearest && !(excess < least)) continue;
    least = excess;
    nearest = i;
  }
  if (!nearest) return std::nullopt;
  return described(now, nearest, Best::Basis::least_broken, std::nullopt);
}

/// Describes a recommended arm; without an index, one that was never played.
Best TicketedOptimizer::described(const Evidence& now, std::optional<std::size_t> index,
                                  Best::Basis basis,
                                  const std::optional<Recommendation>& own) const {
  const bool minimizes = map_.minimizes();
  Best best;
  best.confidence = now.level();
  best.rare_extremes = now.has_rare_extremes();
  best.arms = now.size();
  best.basis = basis;
  best.since = since_;
  best.level_moves = now.level_moves();
  if (index) {
    const ArmEstimate known = now.estimate(*index);
    best.arm.assign(now.arm(*index).begin(), now.arm(*index).end());
    best.mean = known.mean;
    if (now.level_moves() && own && own->by_model) best.mean = map_.to_user(own->mean);
    best.lower = known.interval.lower;
    best.upper = known.interval.upper;
    best.assumes = known.assumes;
    best.pulls = known.pulls;
  } else {
    best.arm.assign(own->arm.begin(), own->arm.end());
    best.mean = map_.to_user(own->mean);
    best.pulls = since_ ? 0 : static_cast<std::uint64_t>(own->pulls);
  }
  const Evidence::Others others = now.others(index.value_or(now.size()), minimizes);
  best.rivals = others.rivals;
  best.unknown = others.unknown;
  best.limits = limit_checks(best.arm);
  if (basis == Best::Basis::no_noise) {
    best.all_alike = now.size() > 1 && best.mean == now.mean(*now.best_mean(!minimizes));
  }
  if (own && !std::equal(own->arm.begin(), own->arm.end(), best.arm.begin(), best.arm.end())) {
    best.own.assign(own->arm.begin(), own->arm.end());
  }
  const bool model_applies =
      index && basis != Best::Basis::no_noise && !now.level_moves() && now.is_about_normal(*index);
  if (const auto by_model = model_applies ? model_interval(best.arm) : std::nullopt) {
    const auto [low, high] =
        std::minmax({map_.to_user(by_model->lower), map_.to_user(by_model->upper)});
    best.by_model = Interval{low, high};
  }
  return best;
}

std::optional<ArmEstimate> TicketedOptimizer::estimate(Arm arm) const {
  Evidence now = evidence_;
  now.absorb();
  const auto index = now.find(arm);
  return index ? std::optional(now.estimate(*index)) : std::nullopt;
}

std::vector<NodeView> TicketedOptimizer::in_user_units(std::vector<NodeView> nodes) const {
  for (NodeView& node : nodes) {
    if (node.pulls != 0) node.mean = map_.to_user(node.mean);
    node.upper = map_.to_user(node.upper);
    node.bound = map_.to_user(node.bound);
    if (node.model) {
      const auto [low, high] =
          std::minmax({map_.to_user(node.model->lower), map_.to_user(node.model->upper)});
      node.model = Interval{low, high};
    }
  }
  return nodes;
}

Summary TicketedOptimizer::basic_summary() const {
  return {.t = t_,
          .out_of_range = evidence_.out_of_range(),
          .in_flight = tickets_.in_flight(),
          .observed = observed_,
          .penalized = penalized_,
          // A range that takes effect in the next phase has not been checked yet.
          .fitting_range = range_ == next_range_ ? evidence_.fitting_range() : std::nullopt};
}

// --- state -----------------------------------------------------------------------------------

std::string TicketedOptimizer::save() {
  State state;
  transfer(state);
  return state.text();
}

void TicketedOptimizer::restore(std::string_view saved) {
  State state(saved);
  transfer(state);
  state.end();
}

void TicketedOptimizer::transfer(State& state) {
  const auto transfer_range = [&](std::optional<RewardRange>& range) {
    bool given = range.has_value();
    state(given);
    if (state.restoring()) range = given ? std::optional(std::array{0.0, 0.0}) : std::nullopt;
    if (!given) return;
    state((*range)[0], (*range)[1]);
    state.require_restored(range_violations(*range).empty());
  };
  state(t_, observed_, penalized_, tickets_, map_, evidence_, scale_, has_spread_, scale_until_,
        penalties_, since_);
  for (Evidence& metric : metrics_) state(metric);
  transfer_range(range_);
  transfer_range(next_range_);
  if (!state.restoring()) return;
  State::require(t_ >= 1 && t_ <= Tickets::kLast && State::are_finite({scale_}) && scale_ > 0.0);
  State::require(evidence_.here().empty() || contains(evidence_.here()));
  for (std::size_t i = 0; i < evidence_.size(); ++i) State::require(contains(evidence_.arm(i)));
  for (const auto& [arm, penalty] : penalties_) State::require(contains(arm));
}

void TicketedOptimizer::require_nodes(const std::function<bool(NodeIndex)>& is_node) const {
  tickets_.for_each_open(
      [&](const Tickets::Open& ticket) { State::require(is_node(ticket.node)); });
}

void TicketedOptimizer::require_nodes_below(std::uint64_t end) const {
  require_nodes([end](NodeIndex node) { return node < end; });
}

}  // namespace canopy
