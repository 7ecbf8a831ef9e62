#include "canopy/evidence.hpp"

#include "canopy/random.hpp"
#include "canopy/state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using Reals = std::vector<double>;
using Ends = std::optional<std::array<double, 2>>;

/// A reference implementation of Evidence: all rewards are kept, and every figure is computed from
/// scratch in two passes. For rewards of three or more values that are not coarse.
class PlainEvidence {
 public:
  /// Adds a single reward. Consecutive rewards of one arm form a batch, up to 256 of them.
  void add(const Reals& arm, double reward) {
    if (arm != batch_arm_ || batch_.size() == 256) end_batch();
    batch_arm_ = arm;
    batch_.push_back(reward);
  }
  /// Adds rewards that are told as sums, which form a separate batch.
  void add_sums(const Reals& arm, const Reals& rewards) {
    end_batch();
    batch_arm_ = arm;
    batch_ = rewards;
    end_batch();
  }
  void end_batch() {
    if (batch_.empty()) return;
    if (!rewards_.contains(batch_arm_)) order_.push_back(batch_arm_);
    Reals& all = rewards_[batch_arm_];
    all.insert(all.end(), batch_.begin(), batch_.end());
    const auto [least, largest] = std::minmax_element(batch_.begin(), batch_.end());
    min_ = std::min(min_, *least);
    max_ = std::max(max_, *largest);
    if (all.size() >= 17) {
      up_ = std::max(up_, residual(all, *largest));
      down_ = std::max(down_, -residual(all, *least));
    }
    batch_.clear();
  }

  [[nodiscard]] double pulls(const Reals& arm) const {
    return static_cast<double>(rewards_.at(arm).size());
  }
  [[nodiscard]] double mean(const Reals& arm) const { return mean_of(rewards_.at(arm)); }
  [[nodiscard]] double squared_deviations(const Reals& arm) const {
    return squares_of(rewards_.at(arm));
  }
  [[nodiscard]] double freedom() const {
    double freedom = 0.0;
    for (const auto& [arm, rewards] : rewards_) freedom += static_cast<double>(rewards.size()) - 1;
    return freedom;
  }
  [[nodiscard]] double variance() const {
    double squares = 0.0;
    for (const auto& [arm, rewards] : rewards_) squares += squared_deviations(arm);
    return squares / freedom();
  }
  [[nodiscard]] Interval interval(const Reals& arm, double level, double inflation) const {
    const double count = pulls(arm);
    if (count < 4.0) return {};
    const double squares = squared_deviations(arm);
    const auto k =
        static_cast<double>(std::find(order_.begin(), order_.end(), arm) - order_.begin() + 1);
    const double w = std::log(2.0) * (1.0 / std::log(k + 1.0) - 1.0 / std::log(k + 2.0));
    const double log_weight = -std::log((1.0 - level) * w);
    const double g = 1.0 + count / 2.0;
    const double ratio = std::pow(std::sqrt(g) * std::exp(log_weight), 2.0 / count);
    const double t =
        ratio < g ? std::sqrt(inflation * squares / count * (ratio - 1.0) / (1.0 - ratio / g))
                  : std::numeric_limits<double>::infinity();
    const double s = std::sqrt(squares / (count - 1.0));
    const double c_up = std::min(std::max(4.0, up_) * s, max_ - mean(arm));
    const double c_down = std::min(std::max(4.0, down_) * s, mean(arm) - min_);
    double up = std::max(t, c_up * log_weight / count);
    double down = std::max(t, c_down * log_weight / count);
    if (count < 16.0 && freedom() >= 8.0) {
      const double v = variance();
      const double b = std::sqrt(inflation * std::max(v, (squares + 8.0 * v) / (count + 7.0))) *
                       sequence_width(count, std::exp(-log_weight));
      up = std::min(up, b);
      down = std::min(down, b);
    }
    if (!std::isfinite(up) || !std::isfinite(down)) return {};
    return {mean(arm) - down, mean(arm) + up};
  }
  /// m - t', with the variance pooled upward.
  [[nodiscard]] double bound(const Reals& arm, double level, double inflation) const {
    const double count = pulls(arm);
    const auto k = std::find(order_.begin(), order_.end(), arm) - order_.begin() + 1;
    const double alpha = arm_alpha(level, static_cast<double>(k));
    const double v = variance();
    const double squares = std::max(squared_deviations(arm), count * v);
    double half = std::sqrt(inflation * squares / count) * t_sequence_width(count, alpha);
    double most = 0.0;
    for (const auto& [each, rewards] : rewards_) most = std::max(most, pulls(each));
    if (most < 16.0 && count >= 4.0) {
      const double own = (squared_deviations(arm) + 8.0 * v) / (count + 7.0);
      half = std::min(half, std::sqrt(inflation * std::max(v, own)) * sequence_width(count, alpha));
    }
    return mean(arm) - half;
  }
  [[nodiscard]] const std::vector<Reals>& arms() const { return order_; }

 private:
  [[nodiscard]] static double mean_of(const Reals& rewards) {
    long double sum = 0.0L;
    for (const double reward : rewards) sum += reward;
    return static_cast<double>(sum / rewards.size());
  }
  [[nodiscard]] static double squares_of(const Reals& rewards) {
    long double mean = 0.0L;
    for (const double reward : rewards) mean += reward;
    mean /= rewards.size();
    long double squares = 0.0L;
    for (const double reward : rewards) squares += (reward - mean) * (reward - mean);
    return static_cast<double>(squares);
  }
  /// The distance of a reward above the others' mean, in their standard deviations; 0 if fewer than
  /// 3.
  [[nodiscard]] static double residual(Reals rewards, double reward) {
    rewards.erase(std::find(rewards.begin(), rewards.end(), reward));
    const double s = std::sqrt(squares_of(rewards) / (static_cast<double>(rewards.size()) - 1.0));
    const double residual = (reward - mean_of(rewards)) / s;
    return std::abs(residual) > 3.0 ? residual : 0.0;
  }

  std::map<Reals, Reals> rewards_;
  std::vector<Reals> order_;
  Reals batch_arm_;
  Reals batch_;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  double up_ = 0.0;
  double down_ = 0.0;
};

std::string saved(Evidence& evidence) {
  State state;
  state.mark("evidence");
  evidence.transfer(state);
  return state.text();
}

Evidence restored(const std::string& text, std::size_t dimension) {
  Evidence evidence(dimension);
  State state(text);
  state.mark("evidence");
  evidence.transfer(state);
  state.end();
  return evidence;
}

