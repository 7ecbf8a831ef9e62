#include "canopy/intervals.hpp"

#include "canopy/moments.hpp"
#include "canopy/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

constexpr long double kPi = std::numbers::pi_v<long double>;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(Intervals, KnowNothingUntilTheyHaveEnds) {
  EXPECT_FALSE(Interval{}.bounded());
  EXPECT_FALSE((Interval{0.0}).bounded());
  EXPECT_TRUE((Interval{0.0, 1.0}).bounded());
}

TEST(ArmAlpha, MatchesHandComputedValues) {
  EXPECT_NEAR(arm_alpha(0.95, 1.0), 0.0184535123214271, 1e-14);  // 0.05 (1 - ln 2 / ln 3)
  EXPECT_NEAR(arm_alpha(0.95, 3.0), 0.00346617209633034, 1e-15);
  EXPECT_NEAR(arm_alpha(0.95, 1000.0), 7.24906892335083e-07, 1e-19);
}

TEST(ArmAlpha, SumsOverAllArmsToTheErrorProbability) {
  for (const double level : {0.5, 0.9, 0.95, 0.999}) {
    double sum = 0.0;
    constexpr int kArms = 100'000;
    for (int k = 1; k <= kArms; ++k) sum += arm_alpha(level, k);
    // The rest after n arms is (1 - level) ln 2 / ln(n + 2).
    const double left = (1.0 - level) * std::numbers::ln2 / std::log(kArms + 2.0);
    EXPECT_NEAR(sum + left, 1.0 - level, 1e-12);
  }
}

TEST(TSequenceWidth, MatchesHandComputedValues) {
  EXPECT_NEAR(t_sequence_width(7.0, 0.05), 2.33533563414022, 1e-12);
  EXPECT_NEAR(t_sequence_width(10.0, 0.05), 1.35974816811923, 1e-12);
  EXPECT_NEAR(t_sequence_width(50.0, 0.05), 0.46159297823888, 1e-12);
  EXPECT_NEAR(t_sequence_width(1000.0, 0.05), 0.11094035086139, 1e-12);
  EXPECT_NEAR(t_sequence_width(100.0, 0.001), 0.44592880538814, 1e-12);
}

TEST(TSequenceWidth, IsInfiniteWhileNothingIsExcluded) {
  EXPECT_EQ(t_sequence_width(1.0, 0.05), kInfinite);
  EXPECT_EQ(t_sequence_width(3.0, 0.05), kInfinite);
  EXPECT_EQ(t_sequence_width(4.0, 0.01), kInfinite);
}

/// The logarithm of the Bayes factor of a normal effect with variance 1/2 against none, with the
/// right Haar prior on the scale, for rewards whose mean is off by this many sqrt(SS / T).
long double log_bayes_factor(long double pulls, long double off) {
  const long double g = 1.0L + 0.5L * pulls;
  return -0.5L * std::log(g) + 0.5L * pulls * (std::log1p(off * off) - std::log1p(off * off / g));
}

RC_GTEST_PROP(TSequenceWidth, IsWhereTheBayesFactorIsOneOverAlpha, ()) {
  const auto pulls = static_cast<double>(*rc::gen::inRange<std::uint64_t>(2, 1'000'000));
  const double alpha = std::exp2(-*rc::gen::inRange(1, 100) / 2.0);
  const double width = t_sequence_width(pulls, alpha);
  if (!std::isfinite(width)) return;
  const auto log_factor = static_cast<double>(log_bayes_factor(pulls, width));
  RC_ASSERT(std::abs(log_factor + std::log(alpha)) <= 1e-7);
}

TEST(TSequenceWidth, HoldsAtAllTimesForNormalRewardsOfAnyScale) {
  // Fixed seeds: the fraction of runs in which the mean is ever outside must be at most alpha.
  constexpr double kAlpha = 0.1;
  constexpr int kRuns = 400;
  int missed = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    RandomStream random({.seed = run});
    Moments rewards;
    const double scale = std::exp2(static_cast<double>(run % 20) - 10.0);
    for (int i = 0; i < 1'000; ++i) {
      rewards.add(3.0 + scale * random.normal());
      const double half = std::sqrt(rewards.squared_deviations / rewards.count) *
                          t_sequence_width(rewards.count, kAlpha);
      if (!(std::abs(rewards.mean - 3.0) > half)) continue;
      ++missed;
      break;
    }
  }
  EXPECT_LE(missed, kAlpha * kRuns);
  EXPECT_GE(missed, 0.3 * kAlpha * kRuns) << "and it is not much wider than necessary";
}

// --- rewards in a range ----------------------------------------------------------------------

