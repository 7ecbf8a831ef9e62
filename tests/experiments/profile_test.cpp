#include "experiments/profile.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// An algorithm with these regrets after 10, 100, 1000, ... steps.
AlgorithmResult with_regrets(const std::string& label, const std::vector<double>& regrets) {
  AlgorithmResult algorithm;
  algorithm.label = label;
  std::uint64_t steps = 1;
  for (const double regret : regrets) {
    steps *= 10;
    CurvePoint point;
    point.steps = steps;
    point.regret.mean = regret;
    algorithm.curve.push_back(point);
  }
  return algorithm;
}

/// Two comparisons; `b` is not run to the end.
std::vector<ComparisonResult> two() {
  std::vector<ComparisonResult> results(2);
  results[0].algorithms = {with_regrets("a", {0.9, 0.4, 0.1}), with_regrets("b", {0.9, 0.2})};
  results[1].algorithms = {with_regrets("a", {0.9, 0.3, 0.2}), with_regrets("b", {0.9, 0.9})};
  return results;
}

TEST(Profile, RatiosAreToTheLeastRegretOfTheCase) {
  const Profile profile(two(), {100, 1000});
  ASSERT_EQ(profile.rows().size(), 2U);
  EXPECT_EQ(profile.rows()[0].label, "a");
  EXPECT_DOUBLE_EQ(profile.rows()[0].ratios[0][0], 2.0);
  EXPECT_DOUBLE_EQ(profile.rows()[0].ratios[0][1], 1.0);
  EXPECT_DOUBLE_EQ(profile.rows()[1].ratios[0][1], 3.0);
}

TEST(Profile, ComparesAtThePowersOfTenUnlessTheExperimentSaysAtWhichN) {
  ExperimentSpecification suite;
  suite.steps = 50'000;
  EXPECT_EQ(profiled_steps(suite), (std::vector<std::uint64_t>{100, 1000, 10'000}));
  suite.profile = {300, 20'000};
  EXPECT_EQ(profiled_steps(suite), suite.profile);
  const Profile profile(two(), {10});
  EXPECT_EQ(profile.rows()[0].ratios, (std::vector<std::vector<double>>{{1.0, 1.0}}));
}

TEST(Profile, WhatWasNotRunThatFarIsWithinNoFactor) {
  const Profile profile(two(), {100, 1000});
  EXPECT_TRUE(std::isinf(profile.rows()[1].ratios[1][0]));
  EXPECT_EQ(share_within(all_ratios(profile.rows()[1]), 1e300), 0.5);
  EXPECT_NE(table_of(profile).find("  b    0.50    1.73               -"), std::string::npos)
      << table_of(profile);
}

TEST(Profile, SharesAndMeansAreThoseWorkedByHand) {
  const std::vector<double> ratios{1.0, 2.0, 4.0};
  EXPECT_DOUBLE_EQ(share_within(ratios, 1.0), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(share_within(ratios, 2.0), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(share_within(ratios, 3.9), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(geometric_mean(ratios), 2.0);
}

TEST(Profile, NoRegretAtAllIsNotDividedBy) {
  std::vector<ComparisonResult> results(1);
  results[0].algorithms = {with_regrets("a", {0.0, 0.0}), with_regrets("b", {0.0, 0.1})};
  const Profile profile(results, {100});
  EXPECT_EQ(profile.rows()[0].ratios[0][0], 1.0);
  EXPECT_TRUE(std::isfinite(profile.rows()[1].ratios[0][0]));
}

}  // namespace
}  // namespace canopy
