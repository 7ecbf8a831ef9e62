#include "canopy/rewards.hpp"

#include "canopy/random.hpp"
#include "canopy/state.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

/// The sums by their definitions, in two passes and higher precision.
Rewards by_definition(const std::vector<double>& rewards) {
  long double sum = 0.0L;
  for (const double reward : rewards) sum += reward;
  const long double mean = sum / static_cast<long double>(rewards.size());
  long double squares = 0.0L;
  for (const double reward : rewards) squares += (reward - mean) * (reward - mean);
  const auto [least, largest] = std::minmax_element(rewards.begin(), rewards.end());
  return {rewards.size(), static_cast<double>(sum), static_cast<double>(squares), *least, *largest};
}

/// Uniform around a level.
std::vector<double> drawn(RandomStream& random, std::size_t count, double level, double spread) {
  std::vector<double> rewards;
  for (std::size_t i = 0; i < count; ++i) {
    rewards.push_back(level + spread * (random.uniform() - 0.5));
  }
  return rewards;
}

Rewards sum_of(Rewards a, const Rewards& b) {
  return a += b;
}

/// Whether the two are equal up to rounding, which affects squares by level and spread.
bool agree(const Rewards& a, const Rewards& b) {
  const double level = std::max(std::abs(a.min), std::abs(a.max));
  const double spread = a.max - a.min;
  const auto count = static_cast<double>(a.count);
  return a.count == b.count && a.min == b.min && a.max == b.max &&
         std::abs(a.sum - b.sum) <= 1e-13 * count * level &&
         std::abs(a.squared_deviations - b.squared_deviations) <=
             1e-12 * count * spread * (level + spread);
}

TEST(Rewards, OneRewardHasNoSpread) {
  EXPECT_EQ(Rewards::one(-0.25), (Rewards{1, -0.25, 0.0, -0.25, -0.25}));
  EXPECT_EQ(Rewards::of(std::vector{-0.25}), Rewards::one(-0.25));
  EXPECT_EQ(Rewards::one(-0.25).mean(), -0.25);
}

TEST(Rewards, MatchHandComputedValues) {
  // mean 3; squared deviations 4 + 1 + 0 + 9
  const Rewards rewards = Rewards::of(std::vector{1.0, 2.0, 3.0, 6.0});
  EXPECT_EQ(rewards.count, 4U);
  EXPECT_EQ(rewards.sum, 12.0);
  EXPECT_EQ(rewards.mean(), 3.0);
  EXPECT_DOUBLE_EQ(rewards.squared_deviations, 14.0);
  EXPECT_EQ(rewards.min, 1.0);
  EXPECT_EQ(rewards.max, 6.0);
}

RC_GTEST_PROP(Rewards, OnePassAgreesWithTheDefinition, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto count = *rc::gen::inRange<std::size_t>(1, 500);
  const double level = *rc::gen::element(0.0, 0.5, -3.0, 1e6, -1e12);
  const double spread = *rc::gen::element(0.0, 1e-3, 1.0, 1e4);
  RC_LOG() << "seed " << seed << " count " << count << " level " << level << " spread " << spread;
  RandomStream random({.seed = seed});
  const std::vector<double> rewards = drawn(random, count, level, spread);
  RC_ASSERT(agree(by_definition(rewards), Rewards::of(rewards)));
}

TEST(Rewards, KeepASmallSpreadAtALargeLevel) {
  RandomStream random({.seed = 1});
  const std::vector<double> rewards = drawn(random, 1000, 1e6, 1e-3);
  const double expected = by_definition(rewards).squared_deviations;
  ASSERT_NEAR(expected, 1000 * 1e-6 / 12.0, 1e-5);
  EXPECT_NEAR(Rewards::of(rewards).squared_deviations, expected, 1e-4 * expected);
  Rewards one_by_one;
  double squares = 0.0;
  for (const double reward : rewards) {
    one_by_one += Rewards::one(reward);
    squares += reward * reward;
  }
  EXPECT_NEAR(one_by_one.squared_deviations, expected, 1e-4 * expected);
  const double sum = one_by_one.sum;
  EXPECT_GT(std::abs(squares - sum * sum / 1000.0 - expected), expected)
      << "which raw squares do not";
}

TEST(Rewards, NoneAddNothing) {
  const Rewards some = Rewards::of(std::vector{1.0, 2.0});
  EXPECT_EQ(sum_of(some, {}), some);
  EXPECT_EQ(sum_of({}, some), some) << "also its least and largest";
}