/// Adds rewards of random arms, in chunks of all forms.
class RandomChunks {
 public:
  RandomChunks(std::uint64_t seed, double level, std::size_t arms)
      : random_({.seed = seed}), level_(level), arms_(arms) {}

  /// Adds one chunk to all of them.
  void step(const std::vector<Evidence*>& all, PlainEvidence* plain = nullptr) {
    const std::size_t which = random_() % arms_;
    const Reals arm{static_cast<double>(which), which % 2 == 0 ? 0.5 : -1.0};
    const std::uint64_t how = random_() % 3;
    const std::uint64_t count = how == 0 ? 1 : 1 + random_() % (random_.coin() ? 5 : 200);
    Reals rewards;
    for (std::uint64_t i = 0; i < count; ++i) {
      rewards.push_back(level_ + 0.1 * static_cast<double>(which) + random_.normal());
      if (plain != nullptr && how != 2) plain->add(arm, rewards.back());
    }
    if (plain != nullptr && how == 2) {
      if (count == 1) plain->add(arm, rewards[0]);
      if (count != 1) plain->add_sums(arm, rewards);
    }
    for (Evidence* evidence : all) {
      if (how == 0) {
        evidence->add(arm, rewards[0]);
      } else if (how == 1) {
        evidence->turn_to(arm);
        for (const double reward : rewards) evidence->add(reward);
      } else {
        evidence->add(arm, Rewards::of(rewards));
      }
    }
  }

 private:
  RandomStream random_;
  double level_;
  std::size_t arms_;
};

RC_GTEST_PROP(Evidence, EqualsAStraightforwardComputation, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double level = *rc::gen::element(0.0, -3.0, 1e6, -1e6);
  const auto arms = *rc::gen::inRange<std::size_t>(1, 12);
  const int chunks = *rc::gen::inRange(1, 60);
  RC_LOG() << "seed " << seed << " level " << level << " arms " << arms << " chunks " << chunks;
  Evidence evidence(2);
  PlainEvidence plain;
  RandomChunks random(seed, level, arms);
  for (int i = 0; i < chunks; ++i) random.step({&evidence}, &plain);
  evidence.absorb();
  plain.end_batch();
  RC_ASSERT(evidence.size() == plain.arms().size());
  std::uint64_t count = 0;
  for (const Reals& arm : plain.arms()) {
    const auto index = evidence.find(arm);
    RC_ASSERT(index.has_value());
    const ArmEstimate known = evidence.estimate(*index);
    count += known.pulls;
    RC_ASSERT(static_cast<double>(known.pulls) == plain.pulls(arm));
    const double rounding = 1e-9 + 1e-14 * std::abs(level);  // also of the sums as they were told
    RC_ASSERT(std::abs(known.mean - plain.mean(arm)) <= rounding);
    const Interval expected = plain.interval(arm, 0.95, evidence.inflation());
    RC_ASSERT(known.interval.bounded() == expected.bounded());
    if (!expected.bounded()) continue;
    RC_ASSERT(std::abs(known.interval.lower - expected.lower) <= 1e-6);
    RC_ASSERT(std::abs(known.interval.upper - expected.upper) <= 1e-6);
  }
  RC_ASSERT(evidence.count() == count);
  const auto safest = evidence.safest(false);
  if (plain.freedom() < 8.0) return;
  double largest = -std::numeric_limits<double>::infinity();
  for (const Reals& arm : plain.arms()) {
    largest = std::max(largest, plain.bound(arm, 0.95, evidence.inflation()));
  }
  RC_ASSERT(safest.has_value() == std::isfinite(largest));
  if (!safest) return;
  const Arm chosen = evidence.arm(*safest);
  const double bound = plain.bound({chosen.begin(), chosen.end()}, 0.95, evidence.inflation());
  RC_ASSERT(std::abs(bound - largest) <= 1e-6);
}

TEST(Evidence, ALargeLevelCostsNoDigits) {
  // The same noise around 0 and around a million has the same width.
  Evidence low(1);
  Evidence high(1);
  RandomStream random({.seed = 11});
  const Reals arm{0.5};
  for (int i = 0; i < 10'000; ++i) {
    const double noise = std::round(1024.0 * random.normal()) / 1024.0;  // exact in both
    low.add(arm, noise);
    high.add(arm, 1e6 + noise);
  }
  low.absorb();
  high.absorb();
  const Interval one = low.estimate(0).interval;
  const Interval other = high.estimate(0).interval;
  EXPECT_NEAR((other.upper - other.lower) / (one.upper - one.lower), 1.0, 1e-9);
  EXPECT_NEAR(high.estimate(0).mean - 1e6, low.estimate(0).mean, 1e-9);
}

TEST(Evidence, AnArmHasAnIntervalOnlyForItsOwnRewards) {
  Evidence evidence(1);
  RandomStream random({.seed = 1});
  for (int k = 0; k < 20; ++k) evidence.add(Reals{static_cast<double>(k)}, random.uniform());
  for (int i = 0; i < 30; ++i) evidence.add(Reals{0.0}, random.uniform());
  for (int i = 1; i < 20; ++i) {
    evidence.add(Reals{1.0}, random.uniform());
    evidence.absorb();
    const ArmEstimate known = evidence.estimate(1);
    EXPECT_EQ(known.interval.bounded(), known.pulls >= 4) << known.pulls << " pulls";
    if (known.pulls >= 16) {
      EXPECT_EQ(known.assumes, Assumption::about_normal);
    }
  }
  EXPECT_EQ(evidence.estimate(19).assumes, Assumption::none) << "of an arm with one pull";
  EXPECT_FALSE(evidence.estimate(19).interval.bounded());
}

TEST(Evidence, AVarianceIsPooledUpwardOnlyAndThisIsReported) {
  // Arm 0 is noisy; six equal rewards of arm 1 may be luck.
  Evidence evidence(1);
  RandomStream random({.seed = 2});
  for (int i = 0; i < 40; ++i) evidence.add(Reals{0.0}, random.normal());
  for (int i = 0; i < 6; ++i) evidence.add(Reals{1.0}, 0.5);  // by their spread surely above 0
  evidence.absorb();
  const ArmEstimate known = evidence.estimate(1);
  EXPECT_EQ(known.assumes, Assumption::noise_as_elsewhere);
  const double half = std::sqrt(evidence.noise()) * sequence_width(6.0, arm_alpha(0.95, 2.0));
  EXPECT_LE(known.interval.upper, 0.5 + half);
  EXPECT_GT(known.interval.upper - known.interval.lower, 1.0);
  EXPECT_EQ(evidence.safest(false), 0U) << "it is not chosen for its small spread";
  EXPECT_EQ(evidence.borrowed_interval(1).upper, known.interval.upper);
  evidence.add(Reals{2.0}, 9.0);
  evidence.absorb();
  EXPECT_FALSE(evidence.estimate(2).interval.bounded());
  EXPECT_GT(evidence.borrowed_interval(2).lower, 0.0) << "also with one reward";
}

