#include "canopy/family/vhct.hpp"

#include "canopy/garland.hpp"
#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_vhct.hpp"
#include "support/tree.hpp"
#include "support/values.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::line;
using testing::nodes_of;
using testing::path_of;
using testing::RandomHct;
using testing::TextbookVhct;

const Objective kUnit01{.reward_range = {{0.0, 1.0}}};

std::string vhct_complaint(const VhctOptions& options) {
  return testing::complaint_of<Vhct>(line(), options);
}

TEST(VhctWidth, MatchesHandComputedValues) {
  // c^2 L = 2, V = 1/4, b = 1, 100 pulls: sqrt(2 * 0.25 * 2 / 100) = 0.1, 3 * 2 / 100 = 0.06.
  EXPECT_DOUBLE_EQ(variance_width(2.0, 0.25, 1.0, 100.0), 0.16);
  // Without noise only the second term remains; half the range halves it.
  EXPECT_DOUBLE_EQ(variance_width(2.0, 0.0, 0.5, 100.0), 0.03);
}

TEST(VhctThreshold, MatchesHandComputedValues) {
  // c^2 L = 2, V = 1/4, b = 1, e = 1/8: 3 b e = 0.375, V^2 + 6 b V e = 0.0625 + 0.1875 = 1/4, whose
  // root is 1/2; 2 (0.25 + 0.375 + 0.5) / (1/64) = 144.
  EXPECT_DOUBLE_EQ(variance_threshold(2.0, 0.25, 1.0, 0.125), 144.0);
  // Without noise 3 b c^2 L / e = 3 * 2 * 8.
  EXPECT_DOUBLE_EQ(variance_threshold(2.0, 0.0, 1.0, 0.125), 48.0);
}

RC_GTEST_PROP(VhctThreshold, IsWhereTheWidthHasShrunkToTheResolution, ()) {
  const double weight = *rc::gen::element(1e-4, 0.3, 2.0, 50.0);
  const double variance = *rc::gen::element(0.0, 1e-6, 0.01, 0.25, 3.0);
  const double range = *rc::gen::element(0.01, 1.0, 7.0);
  const double resolution = *rc::gen::element(1e-4, 0.1, 1.0, 4.0);
  const double pulls = variance_threshold(weight, variance, range, resolution);
  const double width = variance_width(weight, variance, range, pulls);
  RC_ASSERT(std::abs(width - resolution) <= 1e-12 * resolution);
}

TEST(Vhct, ItsBoundsMatchHandComputedValues) {
  // rho = 0.5, nu1 = 1: c = 0.1 * 2 sqrt(2), c^2 = 0.08; c1 = (1/6)^(1/8) = 0.799339. Pulls 1 to 3
  // take t to 4, so L is that of t+ = 4 for pulls 2 and 3: ln(4 / (0.799339 * 0.05)) = 4.606, c^2 L
  // = 0.36848.
  Vhct vhct(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.1}, kUnit01);
  const std::vector<double> rewards{0.2, 0.9, 0.5};
  for (const double reward : rewards) {
    const Pull pull = vhct.ask();
    EXPECT_EQ(vhct.tell(pull.ticket, reward), Status::ok);
  }
  const auto nodes = nodes_of(vhct);  // the root, 0 and 1
  // The first pull goes left, the second right (infinite); then U of the left is 0.2 + 0.5 + 3 *
  // 0.36848 / 1 and the right one's 0.9 + ...: the third goes right. V of 0.9 and 0.5 is 0.04:
  // U = 0.7 + 0.5 + sqrt(2 * 0.04 * 0.36848 / 2) + 3 * 0.36848 / 2.
  const double weight = 0.08 * std::log(4.0 / (std::pow(1.0 / 6.0, 1.0 / 8.0) * 0.05));
  EXPECT_NEAR(weight, 0.36848, 1e-4);
  EXPECT_EQ(nodes[1].pulls, 1U);
  EXPECT_EQ(nodes[2].pulls, 2U);
  EXPECT_NEAR(nodes[1].upper, 0.2 + 0.5 + 3.0 * weight, 1e-12);
  EXPECT_NEAR(nodes[2].upper, 0.7 + 0.5 + std::sqrt(0.04 * weight) + 1.5 * weight, 1e-12);
}

