#include "canopy/errors.hpp"
#include "canopy/hct.hpp"
#include "canopy/partition.hpp"

#include "support/values.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::kNan;
using testing::line;

using Sentences = std::vector<std::string>;

/// The constructor's violations, as sentences; empty if there are none.
Sentences complaints(const Space& space, const HctOptions& options, const Objective& objective) {
  Sentences sentences;
  try {
    const Hct hct(space, options, objective);
  } catch (const ConfigurationError& error) {
    for (const Violation& violation : error.violations()) sentences.push_back(violation.text());
  }
  return sentences;
}

Sentences complaints(const HctOptions& options) {
  return complaints(line(), options, {});
}

TEST(HctOptions, ThePracticalPresetIsTheDefault) {
  const HctParameters iid = resolve({}, 1);
  EXPECT_EQ(iid.feedback, Feedback::iid);
  EXPECT_EQ(iid.nu1, 4.0);
  EXPECT_EQ(iid.rho, 0.5);
  EXPECT_EQ(iid.confidence_scale, 0.025);
  EXPECT_EQ(iid.delta, 0.05);
  EXPECT_DOUBLE_EQ(iid.confidence.c, 0.070710678118654752);  // 0.025 * 2 sqrt 2
  EXPECT_DOUBLE_EQ(iid.confidence.c1, 0.67216144028419424);  // (1/24)^(1/8)
}

TEST(HctOptions, ThePracticalPresetIsMoreConfidentOfCorrelatedFeedback) {
  const HctParameters correlated = resolve({.feedback = Feedback::correlated}, 1);
  EXPECT_EQ(correlated.feedback, Feedback::correlated);
  EXPECT_EQ(correlated.nu1, 4.0);
  EXPECT_EQ(correlated.rho, 0.5);
  EXPECT_EQ(correlated.confidence_scale, 0.006);
  EXPECT_DOUBLE_EQ(correlated.confidence.c, 0.10182337649086284);   // 0.006 * 3 * 4 * sqrt 2
  EXPECT_DOUBLE_EQ(correlated.confidence.c1, 0.68039500008718848);  // (1/32)^(1/9)
}

TEST(HctOptions, ThePracticalPresetDoesNotDependOnTheDimension) {
  EXPECT_EQ(resolve({}, 5).rho, 0.5);
}

TEST(HctOptions, ThePaperPresetHalvesTheDiameterOnceAllSidesAreCut) {
  const std::array rho{0.5, 0.70710678118654752, 0.79370052598409974};  // 2^(-1/D)
  const std::array c{2.8284271247461901, 3.6955181300451470, 4.4033269703091878};
  for (std::size_t dimension = 1; dimension <= 3; ++dimension) {
    const HctParameters paper = resolve({.preset = Preset::paper}, dimension);
    EXPECT_EQ(paper.nu1, 1.0);
    EXPECT_DOUBLE_EQ(paper.rho, rho[dimension - 1]);
    EXPECT_EQ(paper.confidence_scale, 1.0);
    EXPECT_EQ(paper.delta, 0.05);
    EXPECT_DOUBLE_EQ(paper.confidence.c, c[dimension - 1]);  // 2 sqrt(1/(1-rho))
  }
}

TEST(HctOptions, TheOptimizerTakesTheDimensionFromItsSpace) {
  const Space plane{{"x", Real{0.0, 1.0}}, {"n", Integer{0, 9}}};
  EXPECT_DOUBLE_EQ(Hct(plane, {.preset = Preset::paper}).parameters().rho, 0.70710678118654752);
  EXPECT_EQ(Hct(line(), {.preset = Preset::paper}).parameters().rho, 0.5);
}

TEST(HctOptions, WhatIsSetByHandOverridesThePreset) {
  for (const Preset preset : {Preset::practical, Preset::paper}) {
    const HctParameters parameters = resolve(
        {.preset = preset, .nu1 = 64.0, .rho = 0.75, .confidence_scale = 2.0, .delta = 0.2}, 3);
    EXPECT_EQ(parameters.nu1, 64.0);
    EXPECT_EQ(parameters.rho, 0.75);
    EXPECT_EQ(parameters.confidence_scale, 2.0);
    EXPECT_EQ(parameters.delta, 0.2);
    EXPECT_DOUBLE_EQ(parameters.confidence.c, 8.0);   // 2 * 2 sqrt 4
    EXPECT_DOUBLE_EQ(parameters.confidence.c1, 0.5);  // (0.75 / 192)^(1/8)
  }
}

