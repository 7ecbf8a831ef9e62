// Limits of the adaptive tree: models of the metrics, and their use in judging cells.
// docs/adaptive.md has the formulas.

#include "canopy/adaptive.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

/// Learns one pull's metrics, unless the system had not settled.
void Adaptive::accept_metrics(Ticket ticket, Arm arm, const std::vector<double>& values) {
  const std::optional<NodeIndex> owner = model_.find(arm);
  const Tree& tree = model_.tree();
  if (const Tickets::Open* open = tickets_.find(ticket)) {
    const auto cell = tree.cell(open->node);
    if (!metrics_settling_.play(tree.partition(), cell, arm, 1)) return;
  }
  bool is_far = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double effect = metric_effects_.empty() ? 0.0 : metric_effects_[i];
    metrics_[i].observe(arm, Rewards::one(values[i] - effect));
    if (limits()[i].room(values[i]) < 0.0) ++beyond_[i];
    is_far = is_far || limits()[i].is_far_broken_by(values[i]);
  }
  if (!has_begun_) return;
  if (!owner || !tree[*owner].is_leaf()) {
    pass();
    return;
  }
  for (AdaptiveModel& metric : metrics_) metric.update(*owner);
  set_bound(*owner);
  if (tree.has_arm(turn_.node, arm)) {
    turn_.is_beyond = turn_.is_beyond || is_far || beyond_limits(*owner, 0.0) > 0.0;
  }
}

/// The context's effect on a metric of that level that brings it closest to its limit, or furthest
/// beyond.
double Adaptive::judged_effect(std::size_t metric, double level) const {
  const auto& [low, high] = judged_effects_[metric];
  const Limit& limit = limits()[metric];
  return low == high || limit.room(level + low) <= limit.room(level + high) ? low : high;
}

/// Recomputes bounds when limits are judged in other contexts.
void Adaptive::judge_anew() {
  const auto are_alike = [](const Interval& a, const Interval& b) {
    return a.lower == b.lower && a.upper == b.upper;
  };
  if (std::ranges::equal(bound_effects_, judged_effects_, are_alike)) return;
  bound_effects_ = judged_effects_;
  if (turn_.unissued != 0) finish();
  if (has_begun_) set_bounds();
}

bool Adaptive::is_limit_at_stake(std::size_t metric, const Interval& effects) const {
  const Limit& limit = limits()[metric];
  const AdaptiveModel& model = metrics_[metric];
  bool is_kept = false;
  bool is_broken = false;
  for (NodeIndex i = 0; i < model.tree().size(); ++i) {
    const Node& node = model.tree()[i];
    if (node.pulls == 0.0) continue;
    for (const double effect : {effects.lower, effects.upper}) {
      const bool keeps = limit.room(node.level + effect) >= 0.0;
      is_kept = is_kept || keeps;
      is_broken = is_broken || !keeps;
    }
  }
  return is_kept && is_broken;
}

/// Whether an arm's metric is at a limit, and no measured value was strictly within that limit.
bool Adaptive::is_at_end(std::size_t metric, const AdaptiveModel::Posterior& known) const {
  const Limit& limit = limits()[metric];
  return known.pulls > 0.0 && room(metric, known.mean) >= 0.0 &&
         limit.is_at_end(metrics_[metric].smallest(), metrics_[metric].largest());
}

/// The distance of a node beyond its limits, in spreads of the metrics, reduced by `favour`
/// standard deviations. 0: it may keep them.
double Adaptive::beyond_limits(NodeIndex node, double favour, JudgedBy by) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (!metrics_[i].has_seen_any()) continue;
    const AdaptiveModel::Posterior known = metrics_[i].at(node);
    const double more = by == JudgedBy::own_arm ? 0.0 : metrics_[i].tree()[node].below;
    const double reach = favour * std::sqrt(known.variance + more);
    const double beyond = -room(i, known.level) - reach;
    if (beyond > 0.0 && !is_at_end(i, known)) sum += beyond / metrics_[i].spread();
  }
  return sum;
}

