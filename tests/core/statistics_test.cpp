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

}  // namespace
}  // namespace canopy
