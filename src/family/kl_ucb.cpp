#include "canopy/family/kl_ucb.hpp"

#include "canopy/confidence.hpp"

#include "family/grid_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace canopy {
namespace {

double x_ln_x(double x) {
  return x > 0.0 ? x * std::log(x) : 0.0;
}

/// An upper bound of the index's level, from which Newton's method starts.
double level_above(double mean, double entropy, double divergence) {
  const double without_mean = (divergence - entropy) / (1.0 - mean);
  const double pinsker = mean + std::sqrt(divergence / 2.0);
  return pinsker < 1.0 ? std::min(without_mean, -std::log1p(-pinsker)) : without_mean;
}

/// kl_ucb_level with mean ln mean + (1 - mean) ln(1 - mean) given.
double level_of(double mean, double entropy, double divergence) {
  if (!(divergence > 0.0)) return -std::log1p(-mean);
  constexpr int kMostRounds = 100;
  constexpr double kPrecision =
      1e-9;  // suffices before the last iteration, which doubles the digits
  double level = level_above(mean, entropy, divergence);
  for (int i = 0; i < kMostRounds; ++i) {
    const double q = -std::expm1(-level);
    if (!(q > mean)) break;
    const double above = entropy - mean * std::log(q) + (1.0 - mean) * level - divergence;
    const double step = above * q / (q - mean);
    if (!(step > 0.0)) break;
    level -= step;
    if (step < kPrecision * level) break;
  }
  return std::max(level, -std::log1p(-mean));
}

}  // namespace

double kl_ucb_level(double mean, double divergence) {
  return level_of(mean, x_ln_x(mean) + x_ln_x(1.0 - mean), divergence);
}

KlUcb::KlUcb(const Space& space, const KlUcbOptions& options, const Objective& objective)
    : GridBandit(space, points_of(options, space.dimension()), checked(options, objective)),
      options_(options),
      known_(size()) {}

/// Phases are those of the scale.
void KlUcb::update_range_if_due() {
  const bool begins = t_ >= range_until_;
  if (begins) range_until_ = phase_end(t_);
  if (!update_scale_if_due() && !begins) return;
  place_range();
  for (std::size_t i = 0; i < size(); ++i) know(i);
}

void KlUcb::place_range() {
  std::optional<RewardRange> range = reward_range();
  const bool any = evidence_.min() <= evidence_.max();
  if (!range && any) range = RewardRange{evidence_.min(), evidence_.max()};
  if (range) low_ = map_.to_mapped((*range)[map_.minimizes() ? 1 : 0]);
}

void KlUcb::know(std::size_t arm) {
  const Statistics& told = statistics()[arm];
  if (told.pulls == 0.0) return;
  const double mean = std::clamp((told.mean() - low_) / scale(), 0.0, 1.0);
  known_[arm] = {.mean = mean,
                 .failures = told.pulls * (1.0 - mean),
                 .entropy = x_ln_x(mean) + x_ln_x(1.0 - mean),
                 .level = known_[arm].level};
}

double KlUcb::budget() const {
  const double log = std::log(static_cast<double>(std::max<std::uint64_t>(1, t_ - 1)));
  const double square = options_.confidence_scale * options_.confidence_scale;
  return square * (log + options_.log_log_factor * std::log(std::max(1.0, log)));
}

double KlUcb::level(std::size_t arm, double budget) {
  KnownIndex& known = known_[arm];
  known.level = level_of(known.mean, known.entropy, budget / statistics()[arm].pulls);
  return known.level;
}

/// The first arm with index 1, else the arm whose last computed index is the largest.
std::size_t KlUcb::best_guess() const {
  std::size_t best = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (known_[i].failures == 0.0) return i;
    if (known_[i].level > known_[best].level) best = i;
  }
  return best;
}

/// Whether two arms are certain to have the same index.
bool KlUcb::is_twin(std::size_t arm, std::size_t other) const {
  return known_[arm].mean == known_[other].mean &&
         statistics()[arm].pulls == statistics()[other].pulls;
}

std::size_t KlUcb::best_arm() {
  std::size_t best = best_guess();
  if (known_[best].failures == 0.0) return best;
  constexpr double kRounding = 1e-12;
  const double allowed = budget();
  double largest = level(best, allowed);
  double q = -std::expm1(-largest);
  double log_q = std::log(q);
  for (std::size_t i = 0; i < size(); ++i) {
    const KnownIndex& arm = known_[i];
    const double pulls = statistics()[i].pulls;
    const double to_fail = arm.failures * largest;
    const double cost = pulls * (arm.entropy - arm.mean * log_q) + to_fail;
    const bool is_below = cost - allowed > kRounding * (pulls + to_fail + allowed);
    if (i == best || (arm.mean < (1.0 - kRounding) * q && is_below)) continue;
    if (i > best && is_twin(i, best)) continue;
    const double found = level(i, allowed);
    if (found < largest || (found == largest && i > best)) continue;
    best = i;
    largest = found;
    q = -std::expm1(-largest);
    log_q = std::log(q);
  }
  return best;
}

TurnOptimizer::Choice KlUcb::choose() {
  update_range_if_due();
  if (const auto fresh = first_without_pulls()) return {.node = *fresh};
  return {.node = static_cast<NodeIndex>(best_arm())};
}

void KlUcb::learn(NodeIndex node, const Rewards& mapped) {
  GridBandit::learn(node, mapped);
  know(node);
}

void KlUcb::transfer(State& state) {
  state.mark("kl-ucb");
  GridBandit::transfer(state);
  state(low_, range_until_);
  if (!state.restoring()) return;
  State::require(State::are_finite({low_}));
  known_.assign(size(), {});
  for (std::size_t i = 0; i < size(); ++i) know(i);
}

std::unique_ptr<Optimizer> KlUcb::clone() const {
  return std::make_unique<KlUcb>(*this);
}

OptimizerEntry kl_ucb_entry() {
  OptimizerEntry entry =
      optimizer_entry<KlUcb, KlUcbOptions>("kl-ucb", "a fixed grid of arms under KL-UCB");
  entry.resolve = resolve_points<KlUcbOptions>;
  return entry;
}

}  // namespace canopy
