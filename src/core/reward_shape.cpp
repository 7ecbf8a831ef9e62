#include "canopy/detail/reward_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace canopy {
namespace {

constexpr double kEnoughToJudge = 17.0;       // rewards of an arm before its extremes are judged
constexpr double kEnoughOfRarer = 8.0;        // occurrences of the rarer of two values
constexpr std::size_t kComparedForTies = 16;  // rewards of a batch compared for ties

/// For sums of rewards that are all `low` or `high`: the number of `high` ones; none for other
/// sums.
std::optional<double> count_of_high(const Rewards& rewards, double low, double high) {
  const auto count = static_cast<double>(rewards.count);
  const double width = high - low;
  const double share = (rewards.mean() - low) / width * count;
  const double high_ones = std::round(share);
  const double squares = high_ones - high_ones * high_ones / count;
  const double scaled = rewards.squared_deviations / (width * width);
  if (!(std::abs(share - high_ones) <= 1e-9 * count) || high_ones < 0.0 || high_ones > count ||
      !(std::abs(scaled - squares) <= 1e-9 * count)) {
    return std::nullopt;
  }
  return high_ones;
}

}  // namespace

void RewardShape::add(std::span<const double> rewards, const Moments& before) {
  if (distinct_ <= 2) count_values(rewards);
  if (before.count == 1.0) {
    repeats_ += 1.0;
    if (rewards[0] == before.mean) ties_ += 1.0;
  }
  const std::size_t compared = std::min(rewards.size(), kComparedForTies);
  int ties = 0;
  for (std::size_t i = 1; i < compared; ++i) ties += rewards[i] == rewards[i - 1] ? 1 : 0;
  repeats_ += static_cast<double>(compared - 1);
  ties_ += static_cast<double>(ties);
}

void RewardShape::add(const Rewards& rewards) {
  if (distinct_ <= 2) count_values(rewards);
  if (!rewards.knows_ends()) knows_ends_ = false;
}

// --- values ----------------------------------------------------------------------------------

void RewardShape::count_values(std::span<const double> rewards) {
  for (const double reward : rewards) {
    count_value(reward, 1.0);
    if (distinct_ > 2) return;
  }
}

void RewardShape::count_values(const Rewards& rewards) {
  const auto count = static_cast<double>(rewards.count);
  const auto count_both = [&](double low, double high) {
    if (!(low < high)) return false;
    const std::optional<double> high_ones = count_of_high(rewards, low, high);
    if (!high_ones) return false;
    if (*high_ones < count) count_value(low, count - *high_ones);
    if (*high_ones > 0.0) count_value(high, *high_ones);
    return true;
  };
  if (rewards.squared_deviations == 0.0) {
    count_value(rewards.mean(), count);
    return;
  }
  if (distinct_ == 2 && count_both(two_values()[0], two_values()[1])) return;
  if (count_both(0.0, 1.0)) return;
  if (rewards.knows_ends() && count_both(rewards.min, rewards.max)) return;
  distinct_ = 3;
}

void RewardShape::count_value(double value, double times) {
  for (int i = 0; i < std::min(distinct_, 2); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (values_[at] != value) continue;
    counts_[at] += times;
    return;
  }
  if (distinct_ < 2) {
    values_[static_cast<std::size_t>(distinct_)] = value;
    counts_[static_cast<std::size_t>(distinct_)] = times;
  }
  distinct_ = std::min(distinct_ + 1, 3);
}

std::array<double, 2> RewardShape::two_values() const {
  return {std::min(values_[0], values_[1]), std::max(values_[0], values_[1])};
}

bool RewardShape::are_zero_and_one() const {
  return two_values() == std::array{0.0, 1.0};
}

bool RewardShape::has_enough_of_both() const {
  return std::min(counts_[0], counts_[1]) >= kEnoughOfRarer;
}

bool RewardShape::has_two_values() const {
  return distinct_ == 2 && (are_zero_and_one() || has_enough_of_both());
}

bool RewardShape::may_be_rates() const {
  if (distinct_ == 1) return values_[0] == 0.0 || values_[0] == 1.0;
  return distinct_ == 2 && (are_zero_and_one() || !has_enough_of_both());
}

// --- extremes --------------------------------------------------------------------------------

void RewardShape::judge(const Moments& arm, double low, double high, double count) {
  min_ = std::min(min_, low);
  max_ = std::max(max_, high);
  if (arm.count < kEnoughToJudge) return;
  judged_ += count;
  judge_one(arm, high);
  if (low != high) judge_one(arm, low);
}

/// The other rewards have mean m' = m - e / (T - 1) and squared deviations SS' = SS - e^2 T / (T -
/// 1), where e = x - m.
void RewardShape::judge_one(const Moments& arm, double reward) {
  const double off = reward - arm.mean;
  const double others = arm.count - 1.0;
  const double apart = off * arm.count / others;  // deviation from the others' mean
  const double squares = arm.squared_deviations - off * apart;
  const double freedom = others - 1.0;
  if (!(apart * apart * freedom > 9.0 * squares)) return;
  double& furthest = furthest_[apart > 0.0 ? 1 : 0];
  if (!(squares > 1e-9 * arm.squared_deviations)) {
    // All other rewards are equal, up to rounding.
    if (!(std::abs(off) > 1e-9 * std::abs(arm.mean))) return;
    furthest = std::numeric_limits<double>::infinity();
    if (distinct_ > 2 && !is_coarse()) has_rare_extremes_ = true;
    return;
  }
  const double residual = std::abs(apart) / std::sqrt(squares / freedom);
  furthest = std::max(furthest, residual);
  // The residual of a normal reward times sqrt(others / T) has a Student distribution; converted to
  // a normal deviate (Wallace, "Bounds on normal approximations to Student's and the chi-square
  // distributions", 1959).
  const double t2 = residual * residual * others / arm.count;
  const double shrunk = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0);
  const double z2 = shrunk * shrunk * freedom * std::log1p(t2 / freedom);
  if (z2 > 2.0 * std::log(100.0 * judged_)) has_rare_extremes_ = true;
}

// --- state -----------------------------------------------------------------------------------

void RewardShape::transfer(State& state) {
  auto distinct = static_cast<std::uint64_t>(distinct_);
  state(min_, max_, distinct, values_[0], values_[1], counts_[0], counts_[1], repeats_, ties_,
        judged_, furthest_[0], furthest_[1], has_rare_extremes_, knows_ends_);
  if (!state.restoring()) return;
  State::require(State::are_ends(min_, max_) && distinct <= 3 &&
                 State::are_finite({values_[0], values_[1]}) &&
                 (distinct != 2 || values_[0] != values_[1]) &&
                 State::are_counts({counts_[0], counts_[1], repeats_, ties_, judged_}) &&
                 furthest_[0] >= 0.0 && furthest_[1] >= 0.0);
  distinct_ = static_cast<int>(distinct);
}

}  // namespace canopy
