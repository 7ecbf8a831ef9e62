#include "canopy/pairs.hpp"

#include "canopy/random.hpp"

#include "support/restored.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

constexpr double kAlpha = 0.05;

/// E as defined in the header.
double evidence(const std::vector<double>& differences, double delta, double sign) {
  double sum = 0.0;
  for (const double c : {1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0 / 2.0, 1.0, 2.0}) {
    double product = 1.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < differences.size(); ++i) {
      const double difference = differences[i] - delta;
      squares += difference * difference;
      const double s = std::sqrt(squares / static_cast<double>(i + 1));
      product *= 1.0 + sign * std::tanh(c * difference / s);
    }
    sum += product;
  }
  return sum / 6.0;
}

std::vector<double> normal_differences(std::uint64_t seed, std::size_t count, double shift) {
  RandomStream random({.seed = seed});
  std::vector<double> differences(count);
  for (double& difference : differences) difference = shift + random.normal();
  return differences;
}

Pairs pairs_of(const std::vector<double>& differences) {
  Pairs pairs;
  for (const double difference : differences) pairs.add(difference);
  return pairs;
}

TEST(Pairs, TheEvidenceIsThatOfItsFormula) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> differences = normal_differences(seed, 30, 0.3);
    const Pairs pairs = pairs_of(differences);
    EXPECT_NEAR(pairs.above(), std::log(evidence(differences, 0.0, 1.0)), 1e-9) << seed;
    EXPECT_NEAR(pairs.below(), std::log(evidence(differences, 0.0, -1.0)), 1e-9) << seed;
  }
}

TEST(Pairs, TheIntervalEndsWhereTheEvidenceIsEnough) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> differences = normal_differences(seed, 40, 5.0);
    const Interval interval = pairs_of(differences).interval(kAlpha);
    ASSERT_TRUE(interval.bounded()) << seed;
    EXPECT_GE(evidence(differences, interval.lower, 1.0), 2.0 / kAlpha) << seed;
    EXPECT_LT(evidence(differences, interval.lower + 1e-4, 1.0), 2.0 / kAlpha) << seed;
    EXPECT_GE(evidence(differences, interval.upper, -1.0), 2.0 / kAlpha) << seed;
    EXPECT_LT(evidence(differences, interval.upper - 1e-4, -1.0), 2.0 / kAlpha) << seed;
  }
}

TEST(Pairs, DecideWhereTheIntervalExcludesZero) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Pairs pairs = pairs_of(normal_differences(seed, 30, seed % 2 == 0 ? 0.7 : -0.7));
    const Interval interval = pairs.interval(kAlpha);
    EXPECT_EQ(pairs.is_above(kAlpha) == true, interval.lower > 0.0) << seed;
    EXPECT_EQ(pairs.is_above(kAlpha) == false, interval.upper < 0.0) << seed;
  }
}

TEST(Pairs, EqualDifferencesDecideAfterEightPairs) {
  EXPECT_EQ(Pairs::fewest(kAlpha), 8U);
  const Pairs seven = pairs_of(std::vector<double>(7, 0.25));
  EXPECT_FALSE(seven.is_above(kAlpha));
  EXPECT_FALSE(seven.interval(kAlpha).bounded());
  const Pairs eight = pairs_of(std::vector<double>(8, 0.25));
  EXPECT_EQ(eight.is_above(kAlpha), true);
  EXPECT_NEAR(eight.interval(kAlpha).lower, 0.25, 1e-6);
  EXPECT_EQ(pairs_of(std::vector<double>(8, -0.25)).is_above(kAlpha), false);
}

TEST(Pairs, DifferencesOfZeroDecideNothing) {
  const Pairs pairs = pairs_of(std::vector<double>(100, 0.0));
  EXPECT_FALSE(pairs.is_above(kAlpha));
  EXPECT_FALSE(pairs.interval(kAlpha).bounded());
  EXPECT_EQ(Pairs().mean(), 0.0);
}

TEST(Pairs, FewestGrowsWithTheNumberOfTheArm) {
  std::vector<std::uint64_t> fewest;
  for (const double k : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    fewest.push_back(Pairs::fewest(challenger_alpha(0.95, k)));
  }
  EXPECT_EQ(fewest, (std::vector<std::uint64_t>{9, 11, 12, 13, 14}));
}

TEST(Pairs, UnitsDoNotMatter) {
  std::vector<double> differences = normal_differences(3, 40, 0.5);
  const Interval here = pairs_of(differences).interval(kAlpha);
  for (double& difference : differences) difference *= 1e-30;
  const Interval there = pairs_of(differences).interval(kAlpha);
  EXPECT_NEAR(there.lower * 1e30, here.lower, 1e-4);
  EXPECT_NEAR(there.upper * 1e30, here.upper, 1e-4);
}

/// Differences of two consecutive rewards, without an effect, while the level drifts far.
TEST(Pairs, ALevelThatMovesProvesNothing) {
  int claims = 0;
  constexpr int kRuns = 2'000;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    RandomStream random({.seed = seed, .purpose = "level"});
    Pairs pairs;
    double level = 0.0;
    bool has_claimed = false;
    for (int i = 0; i < 60; ++i) {
      const auto reward = [&] { return (level += random.normal()) + 0.1 * random.normal(); };
      const double first = reward();
      const double second = reward();
      pairs.add(random.coin() ? first - second : second - first);
      has_claimed = has_claimed || pairs.is_above(kAlpha);
    }
    if (has_claimed) ++claims;
  }
  EXPECT_LE(claims, 0.05 * kRuns);
  EXPECT_GE(claims, 0.005 * kRuns) << "it could claim more";
}

TEST(Pairs, ManyPairsAreKeptAsMeansOfSome) {
  const std::vector<double> differences = normal_differences(5, 20'000, 0.02);
  Pairs pairs = pairs_of(differences);
  EXPECT_EQ(pairs.count(), 20'000U);
  const Interval interval = pairs.interval(kAlpha);
  ASSERT_TRUE(interval.bounded());
  EXPECT_LT(interval.upper - interval.lower, 0.08);
  EXPECT_LT(testing::saved(pairs).size(), 90'000U) << "fewer than 4 000 numbers";
}

TEST(Pairs, AreTheSameAfterBeingRestored) {
  for (const std::size_t count : {0U, 5U, 1'500U}) {
    Pairs pairs = pairs_of(normal_differences(7, count, 0.4));
    Pairs again = testing::restored(pairs);
    for (const double difference : {0.3, -0.1, 2.0}) {
      pairs.add(difference);
      again.add(difference);
    }
    EXPECT_EQ(again.above(), pairs.above()) << count;
    EXPECT_EQ(again.interval(kAlpha), pairs.interval(kAlpha)) << count;
    EXPECT_EQ(again.mean(), pairs.mean()) << count;
  }
}

}  // namespace
}  // namespace canopy
