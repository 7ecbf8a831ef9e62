// When regions are tested, and how they are split.

#include "canopy/contextual.hpp"

#include "optimizers/bin_sets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace canopy {
namespace {

constexpr std::uint64_t kFewestRewards = 16;  // fewest rewards of a tested region
constexpr double kSplitEvidence = 2.0;        // nats that a split must gain, plus the logarithm of
                                              // the number of variables
constexpr std::size_t kShortList = 8;         // up to this many values, every border is tested
constexpr int kQuantiles = 4;

}  // namespace

void Contextual::step_if_due() {
  const auto known = static_cast<double>(told_ + observed_);
  if (known < next_step_) return;
  next_step_ = std::max(known + 4.0, known * (known < 1000.0 ? 1.1 : 1.25));
  if (places_[0].tree && !places_[0].tree->has_begun()) return;
  for (const Place& place : places_) {
    if (place.tree) place.tree->update_model();
  }
  fit_effect();
  for (std::size_t i = 0; i < metric_effects_.size(); ++i) fit_metric_effect(i);
  for (std::size_t i = 0; i < places_.size(); ++i) {  // includes regions added by a split
    if (places_[i].tree) split_if_it_pays(i);
  }
}

void Contextual::fit_effect() {
  std::vector<LevelEffect::TreeData> trees;
  for (const Place& place : places_) {
    if (place.tree) trees.push_back({&place.tree->model(), &place.rewards});
  }
  if (!effect_.fit(trees)) return;
  for (const Place& place : places_) {
    if (place.tree) place.tree->relearn(less_effect(place.rewards, effect_));
  }
}

void Contextual::fit_metric_effect(std::size_t metric) {
  if (is_at_end(metric)) return;
  std::vector<LevelEffect::TreeData> trees;
  for (const Place& place : places_) {
    if (place.tree) {
      trees.push_back({&place.tree->metric_model(metric), &place.metrics[metric].values});
    }
  }
  LevelEffect& effect = metric_effects_[metric];
  if (!effect.fit(trees)) return;
  for (const Place& place : places_) {
    if (!place.tree) continue;
    place.tree->relearn_metric(metric, less_effect(place.metrics[metric].values, effect));
  }
}

/// Whether the limit of a metric is the best value measured, as for a limit of 0 errors:
/// subtracting a level effect would hide that.
bool Contextual::is_at_end(std::size_t metric) const {
  double smallest = kInfinity;
  double largest = -kInfinity;
  for (const Place& place : places_) {
    if (!place.tree) continue;
    for (const auto& [arm, by_context] : place.metrics[metric].values) {
      for (const auto& [bins, values] : by_context) {
        smallest = std::min(smallest, values.min);
        largest = std::max(largest, values.max);
      }
    }
  }
  return objective_.limits[metric].is_at_end(smallest, largest);
}

Adaptive::RewardsOfArms Contextual::less_effect(const RewardsByContext& rewards,
                                                const LevelEffect& effect) {
  Adaptive::RewardsOfArms learnt;
  for (const auto& [arm, by_context] : rewards) learnt[arm] = effect.without(by_context);
  return learnt;
}

void Contextual::split_if_it_pays(std::size_t index) {
  Place& place = places_[index];
  if (place.known == place.tested_at || place.known < kFewestRewards) return;
  place.tested_at = place.known;
  // A split may be justified because the two sides have different best arms, or because different
  // arms keep a limit that is at stake.
  std::vector<SplitTest> tests{{place.tree->model(), place.rewards, effect_}};
  const std::vector<Interval> effects = metric_effects_of(place);
  for (std::size_t i = 0; i < metric_effects_.size(); ++i) {
    if (!place.tree->is_limit_at_stake(i, effects[i])) continue;
    tests.emplace_back(place.tree->metric_model(i), place.metrics[i].values, metric_effects_[i]);
  }
  const auto tried = static_cast<double>(contexts_.size() * tests.size());
  ScoredSplit best{.evidence = kSplitEvidence + std::log(tried)};
  for (std::size_t k = 0; k < contexts_.size(); ++k) {
    const std::vector<ContextSplit> splits = candidates(place, k);
    for (const SplitTest& test : tests) {
      const ScoredSplit of_variable = best_of(test, splits, place, k);
      if (of_variable.evidence > best.evidence) best = of_variable;
    }
  }
  if (best.split.right != 0) split(index, best);
}

