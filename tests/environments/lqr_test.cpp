#include "canopy/lqr.hpp"

#include "canopy/lqr_partial.hpp"

#include "environments/quadratic_cost.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

double f_of(const SteadyEnvironment& environment, std::vector<double> theta) {
  return environment.mean_reward(theta);
}

TEST(Lqr, AverageCostIsThatOfAnAutoregression) {
  const Lqr lqr({.pole = 1.1, .control_cost = 0.5});
  // (1 + 0.5 0.36) / (1 - 0.25)
  EXPECT_DOUBLE_EQ(lqr.average_cost(0.6), 1.18 / 0.75);
}

TEST(Lqr, TheBestGainSolvesTheRiccatiEquation) {
  for (const double pole : {0.5, 1.0, 1.1, 2.0}) {
    for (const double r : {0.0, 0.1, 1.0, 10.0}) {
      const auto [p, gain] = riccati(pole, r);
      EXPECT_NEAR(p, 1.0 + pole * pole * p - pole * pole * p * p / (r + p), 1e-12 * p);
      EXPECT_NEAR(gain, pole * p / (r + p), 1e-15);
    }
  }
}

TEST(Lqr, TheLeastAverageCostIsTheSolutionOfTheRiccatiEquation) {
  const Lqr lqr;
  EXPECT_NEAR(lqr.average_cost(lqr.optimum().arm[0]), riccati(1.1, 0.5).cost, 1e-12);
}

TEST(Lqr, AGainBeyondTheBoxIsCutOff) {
  const Lqr lqr({.pole = 1.5, .control_cost = 100.0});
  const auto& box = *lqr.space().parameters()[0].domain.as<Real>();
  EXPECT_NEAR(box.low, 0.6, 1e-15);
  EXPECT_GE(lqr.optimum().arm[0], box.low);
}

TEST(Lqr, RewardsLieInTheUnitInterval) {
  Lqr lqr;
  RandomStream random({.seed = 1});
  lqr.start(random);
  const std::array edge{0.2};
  for (int i = 0; i < 100'000; ++i) {
    const double reward = lqr.pull(edge, random);
    ASSERT_GE(reward, 0.0);
    ASSERT_LE(reward, 1.0);
  }
}

TEST(Lqr, NoMixingTimeIsKnown) {
  EXPECT_FALSE(Lqr().mixing_time().has_value());
}

TEST(MeanCappedReward, AgreesWithADirectSum) {
  // Simpson's rule for E min(lambda z^2, cap) over [-12, 12].
  const double lambda = 1.7;
  const double cap = 4.0;
  constexpr int kIntervals = 200'000;
  double sum = 0.0;
  for (int i = 0; i <= kIntervals; ++i) {
    const double z = -12.0 + 24.0 * i / kIntervals;
    const double weight = i == 0 || i == kIntervals ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    sum += weight * std::min(lambda * z * z, cap) * std::exp(-0.5 * z * z);
  }
  const double mean_cost =
      sum * (24.0 / kIntervals) / 3.0 / std::sqrt(2.0 * 3.14159265358979323846);
  EXPECT_NEAR(mean_capped_reward(lambda, cap), 1.0 - mean_cost / cap, 1e-8);
}

TEST(MeanCappedReward, OfTwoEqualPartsIsThatOfAnExponential) {
  // l (z1^2 + z2^2) = 2 l e, so the mean cost is 2 l (1 - exp(-cap / (2 l))).
  const double l = 0.8;
  const double cap = 3.0;
  EXPECT_NEAR(mean_capped_reward(2.0 * l, l * l, cap),
              1.0 - 2.0 * l * (1.0 - std::exp(-cap / (2.0 * l))) / cap, 1e-14);
}

TEST(MeanCappedReward, OfOnePartAloneIsTheOther) {
  EXPECT_NEAR(mean_capped_reward(1.3, 0.0, 5.0), mean_capped_reward(1.3, 5.0), 1e-6);
}

/// The gains and the least cost of a Riccati equation in two dimensions, by iteration.
struct Gains {
  double position, velocity, cost;
};

