#include "canopy/moving.hpp"

#include "canopy/errors.hpp"
#include "canopy/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

constexpr std::uint64_t kSpan = 3'000;

/// The maximum of the quadratic hill, which is at 0.37 if nothing moves.
double place_at(const Moving& moving, std::uint64_t t) {
  return moving.optimum_at(t).arm[0];
}

double level_of(const Moving& moving, std::uint64_t t) {
  return moving.optimum_at(t).value - 1.0;
}

class MovingHills : public ::testing::Test {
 protected:
  MovingHills() { std::cout << "seed " << seed_ << "\n"; }

  std::uint64_t seed_ = std::random_device{}();
  RandomStream random_{{.seed = seed_}};
};

TEST(Moving, AnOptimumOnALineGoesThereAndBack) {
  const Moving moving(MovingOptions{.optimum_size = 0.4, .span = kSpan});
  EXPECT_TRUE(moving.drifts());
  EXPECT_DOUBLE_EQ(place_at(moving, 1), 0.37);
  EXPECT_DOUBLE_EQ(place_at(moving, 1 + kSpan / 2), 0.57);
  EXPECT_DOUBLE_EQ(place_at(moving, 1 + kSpan), 0.77);
  EXPECT_NEAR(place_at(moving, 1 + 3 * kSpan / 2), 0.57, 1e-12);
  EXPECT_NEAR(place_at(moving, 1 + 2 * kSpan), 0.37, 1e-12);
  EXPECT_EQ(level_of(moving, 1 + kSpan / 2), 0.0);
}

TEST(Moving, StaysAwayFromTheEndsOfTheBox) {
  const Moving moving(MovingOptions{.optimum_size = -3.0, .span = kSpan});
  EXPECT_DOUBLE_EQ(place_at(moving, 1 + kSpan), 0.08);
}

TEST(Moving, JumpsComeAtThirdsOfTheSpan) {
  const Moving moving(MovingOptions{.optimum = Motion::jumps,
                                    .optimum_size = 0.4,
                                    .level = Motion::jumps,
                                    .level_size = -0.5,
                                    .span = kSpan});
  for (const std::uint64_t round : {0U, 5U}) {
    const std::uint64_t first = round * kSpan + 1;
    EXPECT_DOUBLE_EQ(place_at(moving, first + kSpan / 3 - 1), 0.37);
    EXPECT_DOUBLE_EQ(place_at(moving, first + kSpan / 3), 0.77);
    EXPECT_NEAR(place_at(moving, first + 2 * kSpan / 3), 0.13, 1e-12);
    EXPECT_EQ(level_of(moving, first), 0.0);
    EXPECT_DOUBLE_EQ(level_of(moving, first + kSpan / 3), -0.5);
    EXPECT_NEAR(level_of(moving, first + 2 * kSpan / 3), 0.3, 1e-12);
  }
}

TEST(Moving, ASineHasItsPeriodsInASpan) {
  const Moving moving(MovingOptions{.optimum = Motion::still,
                                    .level = Motion::sine,
                                    .level_size = 0.3,
                                    .periods = 5.0,
                                    .span = kSpan});
  EXPECT_NEAR(level_of(moving, 1 + kSpan / 20), 0.3, 1e-12);
  EXPECT_NEAR(level_of(moving, 1 + 3 * kSpan / 20), -0.3, 1e-12);
  EXPECT_NEAR(level_of(moving, 1 + kSpan / 20 + 7 * kSpan), 0.3, 1e-9);
  EXPECT_EQ(moving.reward_range(), (std::array{-0.3, 1.3}));
}

TEST_F(MovingHills, AWalkIsAnotherOneInEveryRunAndTheSameWithTheSameSeed) {
  Moving moving(MovingOptions{.optimum = Motion::walk, .optimum_size = 0.5, .span = kSpan});
  const auto way = [&](std::uint64_t seed) {
    RandomStream random({.seed = seed});
    moving.start(random);
    std::vector<double> places;
    for (std::uint64_t t = 1; t <= 2 * kSpan; t += 100) places.push_back(place_at(moving, t));
    return places;
  };
  EXPECT_EQ(way(seed_), way(seed_));
  EXPECT_NE(way(seed_), way(seed_ + 1));
}