/// The split of a variable with the most evidence in a test.
Contextual::ScoredSplit Contextual::best_of(const SplitTest& test,
                                            const std::vector<ContextSplit>& splits,
                                            const Place& place, std::size_t variable) const {
  ScoredSplit best;
  for (const ContextSplit& split : splits) {
    const double evidence = test.gain(split).value_or(-kInfinity);
    if (evidence > best.evidence) best = {split, evidence};
  }
  if (is_short_list(place, variable) && !contexts_[variable].domain.is_ordered()) {
    regroup(test, place.bins.at(variable), best);
    best.evidence -= extra_evidence(std::popcount(place.bins.at(variable)));
  }
  return best;
}

/// The additional evidence required for a group of values. By chance, the best of all groups
/// exceeds the best of three thresholds; the number of groups determines by how much.
double Contextual::extra_evidence(int values) {
  return 0.5 * std::log(std::max(1.0, (std::ldexp(1.0, values - 1) - 1.0) / 3.0));
}

/// Moves single values to the other side as long as that gains evidence: choices have no order, so
/// any group of values may have a best arm of its own.
void Contextual::regroup(const SplitTest& test, BinSet bins, ScoredSplit& best) {
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

/// Returns thresholds near the quartiles of the rewards of a region. For a short list, returns the
/// thresholds between all values and, if the list has no order, each value by itself. For a whole
/// period, also returns the parts between two quartiles, since a region such as the night may cross
/// the end of the period.
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
  // In the region's order of bins, which may wrap around the end of a period.
  const std::size_t start = first_bin(contexts_.all_bins(variable), bins);
  const auto bin_at = [&](std::size_t step) { return (start + step) % count.size(); };
  const auto part = [&](std::size_t from, std::size_t to) {
    BinSet right = 0;
    for (std::size_t step = from; step < to; ++step) right |= only_bin(bin_at(step));
    return right;
  };
  std::vector<std::size_t> borders;
  for (int quantile = 1; quantile < kQuantiles; ++quantile) {
    double below = 0.0;
    std::size_t step = 0;
    while (step < count.size() && below + 0.5 * count[bin_at(step)] < all * quantile / kQuantiles) {
      below += count[bin_at(step++)];
    }
    if (borders.empty() || step != borders.back()) borders.push_back(step);
  }
  for (const std::size_t border : borders) add(part(border, count.size()));
  if (contexts_[variable].period == 0.0 || bins != contexts_.all_bins(variable)) return candidates;
  for (std::size_t i = 0; i < borders.size(); ++i) {
    for (std::size_t j = i + 1; j < borders.size(); ++j) add(part(borders[i], borders[j]));
  }
  return candidates;
}

namespace {

/// The rewards on one side of a split.
RewardsByContext part_of(const RewardsByContext& rewards, const ContextSplit& split, bool right) {
  RewardsByContext part;
  for (const auto& [arm, by_context] : rewards) {
    ContextRewards own;
    for (const auto& [bins, told] : by_context) {
      if (split.is_right(bins) == right) own.emplace(bins, told);
    }
    if (!own.empty()) part.emplace(arm, std::move(own));
  }
  return part;
}

}  // namespace

void Contextual::split(std::size_t index, const ScoredSplit& judged) {
  const auto& [split, evidence] = judged;
  const std::size_t parts = places_.size();
  places_.push_back(new_place());
  places_.push_back(new_place());
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
    part.rewards = part_of(whole.rewards, split, right);
    for (const auto& [arm, by_context] : part.rewards) {
      for (const auto& [bins, rewards] : by_context) part.known += rewards.count;
    }
    Adaptive::Part kept;
    for (std::size_t i = 0; i < metric_effects_.size(); ++i) {
      part.metrics[i].values = part_of(whole.metrics[i].values, split, right);
      kept.metrics.push_back(less_effect(part.metrics[i].values, metric_effects_[i]));
      kept.beyond.push_back(0);
      for (const auto& [bins, count] : whole.metrics[i].beyond) {
        if (split.is_right(bins) != right) continue;
        part.metrics[i].beyond.emplace(bins, count);
        kept.beyond.back() += count;
      }
    }
    kept.is_second = right;
    for (const auto& [bins, pulls] : whole.pulls) {
      if (split.is_right(bins) != right) continue;
      part.pulls.emplace(bins, pulls);
      kept.pulls += pulls;
    }
    kept.learnt = less_effect(part.rewards, effect_);
    for (const auto& [arm, by_context] : part.rewards) {
      Rewards& all = kept.rewards[arm];
      for (const auto& [bins, rewards] : by_context) all += rewards;
    }
    std::map<Ticket, Ticket> of_tree;  // old to new tickets of this part
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
  whole.pulls.clear();
  whole.metrics.clear();
  whole.known = 0;
}

}  // namespace canopy
