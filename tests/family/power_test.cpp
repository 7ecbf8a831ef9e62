#include "canopy/family/power.hpp"

#include "canopy/garland.hpp"
#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/objectives.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

Space square() {
  return {{"x", Real{-1.0, 1.0}}, {"y", Real{1.0, 100.0, Scale::log}}};
}

std::string complaint(const PowerOptions& options) {
  return testing::complaint_of<Power>(square(), options);
}

TEST(Power, HoldsAnArmForARolloutAndThenMovesOn) {
  Power power(square(), {.rollout_length = 3});
  const Pull pull = power.ask();
  EXPECT_EQ(pull.length, 3U);
  const std::vector<double> arm(pull.arm.begin(), pull.arm.end());
  for (const double reward : {0.1, 0.2, 0.3}) {
    EXPECT_TRUE(std::equal(arm.begin(), arm.end(), pull.arm.begin()));
    EXPECT_EQ(power.tell(pull.ticket, reward), Status::ok);
  }
  const Pull next = power.ask();
  EXPECT_FALSE(std::equal(arm.begin(), arm.end(), next.arm.begin()));
  EXPECT_EQ(power.summary().switches, 2U);
}

TEST(Power, StaysInTheBoxHoweverWildTheExploration) {
  Power power(square(), {.sigma = 1.0, .rollout_length = 1});
  for (int i = 0; i < 10'000; ++i) {
    const Pull pull = power.ask();
    ASSERT_GE(pull.arm[0], -1.0);
    ASSERT_LE(pull.arm[0], 1.0);
    ASSERT_GE(pull.arm[1], 1.0);
    ASSERT_LE(pull.arm[1], 100.0);
    EXPECT_EQ(power.tell(pull.ticket, 0.5), Status::ok);
  }
}

TEST(Power, TheMoveMatchesHandComputedValues) {
  // One parameter, so that the first two rollouts and the point between them are collinear.
  Power power({{"x", Real{0.0, 1.0}}}, {.sigma = 0.2, .window = 2, .rollout_length = 1, .seed = 5},
              testing::unit_range());
  const auto play = [&](double reward) {
    const Pull pull = power.ask();
    const double x = pull.arm[0];
    EXPECT_EQ(power.tell(pull.ticket, reward), Status::ok);
    return x;
  };
  const double first = play(0.3);
  EXPECT_DOUBLE_EQ(power.best()->arm[0], first) << "one rollout attracts all the way";
  const double second = play(0.6);
  EXPECT_NEAR(power.best()->arm[0], (0.3 * first + 0.6 * second) / 0.9, 1e-12);
  const double third = play(0.1);  // not among the two best
  EXPECT_NEAR(power.best()->arm[0], (0.3 * first + 0.6 * second) / 0.9, 1e-12) << third;
  const double fourth = play(0.9);
  EXPECT_NEAR(power.best()->arm[0], (0.6 * second + 0.9 * fourth) / 1.5, 1e-12);
  EXPECT_DOUBLE_EQ(power.best()->mean, 0.75);
  EXPECT_EQ(power.best()->pulls, 2U);
}

TEST(Power, ReturnsBelowZeroAreShifted) {
  Power power({{"x", Real{0.0, 1.0}}}, {.window = 2, .rollout_length = 1}, testing::unit_range());
  const auto play = [&](double reward) {
    const Pull pull = power.ask();
    const double x = pull.arm[0];
    EXPECT_EQ(power.tell(pull.ticket, reward), Status::ok);
    return x;
  };
  const double start = power.ask().arm[0];
  (void)start;
  const double first = play(-0.5);  // weight 0: no move
  const double second = play(0.5);  // weights 0 and 1
  EXPECT_NEAR(power.best()->arm[0], second, 1e-12) << first;
}

TEST(Power, ClimbsASmoothHill) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Power power(square(), {.sigma = 0.1, .window = 10, .rollout_length = 5, .seed = seed});
    RandomStream random({.seed = seed});
    for (int i = 0; i < 5'000; ++i) {
      const Pull pull = power.ask(1);
      const double x = pull.arm[0] - 0.4;
      const double y = (std::log10(pull.arm[1]) - 1.3) / 2.0;
      EXPECT_EQ(power.tell(pull.ticket,
                           std::exp(-4.0 * (x * x + y * y)) + 0.05 * (random.uniform() - 0.5)),
                Status::ok);
    }
    EXPECT_NEAR(power.best()->arm[0], 0.4, 0.15) << "seed " << seed;
    EXPECT_NEAR(std::log10(power.best()->arm[1]), 1.3, 0.2) << "seed " << seed;
  }
}

TEST(Power, GetsStuckOnGarlandsLocalMaximaMoreOftenThanHct) {
  constexpr int kRuns = 20;
  constexpr int kSteps = 20'000;
  const auto simple_regret = [](Optimizer& optimizer, std::uint64_t seed) {
    Garland garland;
    RandomStream random({.seed = seed});
    for (int i = 0; i < kSteps; ++i) {
      const Pull pull = optimizer.ask(1);
      EXPECT_EQ(optimizer.tell(pull.ticket, garland.pull(pull.arm, random)), Status::ok);
    }
    return kGarlandMaximum - garland.mean_reward(optimizer.best()->arm);
  };
  int power_stuck = 0;
  int hct_stuck = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    Power power({{"x", Real{0.0, 1.0}}}, {.sigma = 0.05, .rollout_length = 10, .seed = seed});
    Hct hct({{"x", Real{0.0, 1.0}}}, {.nu1 = 1.0, .rho = 0.7071, .confidence_scale = 0.05});
    power_stuck += simple_regret(power, seed) > 0.05 ? 1 : 0;
    hct_stuck += simple_regret(hct, seed) > 0.05 ? 1 : 0;
  }
  EXPECT_GT(power_stuck, hct_stuck + 5);
}

TEST(Power, LateAnswersCountAndTeachNothing) {
  Power power({{"x", Real{0.0, 1.0}}}, {.rollout_length = 1});
  const Pull first = power.ask();
  const Pull overrun = power.ask();
  EXPECT_EQ(first.arm[0], overrun.arm[0]);
  const double arm = overrun.arm[0];
  EXPECT_EQ(power.tell(first.ticket, 0.5), Status::ok);
  const Pull next = power.ask();
  EXPECT_EQ(overrun.arm[0], arm) << "an open ticket keeps its arm";
  EXPECT_NE(next.arm[0], arm);
  EXPECT_EQ(power.tell(overrun.ticket, 1.0), Status::ok);
  EXPECT_EQ(power.summary().t, 3U);
  EXPECT_EQ(power.best()->pulls, 1U);
  EXPECT_EQ(power.best()->mean, 0.5);
  EXPECT_EQ(power.tell(next.ticket, 0.25), Status::ok);
  EXPECT_EQ(power.best()->pulls, 2U);
}

TEST(Power, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(complaint({.sigma = 0.0}), "optimizer.sigma = 0: must be in (0, 1]");
  EXPECT_EQ(complaint({.window = 0}),
            "optimizer.window = 0: must be a whole number from 1 to 1000000");
  EXPECT_EQ(complaint({.rollout_length = 0}),
            "optimizer.rollout_length = 0: must be a whole number from 1 to 1000000");
}

}  // namespace
}  // namespace canopy
