// The policy that was learnt, as a list of regions with an arm for each.

#include "canopy/contextual.hpp"

#include "optimizers/bin_sets.hpp"

#include <algorithm>
#include <bit>

namespace canopy {

double level_effect(const Policy& policy, const ContextSpace& contexts, Context context) {
  bool is_moved = false;
  const ContextBins bins = contexts.bins_of(contexts.within(context, is_moved));
  double sum = 0.0;
  for (std::size_t k = 0; k < contexts.size(); ++k) {
    sum += policy.effects[k].by_bin[ContextSpace::bin(bins, k)];
  }
  return sum;
}

/// The regions, sorted so that neighbours along the first variable are adjacent, then along the
/// second, and so on.
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
    range.values = contexts_.values_in(variable, bins);
    return range;
  }
  std::size_t first = lowest(bins);
  std::size_t last = highest(bins);
  const bool wraps = contexts_[variable].period != 0.0 && !range.is_everything && first == 0 &&
                     last + 1 == contexts_.bin_count(variable);
  if (wraps) {  // it wraps around the end of the period
    const BinSet others = contexts_.all_bins(variable) & ~bins;
    first = highest(others) + 1;
    last = lowest(others) - 1;
  }
  range.ends = {contexts_.ends(variable, first)[0], contexts_.ends(variable, last)[1]};
  return range;
}

/// Whether two regions are adjacent along one variable. Any two values of a choice are adjacent.
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
  std::optional<Best> best = place.tree->best();
  if (!best) {
    best = place.tree->nearest();
    row.breaks_limits = best.has_value();
  }
  if (!best) return row;
  row.limits = best->limits;
  row.arm = best->arm;
  row.arm_pulls = best->pulls;
  row.mean = best->mean;
  if (best->assumes != Assumption::none) row.interval = Interval{best->lower, best->upper};
  return row;
}

FrozenPolicy Contextual::freeze() const {
  FrozenPolicy policy{.variables = contexts_.size()};
  for (const Place& place : places_) {
    if (!place.tree) continue;
    const std::optional<Best> best = judged_at(place, metric_effects_of(place),
                                               [](const Adaptive& tree) { return tree.best(); });
    policy.rows.push_back({place.bins, best ? best->arm : std::vector<double>()});
  }
  return policy;
}

std::optional<Policy> Contextual::policy() const {
  Policy policy;
  const std::vector<std::size_t> regions = regions_in_order();
  for (const std::size_t region : regions) {
    const Place& place = places_[region];
    policy.rows.push_back(judged_at(place, metric_effects_of(place),
                                    [&](const Adaptive& /*tree*/) { return row_of(place); }));
  }
  const bool minimizes = objective_.direction == Direction::minimize;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Place& place = places_[regions[i]];
    PolicyRow& row = policy.rows[i];
    for (std::size_t j = 0; j < regions.size(); ++j) {
      if (i == j || policy.rows[j].arm.empty() || row.arm.empty()) continue;
      if (!are_neighbours(place, places_[regions[j]])) continue;
      // Excluded: its whole interval here is worse.
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

}  // namespace canopy