TEST_F(MovingHills, AWalkHasItsSizeAfterASpanAndGoesBackTheWayItCame) {
  Moving moving(MovingOptions{
      .optimum = Motion::still, .level = Motion::walk, .level_size = 0.5, .span = kSpan});
  constexpr int kRuns = 2'000;
  double squares = 0.0;
  for (int run = 0; run < kRuns; ++run) {
    moving.start(random_);
    EXPECT_EQ(level_of(moving, 1), 0.0);
    EXPECT_NEAR(level_of(moving, 1 + kSpan / 4), level_of(moving, 1 + 7 * kSpan / 4), 1e-9);
    squares += std::pow(level_of(moving, 1 + kSpan), 2.0) / kRuns;
  }
  EXPECT_NEAR(squares, 0.25, 7.0 * 0.25 * std::sqrt(2.0 / kRuns)) << "seven standard errors";
}

TEST_F(MovingHills, NoArmIsEverBetterThanTheOptimum) {
  for (std::size_t hill = 0; hill < EnumNames<HillFunction>::names.size(); ++hill) {
    Moving moving(MovingOptions{.optimum = Motion::walk,
                                .optimum_size = 0.5,
                                .level = Motion::sine,
                                .span = kSpan,
                                .function = static_cast<HillFunction>(hill)});
    moving.start(random_);
    const std::size_t dimension = moving.space().dimension();
    for (int i = 0; i < 5'000; ++i) {
      const std::uint64_t t = 1 + random_() % (3 * kSpan);
      const Optimum optimum = moving.optimum_at(t);
      ASSERT_EQ(optimum.arm.size(), dimension);
      EXPECT_NEAR(moving.mean_reward_at(optimum.arm, t), optimum.value, 1e-7);
      std::vector<double> arm(dimension);
      for (double& each : arm) each = random_.uniform();
      const double mean = moving.mean_reward_at(arm, t);
      ASSERT_LE(mean, optimum.value + 1e-12) << EnumNames<HillFunction>::names.at(hill);
      ASSERT_GE(mean, optimum.value - 1.0) << EnumNames<HillFunction>::names.at(hill);
    }
  }
}

TEST_F(MovingHills, PullsAreOfTheStepTheyAreAt) {
  Moving moving(TrafficDayOptions{.span = kSpan, .noise_width = 0.0});
  for (int run = 0; run < 2; ++run) {
    moving.start(random_);
    for (std::uint64_t t = 1; t <= 2 * kSpan; ++t) {
      const double arm = random_.uniform();
      ASSERT_DOUBLE_EQ(moving.pull({&arm, 1}, random_), moving.mean_reward_at({&arm, 1}, t));
    }
  }
}

TEST_F(MovingHills, NoiseRemembersAsMuchAsItIsTold) {
  constexpr double kMemory = 0.9;
  constexpr int kPulls = 200'000;
  Moving moving(MovingOptions{.optimum = Motion::still,
                              .noise_memory = kMemory,
                              .noise = Noise::gaussian,
                              .noise_width = 0.5});
  EXPECT_FALSE(moving.drifts());
  moving.start(random_);
  const double arm = 0.37;
  double squares = 0.0;
  double products = 0.0;
  double before = 0.0;
  for (int i = 0; i < kPulls; ++i) {
    const double noise = moving.pull({&arm, 1}, random_) - 1.0;
    squares += noise * noise / kPulls;
    products += noise * before / kPulls;
    before = noise;
  }
  // This many autocorrelated pulls are equivalent to one independent pull.
  const double slower = (1.0 + kMemory * kMemory) / (1.0 - kMemory * kMemory);
  EXPECT_NEAR(squares, 0.25, 7.0 * 0.25 * std::sqrt(2.0 * slower / kPulls));
  EXPECT_NEAR(products / squares, kMemory, 0.01);
}

TEST(TrafficDay, IsAWaveWithThreeDeploysADay) {
  const Moving day(TrafficDayOptions{.traffic = 0.3, .deploys = 0.4, .span = kSpan});
  EXPECT_DOUBLE_EQ(place_at(day, 1), 0.37);
  EXPECT_DOUBLE_EQ(place_at(day, 1 + kSpan / 4), 0.37 + 0.1);
  EXPECT_DOUBLE_EQ(level_of(day, 1 + kSpan / 4), 0.3);
  EXPECT_NEAR(place_at(day, 1 + kSpan / 2), 0.37 + 0.4, 1e-12);
  EXPECT_NEAR(level_of(day, 1 + kSpan / 2), -0.2, 1e-12);
  EXPECT_NEAR(level_of(day, 1 + 3 * kSpan / 4), -0.3 + 0.12, 1e-12);
  EXPECT_NEAR(place_at(day, 1 + 4 * kSpan), 0.37, 1e-9);
}

}  // namespace
}  // namespace canopy