Gains iterate_riccati() {
  double p11 = 1.0;
  double p12 = 0.0;
  double p22 = 1.0;
  Gains gains{};
  constexpr double h = 0.5;
  for (int i = 0; i < 10'000; ++i) {
    // A = [1 h; 0 1], B = [0 h]', Q = I, r = 1: B'P = h [p12 p22], B'PB = h^2 p22.
    const double s = 1.0 + h * h * p22;
    gains.position = h * p12 / s;
    gains.velocity = h * (h * p12 + p22) / s;
    const double a11 = p11;  // A'PA
    const double a12 = h * p11 + p12;
    const double a22 = h * h * p11 + 2.0 * h * p12 + p22;
    p11 = 1.0 + a11 - s * gains.position * gains.position;
    p12 = a12 - s * gains.position * gains.velocity;
    p22 = 1.0 + a22 - s * gains.velocity * gains.velocity;
  }
  gains.cost = 0.01 * p11 + p22;  // the trace of P W
  return gains;
}

TEST(Lqr2d, TheLeastAverageCostIsThatOfTheRiccatiEquation) {
  const Gains riccati_gains = iterate_riccati();
  const std::array theta{riccati_gains.position, riccati_gains.velocity};
  EXPECT_NEAR(Lqr2d::average_cost(theta), riccati_gains.cost, 1e-9);
  EXPECT_NEAR(8.0 * riccati_gains.cost, Lqr2d().mdp().cap, 1e-9);
  EXPECT_NEAR(riccati_gains.position, 0.64863, 1e-5);
  EXPECT_NEAR(riccati_gains.velocity, 1.48287, 1e-5);
}

TEST(Lqr2d, TheOptimumIsWhereAPatternSearchEnds) {
  const Lqr2d lqr;
  std::vector<double> at{0.5, 1.2};
  for (double step = 0.1; step > 1e-7;) {
    std::vector<double> best = at;
    for (const double dx : {-step, 0.0, step}) {
      for (const double dy : {-step, 0.0, step}) {
        const std::vector<double> next{at[0] + dx, at[1] + dy};
        if (f_of(lqr, next) > f_of(lqr, best)) best = next;
      }
    }
    if (best == at) step /= 2.0;
    at = best;
  }
  EXPECT_NEAR(lqr.optimum().arm[0], at[0], 1e-5);
  EXPECT_NEAR(lqr.optimum().arm[1], at[1], 1e-5);
  EXPECT_NEAR(lqr.optimum().value, f_of(lqr, at), 1e-12);
}

TEST(Lqr2d, TheChainIsStableHoweverPoliciesAreSwitched) {
  // V(x) = x' P x decreases under every policy in the box. The closed loop is linear in the gains
  // and its norm convex, so checking the corners suffices.
  const Lqr2d lqr;
  const auto& first = *lqr.space().parameters()[0].domain.as<Real>();
  const auto& second = *lqr.space().parameters()[1].domain.as<Real>();
  constexpr double p11 = 1.0;
  constexpr double p12 = 0.56;
  constexpr double p22 = 1.66;
  const auto norm = [&](double x, double v) {
    return p11 * x * x + 2.0 * p12 * x * v + p22 * v * v;
  };
  for (const double k1 : {first.low, first.high}) {
    for (const double k2 : {second.low, second.high}) {
      for (int i = 0; i < 1'000; ++i) {
        const double angle = 3.14159265358979323846 * i / 1'000.0;
        const double x = std::cos(angle);
        const double v = std::sin(angle);
        const double next_x = x + 0.5 * v;
        const double next_v = v - 0.5 * (k1 * x + k2 * v);
        ASSERT_LT(norm(next_x, next_v), 0.99 * norm(x, v)) << k1 << ", " << k2;
      }
    }
  }
}

TEST(LqrPartial, TheFilterIsTheFixedPointOfKalmansEquations) {
  const LqrPartial partial({.pole = 1.1, .control_cost = 0.5, .observation_noise = 2.0});
  double m = 1.0;
  for (int i = 0; i < 1'000; ++i) m = 1.1 * 1.1 * m * 4.0 / (m + 4.0) + 1.0;
  EXPECT_NEAR(partial.mdp().filter_gain, m / (m + 4.0), 1e-12);
}

TEST(LqrPartial, WithHardlyAnyNoiseIsTheRegulatorItself) {
  const LqrPartial partial({.observation_noise = 0.001});
  const Lqr full;
  EXPECT_NEAR(partial.optimum().arm[0], full.optimum().arm[0], 1e-3);
  EXPECT_NEAR(partial.optimum().value, full.optimum().value, 1e-3);
}

TEST(LqrPartial, NoiseMakesItWorse) {
  // The cap is eight times the least average cost.
  const double quiet = LqrPartial({.observation_noise = 0.5}).mdp().cap;
  const double loud = LqrPartial({.observation_noise = 2.0}).mdp().cap;
  EXPECT_GT(loud, quiet);
}

}  // namespace
}  // namespace canopy
