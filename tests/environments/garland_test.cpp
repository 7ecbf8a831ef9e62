#include "canopy/garland.hpp"

#include "canopy/errors.hpp"
#include "canopy/random.hpp"

#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::kInf;
using testing::kNan;

/// An arm of one number.
struct At {
  double x;
  operator Arm() const { return {&x, 1}; }
};

/// The constructor's violations; empty if there are none.
template <class Environment, class Options>
std::string complaint(const Options& options) {
  try {
    const Environment environment(options);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return {};
}

TEST(Garland, IsTheFunctionOfThePaper) {
  // Computed independently to twenty digits.
  EXPECT_DOUBLE_EQ(garland(0.25), 0.59879920013265922);
  EXPECT_DOUBLE_EQ(garland(0.3), 0.65801500725985414);
  EXPECT_EQ(garland(0.0), 0.0);
  EXPECT_EQ(garland(1.0), 0.0);
}

TEST(Garland, KnowsItsOptimum) {
  // At pi/6 the sine is that of 10 pi, so f = (pi/6) (1 - pi/6) 4 = (2 pi/3) (1 - pi/6).
  for (const Optimum& optimum : {Garland().optimum(), GarlandMdp().optimum()}) {
    ASSERT_EQ(optimum.arm.size(), 1U);
    EXPECT_DOUBLE_EQ(optimum.arm[0], std::numbers::pi / 6.0);
    EXPECT_DOUBLE_EQ(optimum.value, 0.9977723911610445);
    // Near the maximum, the square root turns an error of 1e-15 in the sine into 1e-8 in f.
    EXPECT_NEAR(Garland().mean_reward(optimum.arm), optimum.value, 1e-7);
  }
}

TEST(Garland, NoArmIsBetterThanTheOptimum) {
  constexpr int kPoints = 1'000'000;
  double largest = 0.0;
  for (int i = 0; i <= kPoints; ++i) largest = std::max(largest, garland(i / double{kPoints}));
  EXPECT_LE(largest, kGarlandMaximum);
  EXPECT_GT(largest, kGarlandMaximum - 0.01) << "and the grid comes near it";
}

TEST(Garland, IsAboutOneNumberInTheUnitInterval) {
  for (const Space& space : {Garland().space(), GarlandMdp().space()}) {
    ASSERT_EQ(space.dimension(), 1U);
    const Real& real = *space.parameters()[0].domain.as<Real>();
    EXPECT_EQ(real.low, 0.0);
    EXPECT_EQ(real.high, 1.0);
    EXPECT_EQ(real.scale, Scale::linear);
  }
}

TEST(Garland, RewardsWithoutNoiseAreTheMean) {
  Garland environment({.noise_width = 0.0});
  RandomStream random({.seed = 1});
  for (const double x : {0.1, 0.25, 0.9}) {
    EXPECT_EQ(environment.pull(At{x}, random), garland(x));
    EXPECT_EQ(environment.mean_reward(At{x}), garland(x));
  }
}

TEST(Garland, NoiseIsUniformAroundTheMean) {
  constexpr int kPulls = 100'000;
  for (const double width : {1.0, 0.2}) {
    Garland environment({.noise_width = width});
    RandomStream random({.seed = 2});
    double sum = 0.0;
    double least = kInf;
    double largest = -kInf;
    for (int i = 0; i < kPulls; ++i) {
      const double noise = environment.pull(At{0.3}, random) - garland(0.3);
      sum += noise;
      least = std::min(least, noise);
      largest = std::max(largest, noise);
    }
    // Five standard errors of a uniform variable; its ends are missed by 1e-3 with e^-100.
    EXPECT_NEAR(sum / kPulls, 0.0, 5.0 * width / std::sqrt(12.0 * kPulls));
    EXPECT_NEAR(least, -width / 2.0, 1e-3 * width);
    EXPECT_NEAR(largest, width / 2.0, 1e-3 * width);
    EXPECT_GE(least, -width / 2.0 - 1e-15);
    EXPECT_LE(largest, width / 2.0 + 1e-15);
  }
}

TEST(Garland, RewardsDoNotDependOnThePast) {
  Garland one({.noise_width = 0.0});
  Garland other({.noise_width = 0.0});
  RandomStream random({.seed = 3});
  one.start(random);
  for (int i = 0; i < 10; ++i) one.pull(At{0.9}, random);
  EXPECT_EQ(one.pull(At{0.3}, random), other.pull(At{0.3}, random));
}

TEST(Garland, RefusesNoiseThatIsNegativeOrNotANumber) {
  const auto with = [](double width) {
    return complaint<Garland>(GarlandOptions{.noise_width = width});
  };
  const std::string expected = ": must be a number from 0 to 1e50";
  EXPECT_EQ(with(-1.0), "environment.noise_width = -1" + expected);
  EXPECT_EQ(with(kNan), "environment.noise_width = nan" + expected);
  EXPECT_EQ(with(kInf), "environment.noise_width = inf" + expected);
  EXPECT_EQ(with(0.0), "");
  EXPECT_EQ(with(3.0), "");
}

TEST(GarlandMdp, RefusesNoiseThatIsNegativeOrNotANumber) {
  const auto with = [](double width) {
    return complaint<GarlandMdp>(GarlandMdpOptions{.noise_width = width});
  };
  const std::string expected = ": must be a number from 0 to 1e50";
  EXPECT_EQ(with(-1.0), "environment.noise_width = -1" + expected);
  EXPECT_EQ(with(kNan), "environment.noise_width = nan" + expected);
  EXPECT_EQ(with(kInf), "environment.noise_width = inf" + expected);
  EXPECT_EQ(with(0.0), "");
}

TEST(GarlandMdp, RefusesBetaOutsideItsRange) {
  const auto with = [](double beta) {
    return complaint<GarlandMdp>(GarlandMdpOptions{.beta = beta});
  };
  EXPECT_EQ(with(0.0), "environment.beta = 0: must be a number from 1e-6 to 1");
  EXPECT_EQ(with(-0.2), "environment.beta = -0.2: must be a number from 1e-6 to 1");
  EXPECT_EQ(with(1.5), "environment.beta = 1.5: must be a number from 1e-6 to 1");
  EXPECT_EQ(with(kNan), "environment.beta = nan: must be a number from 1e-6 to 1");
  EXPECT_EQ(with(1.0), "");
  EXPECT_EQ(with(1e-6), "");
}

TEST(GarlandMdp, TheStateFollowsTheArm) {
  GarlandMdp environment({.noise_width = 0.0});  // beta 0.2
  RandomStream random({.seed = 4});
  environment.start(random);
  const double s0 = environment.state();
  double expected = s0;
  for (int i = 1; i <= 50; ++i) {
    const double reward = environment.pull(At{0.75}, random);
    expected = 0.8 * expected + 0.2 * 0.75;
    ASSERT_DOUBLE_EQ(environment.state(), expected);
    ASSERT_EQ(reward, garland(environment.state())) << "the state after the move is rewarded";
    // In closed form, x + (1 - beta)^i (s0 - x).
    ASSERT_NEAR(environment.state(), 0.75 + std::pow(0.8, i) * (s0 - 0.75), 1e-14);
  }
}

TEST(GarlandMdp, AnArmHeldForEverEarnsItsMean) {
  GarlandMdp environment({.noise_width = 0.0});
  RandomStream random({.seed = 5});
  environment.start(random);
  double reward = 0.0;
  for (int i = 0; i < 200; ++i) reward = environment.pull(At{0.3}, random);
  EXPECT_NEAR(reward, environment.mean_reward(At{0.3}), 1e-9);
  EXPECT_DOUBLE_EQ(environment.mean_reward(At{0.3}), 0.65801500725985414);
}

TEST(GarlandMdp, SwitchingArmsDoesNotResetTheState) {
  GarlandMdp environment({.noise_width = 0.0, .beta = 0.5});
  RandomStream random({.seed = 6});
  environment.start(random);
  for (int i = 0; i < 100; ++i) environment.pull(At{1.0}, random);
  ASSERT_NEAR(environment.state(), 1.0, 1e-15);
  EXPECT_NEAR(environment.pull(At{0.0}, random), garland(0.5), 1e-12);
  EXPECT_NEAR(environment.pull(At{1.0}, random), garland(0.75), 1e-12);
  EXPECT_NEAR(environment.pull(At{0.0}, random), garland(0.375), 1e-12);
}

TEST(GarlandMdp, BetaOneHasNoMemory) {
  GarlandMdp environment({.noise_width = 0.0, .beta = 1.0});
  RandomStream random({.seed = 7});
  environment.start(random);
  for (const double x : {0.9, 0.1, 0.3}) EXPECT_EQ(environment.pull(At{x}, random), garland(x));
}

RC_GTEST_PROP(GarlandMdp, StartDrawsAStateInTheUnitInterval, (std::uint64_t seed)) {
  GarlandMdp environment;
  RandomStream random({.seed = seed});
  environment.start(random);
  RC_ASSERT(environment.state() >= 0.0 && environment.state() < 1.0);
  RC_ASSERT(environment.state() == RandomStream({.seed = seed}).uniform());
}

TEST(GarlandMdp, StartDrawsAnewForEveryRun) {
  GarlandMdp environment;
  RandomStream random({.seed = 8});
  std::set<double> states;
  double sum = 0.0;
  constexpr int kRuns = 10'000;
  for (int i = 0; i < kRuns; ++i) {
    environment.start(random);
    states.insert(environment.state());
    sum += environment.state();
  }
  EXPECT_EQ(states.size(), std::size_t{kRuns});
  EXPECT_NEAR(sum / kRuns, 0.5, 5.0 / std::sqrt(12.0 * kRuns));  // five standard errors
}

TEST(GarlandMdp, AfterAChangeTheRewardsAreOffByNoMoreThanTheMixingTime) {
  for (const double beta : {0.05, 0.2, 0.7}) {
    GarlandMdp environment({.noise_width = 0.0, .beta = beta});
    const double bound = environment.mixing_time().value();
    RandomStream random({.seed = 9});
    for (int run = 0; run < 200; ++run) {
      environment.start(random);
      const double x = random.uniform();
      double off = 0.0;
      for (int t = 0; t < 500; ++t) {
        off += environment.pull(At{x}, random) - garland(x);
        ASSERT_LE(std::abs(off), bound) << "beta " << beta << ", x " << x;
      }
    }
  }
}

/// Rewards of a run that plays a fixed cycle of arms.
std::vector<double> trajectory(std::uint64_t seed) {
  GarlandMdp environment;
  RandomStream random({.seed = seed});
  environment.start(random);
  std::vector<double> rewards;
  rewards.reserve(100);
  for (int i = 0; i < 100; ++i) rewards.push_back(environment.pull(At{0.1 * (i % 10)}, random));
  return rewards;
}

TEST(GarlandMdp, TheSameSeedGivesTheSameTrajectory) {
  EXPECT_EQ(trajectory(9), trajectory(9));
  EXPECT_NE(trajectory(9), trajectory(10));
}

TEST(GarlandMdp, NoiseIsCentred) {
  GarlandMdp environment;
  RandomStream random({.seed = 11});
  environment.start(random);
  constexpr int kPulls = 100'000;
  double sum = 0.0;
  for (int i = 0; i < kPulls; ++i) {
    const double reward = environment.pull(At{0.3}, random);
    const double noise = reward - garland(environment.state());
    ASSERT_LE(std::abs(noise), 0.5 + 1e-15);
    sum += noise;
  }
  EXPECT_NEAR(sum / kPulls, 0.0, 5.0 / std::sqrt(12.0 * kPulls));  // five standard errors
}

}  // namespace
}  // namespace canopy
