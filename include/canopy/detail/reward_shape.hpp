#pragma once

#include "canopy/moments.hpp"
#include "canopy/rewards.hpp"
#include "canopy/state.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace canopy {

/// The properties of the distribution of a study's rewards that intervals of means depend on: the
/// least and the largest, whether there are only two values, whether they are coarse, and how
/// extreme outliers are. Rewards are added in batches of one arm.
class RewardShape {
 public:
  /// Adds single rewards of an arm whose sums were `before` until now.
  void add(std::span<const double> rewards, const Moments& before);
  /// Adds rewards for which only the sums are known; they carry no information about ties.
  void add(const Rewards& rewards);
  /// Compares the least and the largest of `count` new rewards with the other rewards of their arm,
  /// whose sums, including the new rewards, are `arm`.
  void judge(const Moments& arm, double low, double high, double count);

  /// The least and the largest reward; infinite after sums without these.
  [[nodiscard]] double min() const {
    return knows_ends_ ? min_ : -std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] double max() const {
    return knows_ends_ ? max_ : std::numeric_limits<double>::infinity();
  }

  /// The number of different rewards: 0, 1, 2, or 3 for more than two.
  [[nodiscard]] int distinct() const { return distinct_; }
  /// Whether rewards have two values, as far as is known. Unless they are 0 and 1, the rarer one
  /// must have occurred eight times, since there may be a third value that has not occurred yet.
  [[nodiscard]] bool has_two_values() const;
  /// Whether an arm may be noisy although it has given a single value: all rewards are 0, or all
  /// are 1; or there are two values, and these are 0 and 1 or the rarer one has not occurred eight
  /// times.
  [[nodiscard]] bool may_be_rates() const;
  /// The two values, the lower one first.
  [[nodiscard]] std::array<double, 2> two_values() const;
  /// Whether more than 1 % of repeated pulls of an arm gave the same reward as the pull before.
  [[nodiscard]] bool is_coarse() const { return ties_ > 0.01 * repeats_; }

  /// The largest externally studentized residual in either direction: the distance of a reward from
  /// the mean of the other rewards of its arm, in their standard deviations.
  [[nodiscard]] double furthest_up() const { return furthest_[1]; }
  [[nodiscard]] double furthest_down() const { return furthest_[0]; }
  /// Whether a reward was more extreme than normally distributed rewards would be. Stays true once
  /// set.
  [[nodiscard]] bool has_rare_extremes() const { return has_rare_extremes_; }

  void transfer(State& state);

 private:
  void count_values(std::span<const double> rewards);
  void count_values(const Rewards& rewards);
  void count_value(double value, double times);
  void judge_one(const Moments& arm, double reward);
  [[nodiscard]] bool are_zero_and_one() const;
  [[nodiscard]] bool has_enough_of_both() const;

  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  bool knows_ends_ = true;
  int distinct_ = 0;
  std::array<double, 2> values_{};  // the first two different rewards
  std::array<double, 2> counts_{};  // number of occurrences of each
  double repeats_ = 0.0;            // pulls compared with the pull before
  double ties_ = 0.0;               // compared pulls with equal rewards
  double judged_ = 0.0;             // number of rewards judged
  std::array<double, 2> furthest_{};
  bool has_rare_extremes_ = false;
};

}  // namespace canopy