TEST(Evidence, KnowsNothingWhileThereIsNoNoise) {
  Evidence evidence(1);
  for (int i = 0; i < 99; ++i) evidence.add(Reals{static_cast<double>(i % 3)}, 0.25 + i % 3);
  evidence.absorb();
  EXPECT_TRUE(evidence.has_no_noise());
  EXPECT_FALSE(evidence.safest(false).has_value());
  EXPECT_FALSE(evidence.estimate(0).interval.bounded());
  EXPECT_EQ(evidence.best_mean(false), 2U);
  EXPECT_EQ(evidence.best_mean(true), 0U);
  EXPECT_EQ(evidence.others(2, false).rivals, 0U) << "the means are known";
  EXPECT_EQ(evidence.others(2, false).unknown, 0U);
  evidence.add(Reals{0.0}, 0.26);
  evidence.absorb();
  EXPECT_TRUE(evidence.estimate(0).interval.bounded()) << "the first that differs is noise";
  EXPECT_FALSE(evidence.has_no_noise());
}

TEST(Evidence, FewRepeatsAreNotTheAbsenceOfNoise) {
  Evidence evidence(1);
  for (int i = 0; i < 8; ++i) evidence.add(Reals{0.0}, 0.25);
  evidence.absorb();
  EXPECT_FALSE(evidence.has_no_noise()) << "seven degrees of freedom";
  evidence.add(Reals{0.0}, 0.25);
  evidence.absorb();
  EXPECT_TRUE(evidence.has_no_noise());
  evidence.add(Reals{1.0}, Rewards::of(Reals(7, 100.0)));
  EXPECT_FALSE(evidence.has_no_noise()) << "0.25 or 100, by chance, once in a while?";
  evidence.add(Reals{1.0}, 100.0);
  evidence.absorb();
  EXPECT_TRUE(evidence.has_no_noise());
}

TEST(Evidence, ZerosAndOnesHaveTheirOwnIntervals) {
  Evidence single(1);
  Evidence sums(1);
  const Reals arm{0.5};
  const Reals other{0.25};
  for (const double reward : {1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0}) {
    single.add(arm, reward);
  }
  single.add(other, 0.0);
  sums.add(arm, Rewards::from_sums(10, 7.0, 7.0));
  sums.add(other, Rewards::one(0.0));
  for (Evidence* evidence : {&single, &sums}) {
    evidence->absorb();
    const Interval expected = success_interval(7.0, 10.0, arm_alpha(0.95, 1.0));
    EXPECT_EQ(evidence->estimate(0).assumes, Assumption::two_values);
    EXPECT_NEAR(evidence->estimate(0).interval.lower, expected.lower, 1e-12);
    EXPECT_NEAR(evidence->estimate(0).interval.upper, expected.upper, 1e-12);
    const Interval never = success_interval(0.0, 1.0, arm_alpha(0.95, 2.0));
    EXPECT_EQ(evidence->estimate(1).interval.lower, 0.0);
    EXPECT_NEAR(evidence->estimate(1).interval.upper, never.upper, 1e-12);
    EXPECT_FALSE(evidence->has_no_noise());
  }
  single.add(arm, 0.5);
  sums.add(arm, Rewards::from_sums(2, 1.0, 0.5));  // twice a half
  for (Evidence* evidence : {&single, &sums}) {
    evidence->absorb();
    EXPECT_FALSE(evidence->estimate(1).interval.bounded()) << "not only zeros and ones";
  }
}

TEST(Evidence, OneValueSaysNothing) {
  for (const double reward : {0.0, 1.0, 7.0}) {
    Evidence evidence(1);
    for (int i = 0; i < 1'000; ++i) evidence.add(Reals{0.0}, reward);
    evidence.absorb();
    EXPECT_FALSE(evidence.estimate(0).interval.bounded()) << "0 and 100 may come with one in 1000";
    EXPECT_FALSE(evidence.is_about_normal(0));
    EXPECT_EQ(evidence.has_no_noise(), reward == 7.0) << "zeros and ones may be rates";
  }
}

TEST(Evidence, TwoValuesOfAnyKindHaveTheIntervalOfARateOnceTheRarerHasComeEightTimes) {
  for (const bool by_sums : {false, true}) {
    Evidence evidence(1);
    const auto add = [&](const Reals& rewards) {
      if (by_sums) evidence.add(Reals{0.0}, Rewards::of(rewards));
      for (const double reward : by_sums ? Reals{} : rewards) evidence.add(Reals{0.0}, reward);
      evidence.absorb();
    };
    add(Reals(90, -2.0));
    for (int came = 1; came <= 8; ++came) {
      add(Reals{98.0, -2.0});
      EXPECT_EQ(evidence.estimate(0).interval.bounded(), came == 8) << came;
    }
    const Interval rate = success_interval(8.0, 106.0, arm_alpha(0.95, 1.0));
    EXPECT_NEAR(evidence.estimate(0).interval.lower, -2.0 + 100.0 * rate.lower, 1e-9);
    EXPECT_NEAR(evidence.estimate(0).interval.upper, -2.0 + 100.0 * rate.upper, 1e-9);
    EXPECT_FALSE(evidence.has_rare_extremes()) << "the rarer value is no surprise";
    add(Reals{3.0});
    EXPECT_EQ(evidence.estimate(0).assumes, Assumption::about_normal);
  }
}

TEST(Evidence, CoarseRewardsMayHideAsMuchAsWasSeenAnywhere) {
  // Counts: an arm that gave 0 forty times may give 6 as well.
  Evidence evidence(1);
  for (int i = 0; i < 40; ++i) evidence.add(Reals{0.0}, i % 4 == 0 ? 6.0 : i % 2);
  for (int i = 0; i < 40; ++i) evidence.add(Reals{1.0}, 0.0);
  evidence.absorb();
  const Interval known = evidence.estimate(1).interval;
  EXPECT_NEAR(known.upper, 6.0 * -std::log(arm_alpha(0.95, 2.0)) / 40.0, 1e-12);
  EXPECT_EQ(known.lower, 0.0) << "nothing was below";
}

TEST(Evidence, WhatWasSeenAtOneArmMayHappenAtAnother) {
  Evidence calm(1);
  Evidence warned(1);
  RandomStream random({.seed = 5});
  for (int i = 0; i < 100; ++i) {
    const double reward = random.normal();
    calm.add(Reals{0.0}, reward);
    warned.add(Reals{0.0}, i == 50 ? 40.0 : reward);
  }
  for (int i = 0; i < 100; ++i) {
    const double reward = random.normal();
    calm.add(Reals{1.0}, reward);
    warned.add(Reals{1.0}, reward);
  }
  calm.absorb();
  warned.absorb();
  EXPECT_FALSE(calm.has_rare_extremes());
  EXPECT_TRUE(warned.has_rare_extremes());
  EXPECT_GT(warned.estimate(1).interval.upper, 2.0 * calm.estimate(1).interval.upper);
  EXPECT_NEAR(warned.estimate(1).interval.lower, calm.estimate(1).interval.lower, 0.05)
      << "nothing was seen on that side";
  EXPECT_FALSE(warned.is_about_normal(1));
}

TEST(Evidence, FlagsNormalRewardsRarelyAndHeavyTailsAlways) {
  int false_alarms = 0;
  int missed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Evidence normal(1);
    Evidence heavy(1);
    RandomStream random({.seed = seed});
    for (int i = 0; i < 10'000; ++i) {
      const Reals arm{static_cast<double>(i / 50 % 20)};
      normal.add(arm, random.normal());
      heavy.add(arm, std::exp(1.5 * random.normal()));
    }
    normal.absorb();
    heavy.absorb();
    false_alarms += normal.has_rare_extremes() ? 1 : 0;
    missed += heavy.has_rare_extremes() ? 0 : 1;
  }
  EXPECT_LE(false_alarms, 4);
  EXPECT_EQ(missed, 0);
}

