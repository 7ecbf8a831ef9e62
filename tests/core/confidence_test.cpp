// Every formula of the algorithm against numbers worked by hand.

#include "canopy/confidence.hpp"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

TEST(Confidence, IidConstantsAreThoseOfTheFirstTheorem) {
  // 1/(1 - 3/4) = 4, so c = 2 sqrt 4 = 4; c1 = ((3/4) / (3 * 64))^(1/8) = (1/256)^(1/8) = 1/2.
  const Confidence constants =
      confidence_constants(Feedback::iid, 64.0, 0.75, 0.0, Constants::main, 1.0);
  EXPECT_DOUBLE_EQ(constants.c, 4.0);
  EXPECT_DOUBLE_EQ(constants.c1, 0.5);
}

TEST(Confidence, IidConstantsOfThePaperPresetInOneDimension) {
  // nu1 = 1, rho = 1/2: c = 2 sqrt 2, c1 = (1/6)^(1/8).
  const Confidence constants =
      confidence_constants(Feedback::iid, 1.0, 0.5, 0.0, Constants::main, 1.0);
  EXPECT_DOUBLE_EQ(constants.c, 2.8284271247461901);
  EXPECT_DOUBLE_EQ(constants.c1, 0.79933916721644041);
}

TEST(Confidence, IidConstantsDoNotDependOnMixingOrTheSupplement) {
  const Confidence plain = confidence_constants(Feedback::iid, 2.0, 0.6, 0.0, Constants::main, 1.0);
  const Confidence same =
      confidence_constants(Feedback::iid, 2.0, 0.6, 5.0, Constants::supplement, 1.0);
  EXPECT_EQ(plain.c, same.c);
  EXPECT_EQ(plain.c1, same.c1);
}

TEST(Confidence, CorrelatedConstantsGrowWithTheMixingTime) {
  // sqrt(1/(1 - 3/4)) = 2, so c = 3 (3 Gamma + 1) 2: 6, 24, 42 for Gamma = 0, 1, 2.
  // c1 = ((3/4) / (4 * 96))^(1/9) = (1/512)^(1/9) = 1/2, whatever Gamma is.
  for (const double gamma : {0.0, 1.0, 2.0}) {
    const Confidence constants =
        confidence_constants(Feedback::correlated, 96.0, 0.75, gamma, Constants::main, 1.0);
    EXPECT_DOUBLE_EQ(constants.c, 6.0 + 18.0 * gamma);
    EXPECT_DOUBLE_EQ(constants.c1, 0.5);
  }
}

TEST(Confidence, TheSupplementHasSixInPlaceOfThree) {
  // 6 (3 * 1 + 1) 2 = 48.
  const Confidence constants =
      confidence_constants(Feedback::correlated, 96.0, 0.75, 1.0, Constants::supplement, 1.0);
  EXPECT_DOUBLE_EQ(constants.c, 48.0);
  EXPECT_DOUBLE_EQ(constants.c1, 0.5) << "c1 is the same in both";
}

TEST(Confidence, TheScaleMultipliesCAndLeavesC1) {
  // The practical preset, nu1 = 4 and rho = 1/2. iid: c = 0.025 * 2 sqrt 2, c1 = (1/24)^(1/8);
  // correlated with Gamma = 1: c = 0.006 * 12 sqrt 2, c1 = (1/32)^(1/9).
  const Confidence iid = confidence_constants(Feedback::iid, 4.0, 0.5, 1.0, Constants::main, 0.025);
  EXPECT_DOUBLE_EQ(iid.c, 0.070710678118654752);
  EXPECT_DOUBLE_EQ(iid.c1, 0.67216144028419424);
  const Confidence correlated =
      confidence_constants(Feedback::correlated, 4.0, 0.5, 1.0, Constants::main, 0.006);
  EXPECT_DOUBLE_EQ(correlated.c, 0.10182337649086284);
  EXPECT_DOUBLE_EQ(correlated.c1, 0.68039500008718848);
}

TEST(Confidence, DeltaTildeIsSpreadOverTheSteps) {
  // 0.5 * 0.1 / 4 = 0.0125, and half of that at twice the step.
  EXPECT_DOUBLE_EQ(delta_tilde(0.5, 0.1, 4.0), 0.0125);
  EXPECT_DOUBLE_EQ(delta_tilde(0.5, 0.1, 8.0), 0.00625);
}

TEST(Confidence, DeltaTildeIsAtMostOneSoThatLIsNeverNegative) {
  // 4 * 0.5 / s is 2 at s = 1 and exactly 1 at s = 2; beyond, it is below 1.
  EXPECT_EQ(delta_tilde(4.0, 0.5, 1.0), 1.0);
  EXPECT_EQ(delta_tilde(4.0, 0.5, 2.0), 1.0);
  EXPECT_EQ(delta_tilde(4.0, 0.5, 4.0), 0.5);
  EXPECT_EQ(log_confidence(4.0, 0.5, 1.0), 0.0);
  EXPECT_EQ(log_confidence(4.0, 0.5, 2.0), 0.0);
  EXPECT_DOUBLE_EQ(log_confidence(4.0, 0.5, 4.0), 0.69314718055994531);  // ln 2
}