TEST(HctOptions, EachIsOverriddenByItself) {
  const HctParameters nu1 = resolve({.preset = Preset::paper, .nu1 = 3.0}, 2);
  EXPECT_EQ(nu1.nu1, 3.0);
  EXPECT_DOUBLE_EQ(nu1.rho, 0.70710678118654752);
  EXPECT_EQ(nu1.confidence_scale, 1.0);
  const HctParameters rho = resolve({.rho = 0.9}, 2);
  EXPECT_EQ(rho.nu1, 4.0);
  EXPECT_EQ(rho.rho, 0.9);
  EXPECT_EQ(rho.confidence_scale, 0.025);
  const HctParameters scale = resolve({.confidence_scale = 0.5}, 2);
  EXPECT_EQ(scale.nu1, 4.0);
  EXPECT_EQ(scale.rho, 0.5);
  EXPECT_EQ(scale.confidence_scale, 0.5);
}

TEST(HctOptions, MixingTimeAndConstantsReachC) {
  // rho = 3/4: c = factor (3 Gamma + 1) * 2.
  HctOptions options{.feedback = Feedback::correlated,
                     .mixing_time = 2.0,
                     .preset = Preset::paper,
                     .nu1 = 96.0,
                     .rho = 0.75};
  EXPECT_DOUBLE_EQ(resolve(options, 1).confidence.c, 42.0);
  options.constants = Constants::supplement;
  EXPECT_DOUBLE_EQ(resolve(options, 1).confidence.c, 84.0);
  options.mixing_time = 0.0;
  EXPECT_DOUBLE_EQ(resolve(options, 1).confidence.c, 12.0);
}

TEST(HctOptions, RefusesRhoOutsideTheOpenUnitInterval) {
  EXPECT_EQ(complaints({.rho = 1.5}), Sentences{"optimizer.rho = 1.5: must be in (0, 1)"});
  EXPECT_EQ(complaints({.rho = 0.0}), Sentences{"optimizer.rho = 0: must be in (0, 1)"});
  EXPECT_EQ(complaints({.rho = 1.0}), Sentences{"optimizer.rho = 1: must be in (0, 1)"});
  EXPECT_EQ(complaints({.rho = -0.5}), Sentences{"optimizer.rho = -0.5: must be in (0, 1)"});
  EXPECT_EQ(complaints({.rho = kNan}), Sentences{"optimizer.rho = nan: must be in (0, 1)"});
  EXPECT_EQ(complaints({.rho = kInfinity}), Sentences{"optimizer.rho = inf: must be in (0, 1)"});
  EXPECT_EQ(complaints({.rho = 0.999}), Sentences{});
}

TEST(HctOptions, RefusesDeltaOutsideTheOpenUnitInterval) {
  EXPECT_EQ(complaints({.delta = 0.0}), Sentences{"optimizer.delta = 0: must be in (0, 1)"});
  EXPECT_EQ(complaints({.delta = 1.0}), Sentences{"optimizer.delta = 1: must be in (0, 1)"});
  EXPECT_EQ(complaints({.delta = -1.0}), Sentences{"optimizer.delta = -1: must be in (0, 1)"});
  EXPECT_EQ(complaints({.delta = kNan}), Sentences{"optimizer.delta = nan: must be in (0, 1)"});
  EXPECT_EQ(complaints({.delta = 0.999}), Sentences{});
}

TEST(HctOptions, RefusesNu1ThatIsNotPositiveAndFinite) {
  const std::string expected = ": must be a number from 1e-50 to 1e50";
  EXPECT_EQ(complaints({.nu1 = 0.0}), Sentences{"optimizer.nu1 = 0" + expected});
  EXPECT_EQ(complaints({.nu1 = -1.0}), Sentences{"optimizer.nu1 = -1" + expected});
  EXPECT_EQ(complaints({.nu1 = kNan}), Sentences{"optimizer.nu1 = nan" + expected});
  EXPECT_EQ(complaints({.nu1 = kInfinity}), Sentences{"optimizer.nu1 = inf" + expected});
  EXPECT_EQ(complaints({.nu1 = 1e-9}), Sentences{});
}

