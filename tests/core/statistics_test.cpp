#include "canopy/statistics.hpp"

#include "canopy/random.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(Statistics, EstimatesMeanAndStudentInterval) {
  // mean 2, standard deviation 1, standard error 1/sqrt 3, t(0.975, 2) = 4.302653
  const Estimate of_three = estimate(std::vector{1.0, 2.0, 3.0});
  EXPECT_DOUBLE_EQ(of_three.mean, 2.0);
  EXPECT_NEAR(of_three.interval->low, 2.0 - 4.302653 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(of_three.interval->high, 2.0 + 4.302653 / std::sqrt(3.0), 1e-6);
}

TEST(Statistics, ASingleValueHasNoInterval) {
  EXPECT_EQ(estimate(std::vector{0.5}).mean, 0.5);
  EXPECT_FALSE(estimate(std::vector{0.5}).interval.has_value());
}

TEST(Statistics, EqualValuesHaveAnIntervalOfNoWidth) {
  const Estimate same = estimate(std::vector{17.0, 17.0, 17.0});
  EXPECT_EQ(same.interval->low, 17.0);
  EXPECT_EQ(same.interval->high, 17.0);
}

TEST(Statistics, IntervalsCoverTheMeanAtTheirNominalRate) {
  // 4000 intervals of ten sums of twelve uniform numbers, which are close to normal with mean 6.
  // The count covered has standard deviation 14 around 3800; 5 of those either way.
  RandomStream random({.seed = 95});
  int covered = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<double> values(10);
    for (double& value : values) {
      for (int j = 0; j < 12; ++j) value += random.uniform();
    }
    const Estimate::Interval interval = estimate(values).interval.value();
    covered += interval.low <= 6.0 && 6.0 <= interval.high ? 1 : 0;
  }
  EXPECT_NEAR(covered, 3800, 70);
}

RunningEstimate of(const std::vector<double>& values) {
  RunningEstimate running;
  for (const double value : values) running.add(value);
  return running;
}

TEST(Statistics, TheDifferenceOfTwoMeansHasWelchsInterval) {
  // a: mean 3, variance 2.5, n 5; b: mean 2, variance 1, n 3; errors 1/2 and 1/3, freedom
  // (5/6)^2 / (1/16 + 1/18) = 5.882; t(0.975) of that is 2.458824.
  const Estimate estimated = difference(of({1, 2, 3, 4, 5}), of({1, 2, 3}));
  EXPECT_DOUBLE_EQ(estimated.mean, 1.0);
  EXPECT_NEAR(estimated.interval->high - 1.0, 2.458824 * std::sqrt(5.0 / 6.0), 1e-5);
  EXPECT_NEAR(1.0 - estimated.interval->low, 2.458824 * std::sqrt(5.0 / 6.0), 1e-5);
}

TEST(Statistics, TheDifferenceOfSingleValuesHasNoInterval) {
  EXPECT_FALSE(difference(of({1.0}), of({2.0, 3.0})).interval.has_value());
}

TEST(Statistics, WelchsIntervalsCoverAtTheirNominalRate) {
  RandomStream random({.seed = 96});
  int covered = 0;
  for (int i = 0; i < 4000; ++i) {
    RunningEstimate a;
    RunningEstimate b;
    for (int j = 0; j < 8; ++j) a.add(1.0 + 3.0 * random.normal());
    for (int j = 0; j < 20; ++j) b.add(random.normal());
    const Estimate::Interval interval = difference(a, b).interval.value();
    covered += interval.low <= 1.0 && 1.0 <= interval.high ? 1 : 0;
  }
  EXPECT_NEAR(covered, 3800, 70);
}

}  // namespace
}  // namespace canopy