TEST(Evidence, AHardRangeNeedsNothingElse) {
  Evidence hard(1);
  Evidence soft(1);
  hard.set_range(std::array{-1.0, 3.0}, true);
  soft.set_range(std::array{-1.0, 3.0});
  for (Evidence* evidence : {&hard, &soft}) {
    for (int i = 0; i < 3; ++i) evidence->add(Reals{0.0}, 0.25 * i);
    evidence->absorb();
  }
  EXPECT_EQ(soft.estimate(0).assumes, Assumption::none) << "three rewards are too few";
  EXPECT_EQ(hard.estimate(0).assumes, Assumption::hard_range);
  // Predictions: the middle of the range for the batch.
  const double errors = (1.0 + 0.75 * 0.75 + 0.5 * 0.5) / 16.0;
  const Interval unit = bounded_interval(1.25 / 4.0, 3.0, errors, arm_alpha(0.95, 1.0));
  EXPECT_NEAR(hard.estimate(0).interval.lower, -1.0 + 4.0 * unit.lower, 1e-12);
  EXPECT_NEAR(hard.estimate(0).interval.upper, -1.0 + 4.0 * unit.upper, 1e-12);
  hard.add(Reals{0.0}, 3.0 + 1e-9);
  hard.absorb();
  EXPECT_NE(hard.estimate(0).assumes, Assumption::hard_range) << "it was left";
}