TEST(Vhct, GivesALeafChildrenWhenItHasPullsEnoughForItsOwnVariance) {
  // Rewards that never differ: tau at depth 1 is 3 c^2 L / e; rewards that differ need more pulls.
  const auto pulls_until_split = [](double low, double high) {
    Vhct vhct(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.2}, kUnit01);
    int pulls = 0;
    while (vhct.summary().nodes == 3) {
      const Pull pull = vhct.ask();
      EXPECT_EQ(vhct.tell(pull.ticket, pulls++ % 2 == 0 ? low : high), Status::ok);
    }
    return pulls;
  };
  EXPECT_LT(pulls_until_split(0.5, 0.5), pulls_until_split(0.0, 1.0));
}

TEST(Vhct, PaperPresetIsWhatTheTheoremsAreAbout) {
  const VhctParameters paper = vhct_parameters({.preset = Preset::paper}, 2);
  EXPECT_EQ(paper.nu1, 1.0);
  EXPECT_DOUBLE_EQ(paper.rho, std::sqrt(0.5));
  EXPECT_EQ(paper.confidence_scale, 1.0);
  EXPECT_DOUBLE_EQ(paper.confidence.c, 2.0 * std::sqrt(1.0 / (1.0 - std::sqrt(0.5))));
  EXPECT_EQ(vhct_parameters({.preset = Preset::paper, .rho = 0.3}, 2).rho, 0.3);
}

/// Plays both for `steps` pulls and fails at the first difference.
void compare_with_textbook(const RandomHct& setting, double bound, std::uint64_t seed, int steps) {
  const HctOptions& hct = setting.options;
  const VhctOptions options{.nu1 = hct.nu1,
                            .rho = hct.rho,
                            .confidence_scale = hct.confidence_scale,
                            .delta = hct.delta,
                            .bound = bound};
  Vhct vhct(setting.partition, options, setting.objective);
  TextbookVhct textbook(setting.partition,
                        {*hct.nu1, *hct.rho, *hct.confidence_scale, hct.delta, bound},
                        setting.objective);
  RandomStream random({.seed = seed});
  for (int i = 0; i < steps; ++i) {
    TextbookVhct::Node& node = textbook.select();
    const Pull pull = vhct.ask();
    RC_ASSERT(path_of(vhct, pull.ticket) == node.path);
    const double reward = setting.reward(pull.arm, random.uniform());
    RC_ASSERT(vhct.tell(pull.ticket, reward) == Status::ok);
    textbook.learn(node, reward);
    textbook.compute_bounds(node);
  }
  textbook.select();
  RC_ASSERT(vhct.ask().length == 1U);
  RC_ASSERT(nodes_of(vhct).front().bound == textbook.scale().to_user(textbook.root().bound));
}

RC_GTEST_PROP(Vhct, IsTheAlgorithmOfItsPaperPullForPull, ()) {
  for (int i = 0; i < 3; ++i) {
    const auto setting = *rc::gen::arbitrary<RandomHct>();
    const double bound = *rc::gen::element(0.1, 1.0, 3.0);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    RC_LOG() << setting << " bound " << bound << " seed " << seed << '\n';
    compare_with_textbook(setting, bound, seed, *rc::gen::inRange(1, 500));
  }
}

TEST(Vhct, RegretFalls) {
  const auto regret_after = [](int steps) {
    Garland garland;
    Vhct vhct(garland.space(), {}, kUnit01);
    RandomStream random({.seed = 5});
    double regret = 0.0;
    for (int i = 0; i < steps; ++i) {
      const Pull pull = vhct.ask();
      regret += kGarlandMaximum - garland.mean_reward(pull.arm);
      EXPECT_EQ(vhct.tell(pull.ticket, garland.pull(pull.arm, random)), Status::ok);
    }
    return regret / steps;
  };
  const double late = regret_after(100'000);
  EXPECT_LT(late, 0.5 * regret_after(1'000));
  EXPECT_LT(late, 0.05);
}

TEST(Vhct, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(vhct_complaint({.nu1 = 0.0}), "optimizer.nu1 = 0: must be a number from 1e-50 to 1e50");
  EXPECT_EQ(vhct_complaint({.rho = 1.5}), "optimizer.rho = 1.5: must be in (0, 1)");
  EXPECT_EQ(vhct_complaint({.delta = 1.0}), "optimizer.delta = 1: must be in (0, 1)");
  EXPECT_EQ(vhct_complaint({.bound = 0.0}),
            "optimizer.bound = 0: must be a number from 1e-50 to 1e50");
  EXPECT_EQ(testing::complaint_of<Vhct>(Space{{"c", Choice{{"only"}}}}),
            "space: must have at least two arms");
}

}  // namespace
}  // namespace canopy