/// Whether a leaf breaks its limits, but each of the metrics concerned is known more precisely than
/// it varies within the cell, so that parts of the cell may keep them.
bool Adaptive::only_parts_may_keep_limits(NodeIndex leaf) const {
  bool is_beyond = false;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (!metrics_[i].has_seen_any()) continue;
    const AdaptiveModel::Posterior known = metrics_[i].at(leaf);
    const double reach = kFavour * std::sqrt(known.variance);
    if (-room(i, known.level) - reach <= 0.0 || is_at_end(i, known)) continue;
    if (known.variance > metrics_[i].tree()[leaf].below) return false;
    is_beyond = true;
  }
  return is_beyond && model_.can_cut(leaf);
}

/// Whether the explorer's sweep skips a cell. Covering does not skip any cell, since the model of a
/// metric can be wrong, too.
bool Adaptive::is_passed_by(NodeIndex leaf) const {
  return beyond_limits(leaf, 1.0) > 0.0;
}

/// The distance from the level of a metric to its limit, in standard deviations. If an arm's own
/// values happen to be equal, the noise of all arms bounds the precision.
double Adaptive::deviations(std::size_t metric, const AdaptiveModel::Posterior& known) const {
  if (is_at_end(metric, known)) return 0.5 * std::sqrt(known.pulls);
  const double inflated = std::max(1.0, metrics_[metric].noise_variance() / known.noise);
  const double deviation = std::sqrt(known.variance * inflated);
  return room(metric, known.level) / std::max(deviation, 1e-300);
}

/// Before the first cells have their rewards there is no model: an arm is judged by its own values.
AdaptiveModel::Posterior Adaptive::judged(std::size_t metric,
                                          AdaptiveModel::Posterior known) const {
  if (has_begun_) return known;
  known.level = known.mean;
  known.noise = metrics_[metric].noise_variance();
  known.variance = known.noise / std::max(1.0, known.pulls);
  return known;
}

double Adaptive::least_deviations(NodeIndex node) const {
  double least = kInfinity;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (!metrics_[i].has_seen_any()) continue;
    const AdaptiveModel::Posterior known = judged(i, metrics_[i].at(node));
    if (has_begun_ || known.pulls != 0.0) least = std::min(least, deviations(i, known));
  }
  return least;
}

std::vector<LimitCheck> Adaptive::limit_checks(Arm arm) const {
  std::vector<LimitCheck> checks;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (!metrics_[i].has_seen_any()) continue;
    const AdaptiveModel::Posterior known = judged(i, metrics_[i].at(arm));
    if (!has_begun_ && known.pulls == 0.0) continue;
    const double level = is_at_end(i, known) ? known.mean : known.level;
    checks.push_back(check_of(limits()[i], level + judged_effect(i, level), deviations(i, known),
                              metrics_[i].spread(), static_cast<std::uint64_t>(known.pulls)));
  }
  return checks;
}

Learnt::OfMetric Adaptive::learnt_of(std::size_t metric) const {
  const AdaptiveModel& model = metrics_[metric];
  Learnt::OfMetric learnt{.metric = limits()[metric].metric,
                          .noise = model.noise_deviation(),
                          .smoothness = model.smoothness(),
                          .beyond = beyond_[metric]};
  for (NodeIndex i = 0; i < model.tree().size(); ++i) {
    const Node& node = model.tree()[i];
    learnt.measured += static_cast<std::uint64_t>(node.pulls);
    if (!node.is_leaf() || !model.has_seen_any()) continue;
    const double part = std::exp2(-static_cast<double>(node.depth));
    const double away = deviations(metric, model.at(i));
    if (away >= LimitCheck::kSure) learnt.kept += part;
    if (away <= -LimitCheck::kSure) learnt.broken += part;
  }
  return learnt;
}

}  // namespace canopy