TEST(Evidence, SumsWithoutEndsSayNothingAboutExtremes) {
  // Mean -+ deviation are used as the ends, and would be two values that fit the sums.
  Evidence spread(1);
  spread.add(Reals{0.0}, Rewards::from_sums(1'000, 3'000.0, 10'000.0));
  spread.add(Reals{1.0}, Rewards::from_sums(1'000, 3'100.0, 10'000.0));
  EXPECT_EQ(spread.estimate(0).assumes, Assumption::about_normal);
  const double half = t_sequence_width(1'000.0, arm_alpha(0.95, 1.0));
  EXPECT_NEAR(spread.estimate(0).interval.upper, 3.0 + half, 1e-9);
}

TEST(Evidence, SumsWithoutEndsDoNotLeaveAHardRange) {
  Evidence evidence(1);
  evidence.set_range(std::array{0.0, 1.0}, true);
  evidence.add(Reals{0.0}, Rewards::from_sums(10, 7.0, 7.0));  // mean + deviation is above 1
  EXPECT_EQ(evidence.estimate(0).assumes, Assumption::hard_range);
  evidence.add(Reals{0.0}, Rewards::of(Reals{0.5, 1.5, 0.25}));
  EXPECT_NE(evidence.estimate(0).assumes, Assumption::hard_range);
}

TEST(Evidence, TheLevelIsThatOfTheObjective) {
  Evidence usual(1);
  Evidence surer(1, 0.999);
  RandomStream random({.seed = 3});
  for (int i = 0; i < 50; ++i) {
    const double reward = random.uniform();
    usual.add(Reals{0.0}, reward);
    surer.add(Reals{0.0}, reward);
  }
  usual.absorb();
  surer.absorb();
  EXPECT_EQ(usual.level(), 0.95);
  EXPECT_EQ(surer.level(), 0.999);
  EXPECT_LT(surer.estimate(0).interval.lower, usual.estimate(0).interval.lower);
}

// --- autocorrelated rewards ------------------------------------------------------------------

TEST(EvidenceInflation, IsAboutOneForIndependentRewards) {
  // Fixed seeds. A ratio counts if it is three standard errors above 1 at any of ten lengths.
  int inflated = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Evidence evidence(1);
    RandomStream random({.seed = seed});
    for (int i = 0; i < 20'000; ++i) {
      if (i % 100 == 0) evidence.turn_to(Reals{static_cast<double>(random() % 7)});
      evidence.add(random.normal());
    }
    evidence.absorb();
    EXPECT_LT(evidence.inflation(), 2.0) << "seed " << seed;
    inflated += evidence.inflation() > 1.0 ? 1 : 0;
  }
  EXPECT_LE(inflated, 5);
}

/// x' = phi x + noise, with variance 1.
class Autoregressive {
 public:
  Autoregressive(double phi, std::uint64_t seed) : phi_(phi), random_({.seed = seed}) {}
  double next() { return now_ = phi_ * now_ + std::sqrt(1.0 - phi_ * phi_) * random_.normal(); }

 private:
  double phi_;
  RandomStream random_;
  double now_ = 0.0;
};

TEST(EvidenceInflation, IsAboutOnePlusPhiOverOneMinusPhiInALongRun) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Evidence evidence(1);
    Autoregressive rewards(0.9, seed);
    evidence.turn_to(Reals{0.0});
    for (int i = 0; i < 1 << 18; ++i) evidence.add(rewards.next());
    evidence.absorb();
    // 19 is the limit; the largest of noisy ratios is above it, at least 32 blocks each.
    EXPECT_GT(evidence.inflation(), 16.0) << "seed " << seed;
    EXPECT_LT(evidence.inflation(), 32.0) << "seed " << seed;
  }
}

TEST(EvidenceInflation, IsSeenAlsoInShortRunsOfManyArms) {
  Evidence evidence(1);
  Autoregressive rewards(0.9, 5);
  for (int i = 0; i < 20'000; ++i) {
    if (i % 150 == 0) evidence.turn_to(Reals{static_cast<double>(i / 150 % 20)});
    evidence.add(rewards.next());
  }
  evidence.absorb();
  EXPECT_GT(evidence.inflation(), 5.0);
  EXPECT_LT(evidence.inflation(), 32.0);
}

TEST(EvidenceInflation, WidensEveryInterval) {
  Evidence calm(1);
  Evidence swinging(1);
  Autoregressive rewards(0.9, 6);
  Reals all;
  for (int i = 0; i < 5'000; ++i) all.push_back(rewards.next());
  for (const double reward : all) swinging.add(Reals{0.0}, reward);
  RandomStream random({.seed = 6});
  for (std::size_t i = all.size(); i-- > 1;) std::swap(all[i], all[random() % (i + 1)]);
  for (const double reward : all) calm.add(Reals{0.0}, reward);  // the same, shuffled
  calm.absorb();
  swinging.absorb();
  const auto width = [](const Evidence& evidence) {
    return evidence.estimate(0).interval.upper - evidence.estimate(0).interval.lower;
  };
  EXPECT_NEAR(width(swinging) / width(calm), std::sqrt(swinging.inflation() / calm.inflation()),
              1e-6);
  EXPECT_GT(swinging.inflation(), 9.0);
}

TEST(EvidenceInflation, MakesZerosAndOnesCountForLess) {
  // Nineteen times in twenty, a success is followed by a success and a failure by a failure.
  Evidence evidence(1);
  RandomStream random({.seed = 7});
  double now = 1.0;
  for (int i = 0; i < 10'000; ++i) {
    if (random.uniform() < 0.05) now = 1.0 - now;
    evidence.add(Reals{0.0}, now);
  }
  evidence.absorb();
  EXPECT_GT(evidence.inflation(), 8.0);
  const ArmEstimate known = evidence.estimate(0);
  const double pulls = 10'000.0 / evidence.inflation();
  const Interval expected = success_interval(known.mean * pulls, pulls, arm_alpha(0.95, 1.0));
  EXPECT_NEAR(known.interval.lower, expected.lower, 1e-12);
  EXPECT_NEAR(known.interval.upper, expected.upper, 1e-12);
}

TEST(EvidenceInflation, SumsSayNothingAboutIt) {
  Evidence evidence(1);
  Autoregressive rewards(0.9, 8);
  for (int chunk = 0; chunk < 500; ++chunk) {
    Reals some;
    for (int i = 0; i < 20; ++i) some.push_back(rewards.next());
    evidence.add(Reals{0.0}, Rewards::of(some));
  }
  EXPECT_EQ(evidence.inflation(), 1.0);
}

// --- the range -------------------------------------------------------------------------------

TEST(EvidenceRange, CountsWhatIsOutsideExactlyAtEveryMoment) {
  Evidence evidence(1);
  RandomStream random({.seed = 9});
  std::array<double, 2> range{0.1, 0.9};
  evidence.set_range(range);
  std::uint64_t outside = 0;
  for (int i = 0; i < 1'000; ++i) {
    if (i == 333) evidence.set_range(range = {0.3, 0.4});  // in the middle of a batch
    const double reward = random.uniform();
    evidence.add(Reals{i < 500 ? 0.0 : 1.0}, reward);
    if (reward < range[0] || reward > range[1]) ++outside;
    ASSERT_EQ(evidence.out_of_range(), outside) << "after " << i + 1;
  }
  evidence.set_range(std::nullopt);
  evidence.add(Reals{0.0}, 5.0);
  EXPECT_EQ(evidence.out_of_range(), outside) << "without a range nothing is outside";
}

TEST(EvidenceRange, BothEndsAreInside) {
  Evidence evidence(1);
  evidence.set_range(std::array{-1.0, 1.0});
  for (const double reward : {-1.0, 1.0, std::nextafter(1.0, 2.0), std::nextafter(-1.0, -2.0)}) {
    evidence.add(Reals{0.0}, reward);
  }
  EXPECT_EQ(evidence.out_of_range(), 2U);
}

/// The fitting range after these counts of rewards, in [0, 1] by default.
Ends fitting_after(const std::vector<std::pair<int, double>>& rewards,
                   const Ends& range = std::array{0.0, 1.0}) {
  Evidence evidence(1);
  evidence.set_range(range);
  for (const auto& [count, reward] : rewards) {
    for (int i = 0; i < count; ++i) evidence.add(Reals{0.0}, reward);
  }
  const Ends in_mid_batch = evidence.fitting_range();
  evidence.absorb();
  EXPECT_EQ(evidence.fitting_range(), in_mid_batch);
  return in_mid_batch;
}

TEST(EvidenceRange, FitsUnlessMoreThanOneInTwentyIsOutside) {
  EXPECT_EQ(fitting_after({{47, 0.0}, {48, 1.0}, {5, 2.0}}), std::nullopt);
  EXPECT_EQ(fitting_after({{47, 0.0}, {47, 1.0}, {6, 2.0}}), (Ends{{0.0, 2.0}}));
  EXPECT_EQ(fitting_after({{6, -3.0}, {47, 0.0}, {47, 1.0}}), (Ends{{-3.0, 1.0}}));
  EXPECT_EQ(fitting_after({{47, 0.0}, {46, 1.0}, {6, 2.0}}), std::nullopt) << "99 are too few";
}

TEST(EvidenceRange, OnlyTheFirstHundredAreJudgedAndAllAreReported) {
  EXPECT_EQ(fitting_after({{50, 0.0}, {50, 1.0}, {900, 2.0}}), std::nullopt);
  EXPECT_EQ(fitting_after({{90, 0.0}, {10, 2.0}, {900, 0.5}, {1, -7.0}}), (Ends{{-7.0, 2.0}}));
}

TEST(EvidenceRange, FitsUnlessAllAreWithinATenthOfIt) {
  EXPECT_EQ(fitting_after({{50, 0.5}, {50, 0.59}}), (Ends{{0.5, 0.59}}));
  EXPECT_EQ(fitting_after({{50, 0.5}, {50, 0.61}}), std::nullopt);
  EXPECT_EQ(fitting_after({{100, 0.5}}), std::nullopt) << "no range fits a single value";
  EXPECT_EQ(fitting_after({{100, 7.0}}), std::nullopt);
  EXPECT_EQ(fitting_after({{100, 7.0}, {1, 7.5}}), (Ends{{7.0, 7.5}})) << "now there is one";
}

TEST(EvidenceRange, WithoutOneNothingIsJudged) {
  EXPECT_EQ(fitting_after({{50, 5.0}, {50, 6.0}}, std::nullopt), std::nullopt);
}

TEST(EvidenceRange, AnotherOneIsJudgedByTheRewardsThatFollow) {
  Evidence evidence(1);
  evidence.set_range(std::array{0.0, 1.0});
  for (int i = 0; i < 200; ++i) evidence.add(Reals{0.0}, i % 2 == 0 ? 5.0 : 9.0);
  EXPECT_EQ(evidence.fitting_range(), (Ends{{5.0, 9.0}}));
  evidence.set_range(std::array{5.0, 9.0});
  EXPECT_EQ(evidence.fitting_range(), std::nullopt);
  for (int i = 0; i < 200; ++i) evidence.add(Reals{0.0}, i % 2 == 0 ? 5.0 : 9.0);
  EXPECT_EQ(evidence.fitting_range(), std::nullopt);
}

TEST(EvidenceRange, SumsAreJudgedByTheirMeans) {
  Evidence evidence(1);
  evidence.set_range(std::array{0.0, 1.0});
  evidence.add(Reals{0.0}, Rewards::of(Reals(60, 3.0)));
  evidence.add(Reals{1.0}, Rewards::of(Reals(60, 4.0)));
  EXPECT_EQ(evidence.fitting_range(), (Ends{{3.0, 4.0}}));
  EXPECT_EQ(evidence.out_of_range(), 0U) << "single rewards are counted, sums cannot be";
}

TEST(EvidenceRange, RewardsAddedApartDoNotAffectIt) {
  Evidence evidence(1);
  evidence.set_range(std::array{0.0, 1.0});
  for (int i = 0; i < 100; ++i) evidence.add(Reals{0.0}, i % 2);
  evidence.add_apart(Reals{1.0}, Rewards::of(Reals(50, 40.0)));
  evidence.add_apart(Reals{1.0}, Rewards::one(41.0));
  evidence.absorb();
  EXPECT_EQ(evidence.min(), 0.0);
  EXPECT_EQ(evidence.max(), 1.0);
  EXPECT_EQ(evidence.out_of_range(), 0U);
  EXPECT_EQ(evidence.fitting_range(), std::nullopt);
  EXPECT_EQ(evidence.count(), 151U);
  EXPECT_EQ(evidence.estimate(1).pulls, 51U);
  EXPECT_NEAR(evidence.estimate(1).mean, 2041.0 / 51.0, 1e-12);
  const Interval expected = success_interval(50.0, 100.0, arm_alpha(0.95, 1.0));
  EXPECT_NE(evidence.estimate(0).interval.upper, expected.upper) << "not all are zeros and ones";
}

// --- memory ----------------------------------------------------------------------------------

TEST(Evidence, ForgetsArmsOfOnePullWhenThereAreTooMany) {
  Evidence evidence(1);
  RandomStream random({.seed = 10});
  constexpr int kArms = 1 << 19;
  std::size_t most = 0;
  for (int i = 0; i < kArms; ++i) {
    evidence.add(Reals{static_cast<double>(i)}, random.uniform());
    if (i % 10'000 == 0) evidence.add(Reals{-1.0 - i}, Rewards::of(Reals{0.5, 0.75}));
    most = std::max(most, evidence.size());
  }
  evidence.absorb();
  EXPECT_LE(most, std::size_t{1} << 18);
  EXPECT_FALSE(evidence.find(Reals{0.0}).has_value()) << "forgotten";
  EXPECT_TRUE(evidence.find(Reals{kArms - 1.0}).has_value()) << "the last one is there";
  EXPECT_EQ(evidence.count(), kArms + 2U * 53U) << "all count";
  for (int i = 0; i < kArms; i += 10'000) {
    const auto index = evidence.find(Reals{-1.0 - i});
    ASSERT_TRUE(index.has_value()) << "arms of more pulls stay";
    EXPECT_EQ(evidence.estimate(*index).pulls, 2U);
    EXPECT_DOUBLE_EQ(evidence.estimate(*index).mean, 0.625);
    EXPECT_EQ(evidence.arm(*index)[0], -1.0 - i);
  }
  Evidence again = restored(saved(evidence), 1);
  EXPECT_EQ(saved(again), saved(evidence));
}

TEST(Evidence, ArmsThatWereRepeatedAreNeverForgotten) {
  Evidence evidence(1);
  constexpr int kArms = (1 << 18) + 1000;
  for (int i = 0; i < kArms; ++i) {
    evidence.add(Reals{static_cast<double>(i)}, Rewards::of(Reals{0.5, 0.75}));
  }
  EXPECT_EQ(evidence.size(), static_cast<std::size_t>(kArms));
  EXPECT_TRUE(evidence.find(Reals{0.0}).has_value());
}

TEST(Evidence, BothZerosAreTheSameArm) {
  Evidence evidence(2);
  evidence.add(Reals{0.0, 1.0}, 0.5);
  evidence.add(Reals{-0.0, 1.0}, 0.75);
  evidence.absorb();
  EXPECT_EQ(evidence.size(), 1U);
}

// --- saving ----------------------------------------------------------------------------------

RC_GTEST_PROP(Evidence, ContinuesFromASavedStateBitForBit, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto arms = *rc::gen::inRange<std::size_t>(1, 6);
  const int before = *rc::gen::inRange(0, 40);
  RC_LOG() << "seed " << seed << " arms " << arms << " before " << before;
  Evidence evidence(2);
  if (*rc::gen::arbitrary<bool>()) evidence.set_range(std::array{-1.0, 0.5});
  RandomChunks random(seed, 0.0, arms);
  for (int i = 0; i < before; ++i) random.step({&evidence});
  Evidence other = restored(saved(evidence), 2);
  RC_ASSERT(saved(other) == saved(evidence));
  for (int i = 0; i < 40; ++i) {
    random.step({&evidence, &other});
    RC_ASSERT(saved(other) == saved(evidence));
    RC_ASSERT(other.inflation() == evidence.inflation());
    RC_ASSERT(other.safest(false) == evidence.safest(false));
  }
}

RC_GTEST_PROP(Evidence, LooksChangeNothing, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RC_LOG() << "seed " << seed;
  Evidence watched(2);
  Evidence alone(2);
  RandomChunks random(seed, 0.0, 4);
  for (int i = 0; i < 60; ++i) {
    random.step({&watched, &alone});
    Evidence copy = watched;
    copy.absorb();
    if (const auto safest = copy.safest(i % 2 == 0)) (void)copy.others(*safest, i % 2 == 0);
    (void)watched.out_of_range();
    (void)watched.fitting_range();
    (void)watched.inflation();
    RC_ASSERT(saved(watched) == saved(alone));
  }
}

TEST(Evidence, ReservingMemoryChangesNothing) {
  Evidence roomy(2);
  roomy.reserve(5'000);
  Evidence plain(2);
  RandomChunks random(4, 0.0, 50);
  for (int i = 0; i < 200; ++i) {
    if (i == 100) roomy.reserve(50'000);
    random.step({&roomy, &plain});
  }
  EXPECT_EQ(saved(roomy), saved(plain));
  EXPECT_EQ(roomy.find(Reals{7.0, -1.0}), plain.find(Reals{7.0, -1.0}));
}

// --- the best --------------------------------------------------------------------------------

/// Counts the others by their intervals; with two values, the safest arm has the best end.
void expect_best_as_by_brute_force(const Evidence& evidence, bool minimizes) {
  const auto safest = evidence.safest(minimizes);
  if (!safest) return;
  const auto key = [&](std::size_t index) {
    const Interval known = evidence.estimate(index).interval;
    return minimizes ? -known.upper : known.lower;
  };
  if (evidence.estimate(*safest).assumes == Assumption::two_values) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < evidence.size(); ++i) largest = std::max(largest, key(i));
    RC_ASSERT(std::abs(key(*safest) - largest) <= 1e-12 * (1.0 + std::abs(largest)));
  }
  std::uint64_t beyond = 0;
  std::uint64_t unknown = 0;
  const Interval best = evidence.estimate(*safest).interval;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    if (i == *safest) continue;
    const Interval known = evidence.estimate(i).interval;
    if (!known.bounded()) {
      ++unknown;
    } else if (minimizes ? known.lower < best.upper : known.upper > best.lower) {
      ++beyond;
    }
  }
  RC_ASSERT(evidence.others(*safest, minimizes).rivals == beyond);
  RC_ASSERT(evidence.others(*safest, minimizes).unknown == unknown);
}

RC_GTEST_PROP(Evidence, TheSafestArmAndItsRivalsAreThoseOfBruteForce, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const int kind = *rc::gen::inRange(0, 4);
  const int arms = *rc::gen::inRange(1, 40);
  const int pulls = *rc::gen::inRange(1, 2000);
  RC_LOG() << "seed " << seed << " kind " << kind << " arms " << arms << " pulls " << pulls;
  RandomStream random({.seed = seed});
  Evidence evidence(1);
  double now = 0.0;
  for (int i = 0; i < pulls; ++i) {
    const auto arm = static_cast<double>(random() % static_cast<std::uint64_t>(arms));
    const double rate = arm / arms;
    now = 0.95 * now + 0.1 * random.normal();
    const std::array rewards{rate + 0.3 * random.normal(), random.uniform() < rate ? 1.0 : 0.0,
                             rate + now, random.uniform() < 0.5 * rate ? 1e3 : -1e3};
    evidence.add(Reals{arm}, rewards.at(static_cast<std::size_t>(kind)));
  }
  evidence.absorb();
  expect_best_as_by_brute_force(evidence, false);
  expect_best_as_by_brute_force(evidence, true);
}

TEST(Evidence, AnArmIsNotChosenForASmallSpreadByLuck) {
  // Both have the same pulls; the one with the smaller mean happened to vary less.
  Evidence evidence(1);
  RandomStream random({.seed = 8});
  for (int i = 0; i < 400; ++i) evidence.add(Reals{2.0}, -3.0 + random.normal());
  for (int i = 0; i < 10; ++i) {
    evidence.add(Reals{0.0}, 1.0 + 0.01 * (i % 3));
    evidence.add(Reals{1.0}, 2.0 + (i % 2 == 0 ? 0.5 : -0.5));
  }
  evidence.absorb();
  EXPECT_EQ(evidence.arm(2)[0], 1.0);
  EXPECT_EQ(evidence.safest(false), 2U) << "which has the larger mean";
}

RC_GTEST_PROP(Evidence, MinimizingMirrorsMaximizing, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RandomStream random({.seed = seed});
  Evidence up(1);
  Evidence down(1);
  for (int i = 0; i < 300; ++i) {
    const auto arm = static_cast<double>(random() % 9);
    const double reward = 0.1 * arm + random.normal();
    up.add(Reals{arm}, reward);
    down.add(Reals{arm}, -reward);
  }
  up.absorb();
  down.absorb();
  RC_ASSERT(up.safest(false) == down.safest(true));
  RC_ASSERT(up.others(*up.safest(false), false).rivals ==
            down.others(*down.safest(true), true).rivals);
  RC_ASSERT(up.best_mean(false) == down.best_mean(true));
  RC_ASSERT(up.most_pulled(false) == down.most_pulled(true));
  for (std::size_t i = 0; i < up.size(); ++i) {
    RC_ASSERT(up.estimate(i).interval.lower == -down.estimate(i).interval.upper);
  }
}

TEST(Evidence, TiesOfPullsGoToTheBetterMeanAndTiesOfMeansToMorePulls) {
  Evidence evidence(1);
  evidence.add(Reals{0.0}, Rewards::of(Reals{0.25, 0.5}));
  evidence.add(Reals{1.0}, Rewards::of(Reals{0.5, 0.75}));
  evidence.add(Reals{2.0}, Rewards::one(0.625));
  evidence.absorb();
  EXPECT_EQ(evidence.most_pulled(false), 1U);
  EXPECT_EQ(evidence.most_pulled(true), 0U);
  EXPECT_EQ(evidence.best_mean(false), 1U) << "as good as the last, with more pulls";
  EXPECT_EQ(evidence.best_mean(true), 0U);
  EXPECT_EQ(Evidence(1).most_pulled(false), std::nullopt);
  EXPECT_EQ(Evidence(1).best_mean(false), std::nullopt);
}

// --- a system that has changed ---------------------------------------------------------------

/// `rounds` rewards of each of three arms in turn, around `mean`.
void add_rounds(Evidence& evidence, RandomStream& random, int rounds, double mean) {
  for (int i = 0; i < 3 * rounds; ++i) {
    evidence.add(Reals{static_cast<double>(i % 3)}, mean + random.uniform());
  }
  evidence.absorb();
}

TEST(Evidence, AfterARestartItUsesOnlyNewRewards) {
  RandomStream random({.seed = 14});
  Evidence evidence(1);
  add_rounds(evidence, random, 50, 0.0);
  evidence.start_anew(false);
  EXPECT_EQ(evidence.size(), 0U);
  EXPECT_EQ(evidence.best_mean(false), std::nullopt);
  EXPECT_EQ(evidence.noise(), 0.0);
  add_rounds(evidence, random, 50, 7.0);
  ASSERT_EQ(evidence.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const ArmEstimate known = evidence.estimate(i);
    EXPECT_EQ(known.pulls, 50U);
    EXPECT_LT(known.interval.lower, 7.5);
    EXPECT_GT(known.interval.upper, 7.5);
    EXPECT_GT(known.interval.lower, 7.0);
  }
  EXPECT_LT(evidence.min(), 1.0) << "the ends of all rewards stay";
  const std::string text = saved(evidence);
  Evidence again = restored(text, 1);
  EXPECT_EQ(saved(again), text);
}

TEST(Evidence, AfterARestartNoAlphaIsSpentTwice) {
  RandomStream random({.seed = 15});
  RandomStream same({.seed = 15});
  Evidence fresh(1);
  Evidence anew(1);
  for (int i = 0; i < 200; ++i) anew.add(Reals{static_cast<double>(i)}, 0.5);
  anew.absorb();
  anew.start_anew(false);
  add_rounds(fresh, random, 50, 0.0);
  add_rounds(anew, same, 50, 0.0);
  const auto width = [](const Evidence& evidence) {
    const Interval interval = evidence.estimate(0).interval;
    return interval.upper - interval.lower;
  };
  EXPECT_GT(width(anew), 1.1 * width(fresh)) << "two hundred arms came before";
}

TEST(Evidence, WhileTheLevelMovesThereAreNoIntervals) {
  RandomStream random({.seed = 16});
  Evidence evidence(1);
  add_rounds(evidence, random, 50, 0.0);
  evidence.start_anew(true);
  add_rounds(evidence, random, 50, 0.0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(evidence.estimate(i).interval.bounded());
  EXPECT_EQ(evidence.safest(false), std::nullopt);
  EXPECT_TRUE(evidence.best_mean(false).has_value());
  EXPECT_EQ(evidence.others(0, false).rivals, 0U);
  EXPECT_EQ(evidence.others(0, false).unknown, 2U);
  evidence.start_anew(false);
  add_rounds(evidence, random, 50, 0.0);
  EXPECT_TRUE(evidence.estimate(0).interval.bounded());
}

// --- unusual rewards -------------------------------------------------------------------------

/// Checks that every result is a number or an open end, and ordered correctly.
void expect_sane(Evidence& evidence) {
  evidence.absorb();
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    const ArmEstimate known = evidence.estimate(i);
    ASSERT_TRUE(std::isfinite(known.mean));
    ASSERT_FALSE(std::isnan(known.interval.lower) || std::isnan(known.interval.upper));
    ASSERT_LE(known.interval.lower, known.mean);
    ASSERT_GE(known.interval.upper, known.mean);
  }
  ASSERT_GE(evidence.inflation(), 1.0);
  for (const bool minimizes : {false, true}) {
    const auto safest = evidence.safest(minimizes);
    if (!safest) continue;
    const Evidence::Others others = evidence.others(*safest, minimizes);
    ASSERT_LT(others.rivals + others.unknown, evidence.size());
  }
}

TEST(Evidence, OddRewardsGiveSaneFigures) {
  const auto ten = [](double usual, double odd, int at) {
    return [=](int i) { return i == at ? odd : usual; };
  };
  RandomStream random({.seed = 12});
  const std::vector<std::function<double(int)>> kinds{
      ten(0.5, 0.5, 0),
      ten(0.0, 0.0, 0),
      ten(-1e100, -1e100, 0),
      ten(0.5, 0.5 + 1e-15, 150),
      ten(1.0, 0.0, 150),
      ten(0.5, 1e9, 0),
      ten(0.5, 1e9, 150),
      ten(1e9, 0.5, 299),
      ten(-1e100, 1e100, 150),
      [](int i) { return i % 2 == 0 ? 3.0 : 4.0; },
      [](int i) { return i % 2 == 0 ? 1e-300 : 2e-300; },
      [&](int i) { return i == 77 ? 1e9 : random.normal(); },
  };
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    SCOPED_TRACE("kind " + std::to_string(kind));
    for (const int arms : {1, 3, 300}) {
      Evidence evidence(1);
      for (int i = 0; i < 300; ++i) {
        evidence.add(Reals{static_cast<double>(i % arms)}, kinds[kind](i));
        if (i % 50 != 49) continue;
        ASSERT_NO_FATAL_FAILURE(expect_sane(evidence));
      }
    }
  }
}

TEST(Evidence, AnOutlierWidensItsOwnArmMost) {
  Evidence evidence(1);
  RandomStream random({.seed = 13});
  for (int i = 0; i < 1'000; ++i) {
    evidence.add(Reals{static_cast<double>(i % 2)}, i == 500 ? 1e9 : random.uniform());
  }
  evidence.absorb();
  const auto width = [&](std::size_t arm) {
    return evidence.estimate(arm).interval.upper - evidence.estimate(arm).interval.lower;
  };
  EXPECT_GT(width(0), 1e6);
  EXPECT_GT(width(0), width(1)) << "an outlier of that arm cannot be excluded";
  EXPECT_TRUE(evidence.has_rare_extremes());
  EXPECT_NEAR(evidence.estimate(1).mean, 0.5, 0.1);
  EXPECT_GT(evidence.estimate(1).interval.lower, 0.3) << "nothing was as far below";
}

}  // namespace
}  // namespace canopy