TEST(HctOptions, RefusesAConfidenceScaleThatIsNotPositiveAndFinite) {
  const std::string field = "optimizer.confidence_scale = ";
  const std::string expected = ": must be a number from 1e-50 to 1e50";
  EXPECT_EQ(complaints({.confidence_scale = 0.0}), Sentences{field + "0" + expected});
  EXPECT_EQ(complaints({.confidence_scale = -0.1}), Sentences{field + "-0.1" + expected});
  EXPECT_EQ(complaints({.confidence_scale = kNan}), Sentences{field + "nan" + expected});
  EXPECT_EQ(complaints({.confidence_scale = kInfinity}), Sentences{field + "inf" + expected});
}

TEST(HctOptions, RefusesANegativeMixingTime) {
  const std::string expected = ": must be a number from 0 to 1e50";
  for (const Feedback feedback : {Feedback::iid, Feedback::correlated}) {
    const auto with = [&](double mixing_time) {
      return complaints({.feedback = feedback, .mixing_time = mixing_time});
    };
    EXPECT_EQ(with(-0.5), Sentences{"optimizer.mixing_time = -0.5" + expected});
    EXPECT_EQ(with(kNan), Sentences{"optimizer.mixing_time = nan" + expected});
    EXPECT_EQ(with(kInfinity), Sentences{"optimizer.mixing_time = inf" + expected});
    EXPECT_EQ(with(0.0), Sentences{});
  }
}

TEST(HctOptions, ListsEveryViolationInOneMessage) {
  const HctOptions options{
      .mixing_time = -1.0, .nu1 = 0.0, .rho = 1.5, .confidence_scale = -2.0, .delta = kNan};
  const std::string expected =
      "optimizer.mixing_time = -1: must be a number from 0 to 1e50; "
      "optimizer.nu1 = 0: must be a number from 1e-50 to 1e50; "
      "optimizer.rho = 1.5: must be in (0, 1); "
      "optimizer.confidence_scale = -2: must be a number from 1e-50 to 1e50; "
      "optimizer.delta = nan: must be in (0, 1)";
  EXPECT_EQ(violations(options).size(), 5U);
  const auto expect_refusal = [&](auto&& construct) {
    try {
      construct();
      FAIL() << "must not be accepted";
    } catch (const ConfigurationError& error) {
      EXPECT_EQ(error.what(), expected);
    }
  };
  expect_refusal([&] { static_cast<void>(resolve(options, 1)); });
  expect_refusal([&] { const Hct hct(line(), options); });
  expect_refusal([&] { const Hct hct(std::make_shared<BoxPartition>(line()), options); });
}

TEST(HctOptions, RefusesAWrongObjective) {
  EXPECT_EQ(complaints(line(), {}, {.reward_range = {{1.0, 0.0}}}),
            Sentences{"reward_range = [1, 0]: the first number must be below the second"});
  EXPECT_EQ(
      complaints(line(), {}, {.direction = Direction::minimize, .reward_range = {{0.0, kNan}}}),
      Sentences{"reward_range = [0, nan]: must be two finite numbers with a finite difference"});
  EXPECT_EQ(complaints(line(), {}, {.reward_range = {{-3.0, 7.0}}}), Sentences{});
}

TEST(HctOptions, RefusesASpaceOfOneArm) {
  const Sentences expected = {"space: must have at least two arms"};
  EXPECT_EQ(complaints({{"c", Choice{{"only"}}}}, {}, {}), expected);
  EXPECT_EQ(complaints({{"c", Choice{{"only"}}}, {"d", Choice{{"one"}}}}, {}, {}), expected);
  EXPECT_EQ(complaints({{"c", Choice{{"only"}}}, {"n", Integer{0, 1}}}, {}, {}), Sentences{});
}

}  // namespace
}  // namespace canopy
