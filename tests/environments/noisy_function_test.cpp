#include "canopy/noisy_function.hpp"

#include "canopy/errors.hpp"
#include "canopy/garland.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace canopy {
namespace {

struct Draws {
  double mean = 0.0;
  double deviation = 0.0;
  double least = 1e9;
  double most = -1e9;
};

Draws draws(double f, Noise noise, double width) {
  constexpr int kDraws = 200'000;
  RandomStream random({.seed = 1});
  double sum = 0.0;
  double squares = 0.0;
  Draws result;
  for (int i = 0; i < kDraws; ++i) {
    const double reward = noisy(f, noise, width, random);
    sum += reward;
    squares += reward * reward;
    result.least = std::min(result.least, reward);
    result.most = std::max(result.most, reward);
  }
  result.mean = sum / kDraws;
  result.deviation = std::sqrt(squares / kDraws - result.mean * result.mean);
  return result;
}

TEST(Noise, UniformHasTheWidthAskedFor) {
  const Draws m = draws(0.3, Noise::uniform, 0.6);
  EXPECT_NEAR(m.mean, 0.3, 0.002);
  EXPECT_NEAR(m.deviation, 0.6 / std::sqrt(12.0), 0.002);
  EXPECT_GE(m.least, 0.0);
  EXPECT_LE(m.most, 0.6);
}

TEST(Noise, GaussianHasTheStandardDeviationAskedFor) {
  const Draws m = draws(0.3, Noise::gaussian, 0.5);
  EXPECT_NEAR(m.mean, 0.3, 0.006);
  EXPECT_NEAR(m.deviation, 0.5, 0.006);
  EXPECT_LT(m.least, -1.0) << "it has tails";
}

TEST(Noise, BernoulliIsASuccessOrNot) {
  const Draws m = draws(0.3, Noise::bernoulli, 1.0);
  EXPECT_NEAR(m.mean, 0.3, 0.006);
  EXPECT_NEAR(m.deviation, std::sqrt(0.21), 0.003);
  EXPECT_NEAR(m.least, 0.0, 1e-15);
  EXPECT_NEAR(m.most, 1.0, 1e-15);
  const Draws half = draws(0.3, Noise::bernoulli, 0.5);
  EXPECT_NEAR(half.mean, 0.3, 0.003);
  EXPECT_NEAR(half.deviation, 0.5 * std::sqrt(0.21), 0.003);
}

TEST(Noise, OfNoWidthIsNone) {
  for (const Noise noise : {Noise::uniform, Noise::gaussian, Noise::bernoulli}) {
    const Draws m = draws(0.3, noise, 0.0);
    EXPECT_EQ(m.least, 0.3);
    EXPECT_EQ(m.most, 0.3);
  }
}

TEST(NoisyFunction, RefusesAWidthBelowZero) {
  EXPECT_THROW(Garland({.noise = Noise::gaussian, .noise_width = -0.1}), ConfigurationError);
}

TEST(NoisyFunction, RemembersNothing) {
  EXPECT_EQ(Garland().mixing_time(), 0.0);
}

}  // namespace
}  // namespace canopy
