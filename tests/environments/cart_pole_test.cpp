#include "canopy/cart_pole.hpp"

#include "support/long_run.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::long_run;

TEST(CartPole, LeftAloneThePoleFallsAndIsSetUpAgain) {
  CartPole environment;
  RandomStream random({.seed = 1});
  environment.start(random);
  const std::array nothing{0.0, 0.0};
  int falls = 0;
  int lying = 0;
  for (int i = 0; i < 10'000; ++i) {
    const int before = environment.state().fallen;
    const double reward = environment.pull(nothing, random);
    if (before == 0 && environment.state().fallen > 0) ++falls;
    if (before > 0) {
      ++lying;
      EXPECT_EQ(reward, 0.0);
    }
    ASSERT_GE(reward, 0.0);
    ASSERT_LE(reward, 1.0);
  }
  EXPECT_GT(falls, 50);
  EXPECT_NEAR(lying, 50 * falls, 50);
}

TEST(CartPole, GravityAndForceActAsTheEquationsSay) {
  const CartPoleProcess process;
  RandomStream random({.seed = 2});
  // At rest and leaning by 0.1: spin = g sin a / (l (4/3 - m cos^2 a / M)).
  const double spin =
      9.8 * std::sin(0.1) / (0.5 * (4.0 / 3.0 - 0.1 * std::pow(std::cos(0.1), 2) / 1.1));
  const auto next = process.step({0.0, 0.0, 0.1, 0.0, 0}, 0.0, random);
  EXPECT_DOUBLE_EQ(next.state.angular_velocity, 0.02 * spin);
  EXPECT_EQ(next.state.angle, 0.1);
  EXPECT_LT(next.state.velocity, 0.0) << "the pole pushes the cart away";
  const auto pushed = process.step({0.0, 0.0, 0.0, 0.0, 0}, 100.0, random);
  // Cut off at 10 N: drive 10 / 1.1 and the pole's reaction.
  const double drive = 10.0 / 1.1;
  const double reaction = -drive / (0.5 * (4.0 / 3.0 - 0.1 / 1.1));
  EXPECT_DOUBLE_EQ(pushed.state.velocity, 0.02 * (drive - 0.05 * reaction / 1.1));
  EXPECT_DOUBLE_EQ(pushed.reward, 0.5) << "full force costs a half";
}

TEST(CartPole, GoodGainsRarelyFall) {
  CartPole environment;
  const auto [mean, error] = long_run(environment, environment.optimum().arm, 200'000);
  EXPECT_GT(mean, 0.9);
  EXPECT_LT(environment.mean_reward(std::vector<double>{0.0, 0.0}), 0.45);
  EXPECT_LT(error, 0.01);
}

TEST(CartPole, TheTableIsWhatASimulationMeasures) {
  // Points of the grid and points between them, with the documented accuracy.
  CartPole environment;
  for (const std::vector<double>& gains : {std::vector<double>{0.0, 0.0},
                                           {20.0, 4.0},
                                           {45.0, 10.0},
                                           {80.0, 30.0},
                                           {12.5, 17.5},
                                           {37.5, 2.5},
                                           {62.0, 8.3}}) {
    const auto [mean, error] = long_run(environment, gains, 1'000'000, 9);
    EXPECT_NEAR(environment.mean_reward(gains), mean, 0.005 + 4.0 * error)
        << gains[0] << ", " << gains[1];
    EXPECT_LT(error, 0.004);
  }
}

}  // namespace
}  // namespace canopy