TEST(Confidence, LIsTheLogarithmOfOneOverDeltaTilde) {
  // 1 / 0.0125 = 80, ln 80 = 4.38...
  EXPECT_DOUBLE_EQ(log_confidence(0.5, 0.1, 4.0), 4.3820266346738816);
  // 1024 / ((1/6)^(1/8) * 0.05) = 25621.2...
  EXPECT_DOUBLE_EQ(log_confidence(0.79933916721644041, 0.05, 1024.0), 10.151174012806951);
}

TEST(Confidence, APhaseEndsAtTheNextPowerOfTwo) {
  EXPECT_EQ(phase_end(1), 2U);
  EXPECT_EQ(phase_end(2), 4U);
  EXPECT_EQ(phase_end(3), 4U);
  EXPECT_EQ(phase_end(4), 8U);
  EXPECT_EQ(phase_end(7), 8U);
  EXPECT_EQ(phase_end(8), 16U);
  constexpr std::uint64_t kFar = std::uint64_t{1} << 40;
  EXPECT_EQ(phase_end(kFar - 1), kFar);
  EXPECT_EQ(phase_end(kFar), 2 * kFar);
  EXPECT_EQ(phase_end(kFar + 1), 2 * kFar);
}

RC_GTEST_PROP(Confidence, AStepLiesInTheLastHalfOfItsPhaseEnd, ()) {
  const auto t = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 62);
  RC_ASSERT(t < phase_end(t));
  RC_ASSERT(phase_end(t) <= 2 * t);
  RC_ASSERT((phase_end(t) & (phase_end(t) - 1)) == 0U);
}

TEST(Confidence, TheResolutionShrinksGeometricallyFromNu1) {
  EXPECT_EQ(resolution(4.0, 0.5, 0), 4.0);
  EXPECT_DOUBLE_EQ(resolution(4.0, 0.5, 3), 0.5);   // 4 / 8
  EXPECT_DOUBLE_EQ(resolution(2.0, 0.3, 2), 0.18);  // 2 * 0.09
}

TEST(Confidence, TheWidthShrinksWithTheRootOfThePulls) {
  EXPECT_DOUBLE_EQ(confidence_width(4.0, 9.0, 4.0), 6.0);   // 4 * 3/2
  EXPECT_DOUBLE_EQ(confidence_width(4.0, 9.0, 16.0), 3.0);  // 4 * 3/4
  EXPECT_EQ(confidence_width(4.0, 0.0, 1.0), 0.0) << "L = 0 means certainty";
  // 2 sqrt 2 * sqrt(10.151174... / 100)
  EXPECT_DOUBLE_EQ(confidence_width(2.8284271247461901, 10.151174012806951, 100.0),
                   0.90116253862694275);
}

TEST(Confidence, TheUpperBoundAddsResolutionAndWidthToTheMean) {
  EXPECT_DOUBLE_EQ(upper_bound(0.25, 0.5, 6.0), 6.75);
  EXPECT_DOUBLE_EQ(upper_bound(-1.0, 0.5, 0.0), -0.5);
}

TEST(Confidence, TheThresholdGrowsAsTheResolutionSquaredShrinks) {
  EXPECT_DOUBLE_EQ(expansion_threshold(4.0, 2.0, 2.0, 0.5, 0), 8.0);    // 16 * 2 / 4
  EXPECT_DOUBLE_EQ(expansion_threshold(4.0, 2.0, 2.0, 0.5, 3), 512.0);  // ... * 4^3
  EXPECT_EQ(expansion_threshold(4.0, 0.0, 2.0, 0.5, 3), 0.0);
  // 8 * 10.151174... * 64: real, not rounded.
  EXPECT_DOUBLE_EQ(expansion_threshold(2.8284271247461901, 10.151174012806951, 1.0, 0.5, 3),
                   5197.4010945571589);
}

RC_GTEST_PROP(Confidence, AtTheThresholdTheWidthIsTheResolution, ()) {
  const double c = *rc::gen::inRange(1, 1000) / 50.0;
  const double log_term = *rc::gen::inRange(1, 1000) / 20.0;
  const double nu1 = *rc::gen::inRange(1, 1000) / 100.0;
  const double rho = *rc::gen::inRange(1, 100) / 100.0;
  const auto depth = *rc::gen::inRange<std::uint32_t>(0, 20);
  const double pulls = expansion_threshold(c, log_term, nu1, rho, depth);
  const double width = confidence_width(c, log_term, pulls);
  const double expected = resolution(nu1, rho, depth);
  RC_ASSERT(std::abs(width - expected) <= 1e-12 * expected);
}

}  // namespace
}  // namespace canopy