RC_GTEST_PROP(BoundedInterval, IsWithinTheRangeAndHoldsTheMean, ()) {
  const auto pulls = static_cast<double>(*rc::gen::inRange<std::uint64_t>(1, 1'000'000));
  const double mean = *rc::gen::inRange(0, 1001) / 1000.0;
  const double alpha = std::exp2(-*rc::gen::inRange(1, 60) / 2.0);
  const double errors = pulls * mean * (1.0 - mean) * *rc::gen::inRange(0, 100) / 100.0;
  const Interval known = bounded_interval(mean, pulls, errors, alpha);
  RC_ASSERT(known.lower >= 0.0 && known.upper <= 1.0);
  RC_ASSERT(known.lower <= mean && mean <= known.upper);
  const Interval rate = success_interval(mean * pulls, pulls, 0.5 * alpha);
  RC_ASSERT(known.lower >= rate.lower && known.upper <= rate.upper);
}

TEST(BoundedInterval, IsNarrowWhereRewardsVaryLittle) {
  const Interval calm = bounded_interval(0.5, 10'000.0, 10'000.0 * 0.0025, 0.01);
  const Interval wild = bounded_interval(0.5, 10'000.0, 10'000.0 * 0.25, 0.01);
  EXPECT_LT(calm.upper - calm.lower, 0.25 * (wild.upper - wild.lower));
}

TEST(BoundedInterval, HoldsForRewardsOfAnyShapeAtAllTimes) {
  // Rarely 1, nearly always 0.01: far from normal.
  constexpr double kAlpha = 0.1;
  int missed = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random({.seed = run});
    Moments rewards;
    double errors = 0.0;
    const double truth = 0.03 + 0.97 * 0.01;
    for (int i = 0; i < 2'000; ++i) {
      const double reward = random.uniform() < 0.03 ? 1.0 : 0.01;
      const double predicted = i == 0 ? 0.5 : rewards.mean;
      errors += (reward - predicted) * (reward - predicted);
      rewards.add(reward);
      if (i % 7 != 0) continue;
      const Interval known = bounded_interval(rewards.mean, rewards.count, errors, kAlpha);
      if (known.lower <= truth && truth <= known.upper) continue;
      ++missed;
      break;
    }
  }
  EXPECT_LE(missed, kAlpha * 200);
}

// --- known variance --------------------------------------------------------------------------

TEST(SequenceWidth, MatchesHandComputedValues) {
  // r = (-2 ln 0.05 + ln(1 - 2 ln 0.05)) / 50 = 0.158706...
  EXPECT_NEAR(sequence_width(1.0, 0.05), 6.69438861706604, 1e-12);
  EXPECT_NEAR(sequence_width(10.0, 0.05), 1.06375470065575, 1e-12);
  EXPECT_NEAR(sequence_width(50.0, 0.05), 0.42924337188268, 1e-12);
  EXPECT_NEAR(sequence_width(1000.0, 0.05), 0.10552070034258, 1e-12);
  EXPECT_NEAR(sequence_width(100.0, 0.001), 0.42270206983231, 1e-12);
}

/// The formula of the paper, for any r.
long double width_with(long double pulls, long double alpha, long double r) {
  return std::sqrt(2.0L * (pulls * r + 1.0L) / (pulls * pulls * r) *
                   std::log(std::sqrt(pulls * r + 1.0L) / alpha));
}

RC_GTEST_PROP(SequenceWidth, IsTheFormulaOfThePaper, ()) {
  const auto pulls = static_cast<double>(*rc::gen::inRange<std::uint64_t>(1, 10'000'000));
  const double alpha = std::exp2(-*rc::gen::inRange(1, 100) / 2.0);
  const long double log_alpha = std::log(static_cast<long double>(alpha));
  const long double r = (-2.0L * log_alpha + std::log(1.0L - 2.0L * log_alpha)) / 50.0L;
  const auto expected = static_cast<double>(width_with(pulls, alpha, r));
  RC_ASSERT(std::abs(sequence_width(pulls, alpha) - expected) <= 1e-12 * expected);
}

TEST(SequenceWidth, NoOtherRIsMuchTighterAtFiftyPulls) {
  for (const double alpha : {0.05, 0.01, 1e-4, 1e-8}) {
    long double least = 1e9L;
    for (long double r = 1e-3L; r < 10.0L; r *= 1.01L) {
      least = std::min(least, width_with(50.0L, alpha, r));
    }
    EXPECT_LT(sequence_width(50.0, alpha), 1.005 * static_cast<double>(least)) << alpha;
  }
}

RC_GTEST_PROP(SequenceWidth, ShrinksWithPullsAndGrowsWithCertainty, ()) {
  const auto pulls = static_cast<double>(*rc::gen::inRange<std::uint64_t>(1, 1'000'000));
  const double alpha = std::exp2(-*rc::gen::inRange(1, 100) / 2.0);
  RC_ASSERT(sequence_width(pulls + 1.0, alpha) < sequence_width(pulls, alpha));
  RC_ASSERT(sequence_width(pulls, 0.9 * alpha) > sequence_width(pulls, alpha));
}

// --- zeros and ones --------------------------------------------------------------------------

