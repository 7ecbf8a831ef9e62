#pragma once

#include "canopy/moments.hpp"
#include "canopy/rewards.hpp"
#include "canopy/state.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace canopy {

/// How the rewards of a study are distributed, as far as the interval of a mean must know: their
/// ends, whether they have two values, whether they are coarse, and how extreme the most extreme of
/// them are. Rewards come in batches of one arm.
class RewardShape {
 public:
  /// Looks at single rewards of an arm, whose sums were `before` before them.
  void add(std::span<const double> rewards, const Moments& before);
  /// Looks at rewards of which only the sums are known. They say nothing about ties.
  void add(const Rewards& rewards);
  /// Judges the least and the largest of `count` new rewards by the other rewards of their arm,
  /// whose sums, with the new rewards, are `arm`.
  void judge(const Moments& arm, double low, double high, double count);

  /// The least and the largest reward; infinite once rewards came as sums that do not tell.
  [[nodiscard]] double min() const {
    return knows_ends_ ? min_ : -std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] double max() const {
    return knows_ends_ ? max_ : std::numeric_limits<double>::infinity();
  }

  /// The number of different rewards: 0, 1, 2, or 3 for more than two.
  [[nodiscard]] int distinct() const { return distinct_; }
  /// Whether rewards have two values, as far as can be known: a third value may not have come yet
  /// until the rarer one has come eight times, unless they are 0 and 1.
  [[nodiscard]] bool has_two_values() const;
  /// Whether an arm may be noisy although it gave a single value: all rewards are 0, or all are 1;
  /// or they have two values, and these are 0 and 1 or the rarer one has not come eight times.
  [[nodiscard]] bool may_be_rates() const;
  /// The two values, the lower one first.
  [[nodiscard]] std::array<double, 2> two_values() const;
  /// Whether more than 1 % of repeated pulls gave what the pull of the arm before gave.
  [[nodiscard]] bool is_coarse() const { return ties_ > 0.01 * repeats_; }

  /// The largest externally studentized residual, to either side: how many standard deviations of
  /// the other rewards of its arm a reward is from their mean.
  [[nodiscard]] double furthest_up() const { return furthest_[1]; }
  [[nodiscard]] double furthest_down() const { return furthest_[0]; }
  /// Whether a reward was more extreme than normal ones ever are. Stays true.
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
  std::array<double, 2> counts_{};  // and how often they came
  double repeats_ = 0.0;            // pulls that were compared with the one before
  double ties_ = 0.0;               // those of them that gave the same reward
  double judged_ = 0.0;             // rewards
  std::array<double, 2> furthest_{};
  bool has_rare_extremes_ = false;
};

}  // namespace canopy
