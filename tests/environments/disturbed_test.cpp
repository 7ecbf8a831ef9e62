#include "canopy/disturbed.hpp"

#include "canopy/random.hpp"

#include "support/slope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

constexpr double kDisturbanceSize = 0.5;
constexpr int kPullsOfADay = 288;
constexpr int kManyPulls = 700 * kPullsOfADay;
constexpr int kManyRuns = 4000;

/// Tolerance in standard errors, large enough that chance never exceeds it.
constexpr double kErrors = 7.0;

double average_in(const std::vector<double>& numbers) {
  double sum = 0.0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

double variance_in(const std::vector<double>& numbers) {
  const double mean = average_in(numbers);
  double sum = 0.0;
  for (const double number : numbers) sum += (number - mean) * (number - mean);
  return sum / static_cast<double>(numbers.size());
}

double share_where(const std::vector<double>& numbers, bool (*is_meant)(double)) {
  return static_cast<double>(std::count_if(numbers.begin(), numbers.end(), is_meant)) /
         static_cast<double>(numbers.size());
}

double correlation_after(std::size_t lag, const std::vector<double>& numbers) {
  const double mean = average_in(numbers);
  double sum = 0.0;
  for (std::size_t i = lag; i < numbers.size(); ++i) {
    sum += (numbers[i] - mean) * (numbers[i - lag] - mean);
  }
  return sum / static_cast<double>(numbers.size() - lag) / variance_in(numbers);
}

/// A slope with reward 0 at 2 up to 1 at 6, disturbed.
class DisturbedSlope : public ::testing::Test {
 protected:
  DisturbedSlope() { std::cout << "seed " << seed_ << "\n"; }

  static Disturbed slope(Disturbance kind) {
    return {std::make_unique<testing::Slope>(2.0, 6.0), kind, kDisturbanceSize};
  }

  /// The x at which the slope has this value.
  static double x_of(double f) { return 2.0 + 4.0 * f; }

  /// The noise added to f, in units of the size, in a long run.
  std::vector<double> noise(Disturbance kind, double f = 0.5) {
    Disturbed environment = slope(kind);
    environment.start(random_);
    const double x = x_of(f);
    std::vector<double> found;
    for (int i = 0; i < kManyPulls; ++i) {
      found.push_back((environment.pull({&x, 1}, random_) - f) / kDisturbanceSize);
    }
    return found;
  }

  /// The noise after this many pulls, for many runs of one environment.
  std::vector<double> noise_after(int pulls, Disturbance kind) {
    Disturbed environment = slope(kind);
    const double x = x_of(0.5);
    std::vector<double> found;
    for (int run = 0; run < kManyRuns; ++run) {
      environment.start(random_);
      double reward = 0.0;
      for (int i = 0; i < pulls; ++i) reward = environment.pull({&x, 1}, random_);
      found.push_back((reward - 0.5) / kDisturbanceSize);
    }
    return found;
  }

  /// Checks that rewards have two values, the larger one with probability f.
  void expect_one_of_two(Disturbance kind, double larger) {
    Disturbed environment = slope(kind);
    environment.start(random_);
    for (const double f : {0.0, 0.3, 1.0}) {
      const double x = x_of(f);
      int large = 0;
      for (int i = 0; i < kManyPulls; ++i) {
        const double reward = environment.pull({&x, 1}, random_);
        ASSERT_TRUE(reward == 0.0 || reward == larger) << reward;
        if (reward == larger) ++large;
      }
      EXPECT_NEAR(large, f * kManyPulls, kErrors * std::sqrt(f * (1.0 - f) * kManyPulls));
      EXPECT_DOUBLE_EQ(environment.mean_reward_at({&x, 1}, 1), f * larger);
    }
    EXPECT_EQ(environment.optimum_at(1).value, larger);
    EXPECT_EQ(environment.optimum_at(1).arm, std::vector{6.0});
    EXPECT_EQ(environment.reward_range(), (std::array<double, 2>{0.0, larger}));
  }

  std::uint64_t seed_ = std::random_device{}();
  RandomStream random_{{.seed = seed_}};
};

TEST_F(DisturbedSlope, HasTheSpaceAndTheMeansOfTheSlope) {
  for (std::size_t kind = 0; kind < EnumNames<Disturbance>::names.size(); ++kind) {
    if (static_cast<Disturbance>(kind) == Disturbance::two_values) continue;
    const Disturbed environment = slope(static_cast<Disturbance>(kind));
    const double x = x_of(0.75);
    EXPECT_EQ(environment.space().parameters()[0].name, "x");
    EXPECT_EQ(environment.mean_reward_at({&x, 1}, 1), 0.75);
    EXPECT_EQ(environment.optimum_at(1).value, 1.0);
    EXPECT_EQ(environment.reward_range(), (std::array{0.0, 1.0}));
    EXPECT_FALSE(environment.drifts());
  }
}

TEST_F(DisturbedSlope, GaussianNoiseHasTheSizeAskedFor) {
  const std::vector<double> found = noise(Disturbance::gaussian, 0.25);
  EXPECT_NEAR(average_in(found), 0.0, kErrors / std::sqrt(kManyPulls));
  EXPECT_NEAR(variance_in(found), 1.0, kErrors * std::sqrt(2.0 / kManyPulls));
  EXPECT_NEAR(correlation_after(1, found), 0.0, kErrors / std::sqrt(kManyPulls));
}

TEST_F(DisturbedSlope, UnevenNoiseGrowsAlongTheRange) {
  for (const double f : {0.0, 0.5, 1.0}) {
    const std::vector<double> found = noise(Disturbance::uneven, f);
    const double deviation = 0.2 + 1.8 * f;
    EXPECT_NEAR(average_in(found), 0.0, kErrors * deviation / std::sqrt(kManyPulls));
    EXPECT_NEAR(std::sqrt(variance_in(found)), deviation,
                kErrors * deviation / std::sqrt(2.0 * kManyPulls));
  }
}

TEST_F(DisturbedSlope, HeavyTailsAreThoseOfStudentsTWithThreeDegrees) {
  const std::vector<double> found = noise(Disturbance::heavy_tails);
  EXPECT_NEAR(average_in(found), 0.0, 2.0 * kErrors * std::sqrt(3.0 / kManyPulls));
  // Its quantile of 97.5 % is 3.182; a normal number is beyond that once in 700 times.
  const double beyond =
      share_where(found, [](double number) { return std::abs(number) > 3.18245; });
  EXPECT_NEAR(beyond, 0.05, kErrors * std::sqrt(0.05 * 0.95 / kManyPulls));
}

TEST_F(DisturbedSlope, OutliersAreRareAndLarge) {
  std::vector<double> found = noise(Disturbance::outliers);
  EXPECT_NEAR(average_in(found), 0.0, kErrors * std::sqrt(3.0 / kManyPulls));
  const auto others = std::partition(found.begin(), found.end(), [](double x) { return x > 10; });
  const std::vector<double> outliers(found.begin(), others);
  const std::vector<double> usual(others, found.end());
  const double expected = kManyPulls / 200.0;
  EXPECT_NEAR(static_cast<double>(outliers.size()), expected, kErrors * std::sqrt(expected));
  EXPECT_NEAR(average_in(outliers), 19.9, kErrors / std::sqrt(expected));
  EXPECT_NEAR(average_in(usual), -0.1, kErrors / std::sqrt(kManyPulls));
  EXPECT_NEAR(variance_in(usual), 1.0, kErrors * std::sqrt(2.0 / kManyPulls));
}

TEST_F(DisturbedSlope, ZeroOneGivesNothingElse) {
  expect_one_of_two(Disturbance::zero_one, 1.0);
}

TEST_F(DisturbedSlope, TwoValuesAreZeroAndAHundred) {
  expect_one_of_two(Disturbance::two_values, 100.0);
}

TEST_F(DisturbedSlope, AutocorrelatedNoiseFadesAsItsNameSays) {
  struct Case {
    Disturbance kind;
    double memory;
  };
  for (const auto& [kind, memory] :
       {Case{Disturbance::ar_50, 0.5}, {Disturbance::ar_90, 0.9}, {Disturbance::ar_98, 0.98}}) {
    const std::vector<double> found = noise(kind);
    // This many autocorrelated pulls are equivalent to one independent pull, for mean and variance.
    const double slower = (1.0 + memory) / (1.0 - memory);
    const double slower_squares = (1.0 + memory * memory) / (1.0 - memory * memory);
    EXPECT_NEAR(average_in(found), 0.0, kErrors * std::sqrt(slower / kManyPulls));
    EXPECT_NEAR(variance_in(found), 1.0, kErrors * std::sqrt(2.0 * slower_squares / kManyPulls));
    EXPECT_NEAR(correlation_after(1, found), memory, 0.01);
    EXPECT_NEAR(correlation_after(2, found), memory * memory, 0.02);
    // The state at the beginning of a run is random, too.
    const std::vector<double> first = noise_after(1, kind);
    EXPECT_NEAR(average_in(first), 0.0, kErrors / std::sqrt(kManyRuns));
    EXPECT_NEAR(variance_in(first), 1.0, kErrors * std::sqrt(2.0 / kManyRuns));
  }
}

TEST_F(DisturbedSlope, ADayReturnsAfter288Pulls) {
  const std::vector<double> found = noise(Disturbance::day);
  EXPECT_NEAR(average_in(found), 0.0, kErrors / std::sqrt(kManyPulls)) << "over whole days";
  EXPECT_NEAR(variance_in(found), 3.0, 0.1) << "the noise's is 1, that of 2 sin is 2";
  EXPECT_NEAR(correlation_after(kPullsOfADay, found), 2.0 / 3.0, 0.03);
  EXPECT_NEAR(correlation_after(kPullsOfADay / 2, found), -2.0 / 3.0, 0.03);
  EXPECT_NEAR(correlation_after(kPullsOfADay / 4, found), 0.0, 0.03);
}

TEST_F(DisturbedSlope, ADayBeginsAtAnyTime) {
  const std::vector<double> first = noise_after(1, Disturbance::day);
  EXPECT_NEAR(average_in(first), 0.0, kErrors * std::sqrt(3.0 / kManyRuns));
  EXPECT_NEAR(variance_in(first), 3.0, kErrors * 3.0 * std::sqrt(2.0 / kManyRuns));
}

TEST_F(DisturbedSlope, AWalkLeavesItsBeginningStepByStep) {
  for (const int pulls : {1, 100}) {
    const std::vector<double> found = noise_after(pulls, Disturbance::walk);
    const double variance = 1.0 + 0.04 * pulls;
    EXPECT_NEAR(average_in(found), 0.0, kErrors * std::sqrt(variance / kManyRuns));
    EXPECT_NEAR(variance_in(found), variance, kErrors * variance * std::sqrt(2.0 / kManyRuns));
  }
}

TEST_F(DisturbedSlope, JumpsAreRareAndLarge) {
  const std::vector<double> first = noise_after(1, Disturbance::jumps);
  EXPECT_NEAR(variance_in(first), 1.09, 0.3);
  const std::vector<double> found = noise_after(100, Disturbance::jumps);
  EXPECT_NEAR(average_in(found), 0.0, kErrors * std::sqrt(10.0 / kManyRuns));
  EXPECT_NEAR(variance_in(found), 10.0, kErrors * 10.0 * std::sqrt(5.0 / kManyRuns));
  // In 20 pulls there is mostly no jump: 60 % of the rewards are within one size; for a walk with
  // the same variance it would be 45 %.
  const double near = share_where(noise_after(20, Disturbance::jumps),
                                  [](double number) { return std::abs(number) < 1.0; });
  EXPECT_GT(near, 0.54);
}

}  // namespace
}  // namespace canopy