RC_GTEST_PROP(Rewards, TogetherAreThoseOfBothLists, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double level = *rc::gen::element(0.0, 0.5, 1e6);
  const double spread = *rc::gen::element(1e-3, 1.0);
  RC_LOG() << "seed " << seed << " level " << level << " spread " << spread;
  RandomStream random({.seed = seed});
  const auto list = [&] { return drawn(random, 1 + random() % 100, level, spread); };
  const std::vector<double> a = list();
  const std::vector<double> b = list();
  std::vector<double> both = a;
  both.insert(both.end(), b.begin(), b.end());
  RC_ASSERT(agree(by_definition(both), sum_of(Rewards::of(a), Rewards::of(b))));
}

RC_GTEST_PROP(Rewards, AddUpToTheSameInAnyOrder, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double level = *rc::gen::element(0.0, -0.5, 1e6);
  const double spread = *rc::gen::element(1e-3, 1.0, 100.0);
  RC_LOG() << "seed " << seed << " level " << level << " spread " << spread;
  RandomStream random({.seed = seed});
  const auto draw = [&] { return Rewards::of(drawn(random, 1 + random() % 50, level, spread)); };
  const Rewards a = draw();
  const Rewards b = draw();
  const Rewards c = draw();
  RC_ASSERT(agree(sum_of(sum_of(a, b), c), sum_of(a, sum_of(b, c))));
  RC_ASSERT(agree(sum_of(a, b), sum_of(b, a)));
}

TEST(Rewards, FromSumsEqualThoseOfTheRewardsExceptForTheEnds) {
  // 1, 2, 3, 6: mean 3, standard deviation sqrt(14 / 4).
  const Rewards rewards = Rewards::from_sums(4, 12.0, 50.0);
  EXPECT_EQ(rewards.count, 4U);
  EXPECT_EQ(rewards.sum, 12.0);
  EXPECT_DOUBLE_EQ(rewards.squared_deviations, 14.0);
  EXPECT_DOUBLE_EQ(rewards.min, 3.0 - std::sqrt(3.5));
  EXPECT_DOUBLE_EQ(rewards.max, 3.0 + std::sqrt(3.5));
  EXPECT_EQ(Rewards::from_sums(1, 0.5, 0.25), Rewards::one(0.5));
}

RC_GTEST_PROP(Rewards, OfSumsForgiveRounding, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double level = *rc::gen::element(0.1, -0.7, 3.0, 1e6);
  const double spread = *rc::gen::element(0.0, 1e-9);
  const auto count = *rc::gen::inRange<std::size_t>(1, 30);
  RC_LOG() << "seed " << seed << " level " << level << " spread " << spread << " count " << count;
  RandomStream random({.seed = seed});
  double sum = 0.0;
  double squares = 0.0;
  float coarse_sum = 0.0F;
  float coarse_squares = 0.0F;
  for (const double reward : drawn(random, count, level, spread)) {
    sum += reward;
    squares += reward * reward;
    coarse_sum += static_cast<float>(reward);
    coarse_squares += static_cast<float>(reward) * static_cast<float>(reward);
  }
  RC_ASSERT(Rewards::from_sums(count, sum, squares).squared_deviations >= 0.0);
  RC_ASSERT(
      Rewards::from_sums(count, double{coarse_sum}, double{coarse_squares}).squared_deviations >=
      0.0);
}

TEST(Rewards, OfImpossibleSumsHaveSquaredDeviationsBelowZero) {
  EXPECT_LT(Rewards::from_sums(1, 0.5, 0.1).squared_deviations, 0.0);
  EXPECT_LT(Rewards::from_sums(10, 10.0, 9.9).squared_deviations, 0.0);
  EXPECT_LT(Rewards::from_sums(3, 0.0, -1.0).squared_deviations, 0.0);
}

TEST(Rewards, OfNoSumsAreNotANumber) {
  EXPECT_TRUE(std::isnan(Rewards::from_sums(0, 0.0, 0.0).min));
  EXPECT_EQ(Rewards::from_sums(0, 0.0, 0.0).count, 0U);
}

TEST(Rewards, AreRestoredBitForBit) {
  Rewards rewards = Rewards::of(std::vector{0.1, 0.2, 1.0 / 3.0});
  State saving;
  saving.mark("rewards");
  saving(rewards);
  const std::string saved = saving.text();
  State restoring(saved);
  Rewards restored;
  restoring.mark("rewards");
  restoring(restored);
  restoring.end();
  EXPECT_EQ(restored, rewards);
}

}  // namespace
}  // namespace canopy
