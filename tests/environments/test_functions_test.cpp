#include "canopy/test_functions.hpp"

#include "canopy/errors.hpp"

#include <cmath>
#include <numbers>
#include <variant>
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

TEST(Counterexample, IsTheOneWorkedByHand) {
  const Counterexample f;
  EXPECT_EQ(value_at(f, {0.0}), 1.0);
  EXPECT_NEAR(value_at(f, {std::exp(-1.0)}), 0.0, 1e-15);
  EXPECT_NEAR(value_at(f, {std::exp(-10.0)}), 0.9, 1e-15);
}

TEST(Cliff, ClimbsToItsEdgeAndIsNothingBeyond) {
  const Cliff f;
  const double edge = f.optimum().arm[0];
  EXPECT_EQ(value_at(f, {edge}), 1.0);
  EXPECT_EQ(value_at(f, {std::nextafter(edge, 1.0)}), 0.0);
  EXPECT_NEAR(value_at(f, {0.5}), std::numbers::sqrt2 / 2.0, 1e-15);
  EXPECT_EQ(value_at(f, {0.0}), 0.0);
}

TEST(Branin, HasThreeMaximaAndItsLeastInACorner) {
  const Branin f;
  const double pi = std::numbers::pi;
  EXPECT_NEAR(value_at(f, {pi, 2.275}), 1.0, 1e-15);
  EXPECT_NEAR(value_at(f, {-pi, 12.275}), 1.0, 1e-15);
  EXPECT_NEAR(value_at(f, {3.0 * pi, 2.475}), 1.0, 1e-15);
  EXPECT_NEAR(value_at(f, {-5.0, 0.0}), 0.0, 1e-14);
  // At (0, 0) the square is 36 and the cosine 1.
  const double least = 10.0 / (8.0 * pi);
  EXPECT_NEAR(value_at(f, {0.0, 0.0}), 1.0 - (56.0 - 2.0 * least) / (kBraninLargest - least),
              1e-14);
}

TEST(Peaks, IsTheOneWorkedByHand) {
  const Peaks f;
  // At (0, 0): 3/e - 0 - 1/(3 e).
  const double middle = (3.0 - 1.0 / 3.0) / std::numbers::e;
  EXPECT_NEAR(value_at(f, {0.0, 0.0}), (middle - kPeaksLeast) / (kPeaksLargest - kPeaksLeast),
              1e-15);
  EXPECT_NEAR(value_at(f, f.optimum().arm), 1.0, 1e-15);
  EXPECT_NEAR(value_at(f, {0.228278916745, -1.625534964503}), 0.0, 1e-15);
}

TEST(Rosenbrock, IsTheOneWorkedByHand) {
  const Rosenbrock f({.dimension = 3});
  EXPECT_EQ(value_at(f, {1.0, 1.0, 1.0}), 1.0);
  EXPECT_NEAR(value_at(f, {-2.048, -2.048, -2.048}), 0.0, 1e-12);
  EXPECT_GE(value_at(f, {-2.048, -2.048, -2.048}), 0.0);
  // Both terms at 0 are 1.
  EXPECT_NEAR(value_at(f, {0.0, 0.0, 0.0}), 1.0 - 1.0 / kRosenbrockLargest, 1e-15);
  EXPECT_THROW(Rosenbrock({.dimension = 1}), ConfigurationError);
}

/// Climbs from the claimed optimum: no arm nearby may be better by more than rounding.
void expect_top(const SteadyEnvironment& f) {
  const Optimum top = f.optimum();
  EXPECT_NEAR(f.mean_reward(top.arm), top.value, 1e-15);
  for (std::size_t axis = 0; axis < top.arm.size(); ++axis) {
    for (const double step : {-1e-3, -1e-5, 1e-5, 1e-3}) {
      std::vector<double> arm = top.arm;
      arm[axis] += step;
      EXPECT_LT(f.mean_reward(arm), f.mean_reward(top.arm)) << axis << ' ' << step;
    }
  }
}

TEST(Hartmann, ItsOptimaAreTops) {
  expect_top(Hartmann3());
  expect_top(Hartmann6());
  expect_top(Peaks());
  expect_top(Branin());
}

TEST(Hartmann, IsNearTheHeightOfABellInItsMiddle) {
  // The fourth bell of three parameters: 3.2 plus the contributions of the second and the others,
  // 1.2 exp(-0.1 0.4318^2 - 10 0.1356^2 - 35 0.1358^2) and so on.
  const double second =
      1.2 * std::exp(-(0.1 * 0.4318 * 0.4318 + 10.0 * 0.1356 * 0.1356 + 35.0 * 0.1358 * 0.1358));
  const double third =
      3.0 * std::exp(-(3.0 * 0.071 * 0.071 + 10.0 * 0.2989 * 0.2989 + 30.0 * 0.3281 * 0.3281));
  const double first =
      std::exp(-(3.0 * 0.3308 * 0.3308 + 10.0 * 0.4573 * 0.4573 + 30.0 * 0.6155 * 0.6155));
  EXPECT_NEAR(value_at(Hartmann3(), {0.0381, 0.5743, 0.8828}),
              (3.2 + second + third + first) / 3.862779787332664, 1e-12);
}

TEST(AnyDimension, ACropLeavesTheOptimumInTheBoxButNotInItsMiddle) {
  const Rastrigin f({.dimension = 2, .crop = 0.25});
  const auto& side = *f.space().parameters()[1].domain.as<Real>();
  EXPECT_DOUBLE_EQ(side.low, -2.56);
  EXPECT_EQ(side.high, 5.12);
  EXPECT_EQ(value_at(f, f.optimum().arm), 1.0);
  EXPECT_DOUBLE_EQ(DoubleSine({.crop = 0.3}).space().parameters()[0].domain.as<Real>()->low, 0.3);
  EXPECT_THROW(Difficult({.crop = 0.5}), ConfigurationError);
}

TEST(AnyDimension, SpacesHaveTheDimensionAskedFor) {
  EXPECT_EQ(Rastrigin({.dimension = 7}).space().dimension(), 7U);
  EXPECT_EQ(Ackley({.dimension = 1}).space().dimension(), 1U);
  EXPECT_EQ(Ackley().optimum().arm, (std::vector<double>{0.0, 0.0}));
  EXPECT_THROW(Ackley({.dimension = 1001}), ConfigurationError);
}

}  // namespace
}  // namespace canopy
