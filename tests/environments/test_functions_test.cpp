#include "canopy/test_functions.hpp"

#include "canopy/errors.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

double value_at(const SteadyEnvironment& environment, const std::vector<double>& arm) {
  return environment.mean_reward(arm);
}

TEST(DoubleSine, IsTheOneWorkedByHand) {
  const DoubleSine f;
  // u = 1: the sine of 0 is 0, both powers are 1.
  EXPECT_NEAR(value_at(f, {1.0}), 0.0, 1e-15);
  // u = 1/2: sin(-pi) = 0; 2^-log2(1/0.8) = 0.8, 2^-log2(1/0.3) = 0.3.
  EXPECT_NEAR(value_at(f, {0.75}), 1.0 - 0.8 + 0.5 * (0.8 - 0.3), 1e-14);
  // log2 u = -1.5: sin(-1.5 pi) = 1, the upper curve.
  const double u = std::pow(2.0, -1.5);
  EXPECT_NEAR(value_at(f, {0.5 + 0.5 * u}), 1.0 - std::pow(0.3, 1.5), 1e-14);
  EXPECT_EQ(value_at(f, {0.5}), 1.0);
}

TEST(Difficult, IsTheOneWorkedByHand) {
  const Difficult f;
  EXPECT_EQ(value_at(f, {0.5}), 1.0);
  // d = 1/4: log2 = -2, fraction 0: the high branch.
  EXPECT_NEAR(value_at(f, {0.75}), 1.0 - std::numbers::sqrt2 / 16.0, 1e-15);
  // d = 0.2: log2 = -2.32, fraction 0.68: the low one.
  EXPECT_NEAR(value_at(f, {0.7}), 1.0 - std::sqrt(0.4), 1e-12);
  // d = 1/2: fraction 0.
  EXPECT_NEAR(value_at(f, {0.0}), 1.0 - std::numbers::sqrt2 / 4.0, 1e-15);
}

TEST(Himmelblau, HasFourMaximaAndItsLeastInACorner) {
  const Himmelblau f;
  EXPECT_EQ(value_at(f, {3.0, 2.0}), 1.0);
  EXPECT_NEAR(value_at(f, {-2.805118086952745, 3.131312518250573}), 1.0, 1e-12);
  EXPECT_NEAR(value_at(f, {-3.779310253377747, -3.283185991286170}), 1.0, 1e-12);
  EXPECT_NEAR(value_at(f, {3.584428340330492, -1.848126526964404}), 1.0, 1e-12);
  EXPECT_NEAR(value_at(f, {5.0, 5.0}), 0.0, 1e-15);
}

TEST(Rastrigin, ItsLargestValueIsWhereItsDerivativeVanishes) {
  double x = 4.5;
  const double two_pi = 2.0 * std::numbers::pi;
  for (int i = 0; i < 50; ++i) {  // Newton
    x -= (2.0 * x + 10.0 * two_pi * std::sin(two_pi * x)) /
         (2.0 + 10.0 * two_pi * two_pi * std::cos(two_pi * x));
  }
  EXPECT_NEAR(10.0 + x * x - 10.0 * std::cos(two_pi * x), kRastriginLargest, 1e-12);
  const Rastrigin f({.dimension = 3});
  EXPECT_NEAR(value_at(f, {x, -x, x}), 0.0, 1e-14);
  EXPECT_GE(value_at(f, {x, -x, x}), 0.0);
  EXPECT_EQ(value_at(f, {0.0, 0.0, 0.0}), 1.0);
  // cos 2 pi = 1: each coordinate costs 1.
  EXPECT_NEAR(value_at(f, {1.0, 0.0, 0.0}), 1.0 - 1.0 / (3.0 * kRastriginLargest), 1e-14);
}

TEST(Ackley, IsTheOneWorkedByHand) {
  const Ackley f({.dimension = 2});
  EXPECT_NEAR(value_at(f, {0.0, 0.0}), 1.0, 1e-15);
  // At whole numbers the cosines are 1: only the first part remains.
  const double whole = 20.0 * (1.0 - std::exp(-0.2));
  EXPECT_NEAR(value_at(f, {1.0, -1.0}),
              1.0 - whole / (20.0 + std::numbers::e - 1.0 / std::numbers::e), 1e-14);
  EXPECT_GT(value_at(f, {32.5, 32.5}), 0.0);
}

TEST(AnyDimension, SpacesHaveTheDimensionAskedFor) {
  EXPECT_EQ(Rastrigin({.dimension = 7}).space().dimension(), 7U);
  EXPECT_EQ(Ackley({.dimension = 1}).space().dimension(), 1U);
  EXPECT_EQ(Ackley().optimum().arm, (std::vector<double>{0.0, 0.0}));
  EXPECT_THROW(Ackley({.dimension = 1001}), ConfigurationError);
}

}  // namespace
}  // namespace canopy