long double log_beta_by_hand(long double a, long double b) {
  return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

/// ln of p^S (1 - p)^(T - S) over the right side, straight from the inequality.
long double log_ratio(long double p, long double successes, long double pulls, long double alpha) {
  const long double failures = pulls - successes;
  long double left = 0.0L;
  if (successes > 0.0L) left += successes * std::log(p);
  if (failures > 0.0L) left += failures * std::log(1.0L - p);
  return left - std::log(alpha) - log_beta_by_hand(successes + 0.5L, failures + 0.5L) +
         std::log(kPi);  // B(1/2, 1/2) = pi
}

struct RandomRates {
  double successes;
  double pulls;
  double alpha;
};

RandomRates random_rates() {
  const int pulls = *rc::gen::inRange(1, 2000);
  const int successes = *rc::gen::inRange(0, pulls + 1);
  return {static_cast<double>(successes), static_cast<double>(pulls),
          std::exp2(-*rc::gen::inRange(1, 60) / 2.0)};
}

RC_GTEST_PROP(SuccessInterval, IsWhatBruteForceFinds, ()) {
  const auto [successes, pulls, alpha] = random_rates();
  RC_LOG() << successes << " of " << pulls << " alpha " << alpha;
  const Interval found = success_interval(successes, pulls, alpha);
  constexpr int kGrid = 4000;
  for (int i = 0; i <= kGrid; ++i) {
    const double p = static_cast<double>(i) / kGrid;
    const long double ratio = log_ratio(p, successes, pulls, alpha);
    if (std::abs(static_cast<double>(ratio)) < 1e-7) continue;  // too close to an end to tell
    RC_ASSERT((p >= found.lower && p <= found.upper) == (ratio > 0.0L));
    RC_ASSERT(is_possible_rate(p, successes, pulls, alpha) == (ratio > 0.0L));
  }
}

RC_GTEST_PROP(SuccessInterval, HoldsTheRateThatWasSeenAndLiesInTheUnitInterval, ()) {
  const auto [successes, pulls, alpha] = random_rates();
  const Interval found = success_interval(successes, pulls, alpha);
  RC_ASSERT(found.lower >= 0.0 && found.upper <= 1.0);
  RC_ASSERT(found.lower <= successes / pulls && successes / pulls <= found.upper);
  RC_ASSERT(found.lower < found.upper);
  const Interval surer = success_interval(successes, pulls, 0.5 * alpha);
  RC_ASSERT(surer.lower <= found.lower && found.upper <= surer.upper);
}

RC_GTEST_PROP(SuccessInterval, FailuresAreTheMirrorOfSuccesses, ()) {
  const auto [successes, pulls, alpha] = random_rates();
  const Interval one = success_interval(successes, pulls, alpha);
  const Interval other = success_interval(pulls - successes, pulls, alpha);
  RC_ASSERT(std::abs(one.lower - (1.0 - other.upper)) < 1e-9);
  RC_ASSERT(std::abs(one.upper - (1.0 - other.lower)) < 1e-9);
}

TEST(SuccessInterval, WithoutAnySuccessIsTheClosedForm) {
  // (1 - p)^T = alpha B(1/2, T + 1/2) / pi.
  EXPECT_NEAR(success_interval(0.0, 10.0, 0.05).upper, 0.37698735099068, 1e-12);
  EXPECT_NEAR(success_interval(0.0, 100.0, 0.01).upper, 0.07208366096981, 1e-12);
  EXPECT_EQ(success_interval(0.0, 10.0, 0.05).lower, 0.0);
  EXPECT_NEAR(success_interval(10.0, 10.0, 0.05).lower, 1.0 - 0.37698735099068, 1e-12);
  EXPECT_EQ(success_interval(10.0, 10.0, 0.05).upper, 1.0);
}

TEST(SuccessInterval, AcceptsFractionsOfPulls) {
  // Autocorrelated rewards count for less than their number.
  const Interval whole = success_interval(50.0, 100.0, 0.05);
  const Interval less = success_interval(5.25, 10.5, 0.05);
  EXPECT_LT(less.lower, whole.lower);
  EXPECT_GT(less.upper, whole.upper);
  EXPECT_TRUE(less.bounded());
}

TEST(SuccessInterval, NarrowsForEver) {
  const Interval many = success_interval(3e8, 1e9, 1e-6);
  EXPECT_NEAR(many.lower, 0.3, 2e-4);
  EXPECT_NEAR(many.upper, 0.3, 2e-4);
  EXPECT_LT(many.lower, 0.3);
  EXPECT_GT(many.upper, 0.3);
}

TEST(SuccessInterval, NothingBeyondZeroAndOneIsARate) {
  EXPECT_FALSE(is_possible_rate(-0.1, 1.0, 2.0, 0.05));
  EXPECT_FALSE(is_possible_rate(1.1, 1.0, 2.0, 0.05));
  EXPECT_FALSE(is_possible_rate(0.0, 1.0, 2.0, 0.05)) << "there was a success";
  EXPECT_TRUE(is_possible_rate(0.0, 0.0, 2.0, 0.05));
}

}  // namespace
}  // namespace canopy
