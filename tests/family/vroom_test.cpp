#include "canopy/family/vroom.hpp"

#include "canopy/random.hpp"

#include "support/arms_played.hpp"
#include "support/complaint.hpp"
#include "support/objectives.hpp"
#include "support/textbook_vroom.hpp"
#include "support/tree.hpp"
#include "support/values.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::arms_played;
using testing::line;
using testing::nodes_of;

TEST(Vroom, HarmonicNumbersMatchHandComputedValues) {
  EXPECT_EQ(harmonic(0), 0.0);
  EXPECT_EQ(harmonic(1), 1.0);
  EXPECT_DOUBLE_EQ(harmonic(4), 25.0 / 12.0);
  EXPECT_NEAR(harmonic(100), 5.187377517639621, 1e-14);
  EXPECT_NEAR(harmonic(1e6), 14.392726722865724, 1e-13);
  EXPECT_NEAR(harmonic(65) - harmonic(64), 1.0 / 65.0, 1e-15) << "where the series begins";
}

TEST(Vroom, WorksOutItsFormulas) {
  const VroomOptions options = resolved(VroomOptions{.horizon = 1000});
  EXPECT_EQ(options.depth_limit, 9U) << "2^9 = 512";
  EXPECT_DOUBLE_EQ(*options.delta, 4.0 / std::sqrt(1000.0));
  EXPECT_EQ(resolved(VroomOptions{.horizon = 1024}).depth_limit, 10U);
  EXPECT_EQ(resolved(VroomOptions{.horizon = 1}).depth_limit, 1U);
  EXPECT_EQ(resolved(VroomOptions{.horizon = 1}).delta, 0.5);
}

TEST(Vroom, DrawsCellsByTheRanksOfTheirMeans) {
  // D = 2: C = H(2) + H(4) / 2 = 3/2 + 25/24. For f(x) = x the right half has rank 1, and the
  // quarters from right to left the ranks 1 to 4. A quarter is drawn directly or through its half:
  // (1/2 + 1/2) / C, (1/2 + 1/4) / C, (1/4 + 1/6) / C and (1/4 + 1/8) / C.
  Vroom vroom(line(), {.horizon = 100'000, .depth_limit = 2});
  std::map<double, double> times;
  for (const double arm : arms_played(vroom, 60'000, [](double x) { return x; })) times[arm] += 1.0;
  const double total = 1.5 + 25.0 / 24.0;
  ASSERT_EQ(times.size(), 4U);
  // A fraction p of 60 000 has a standard deviation of at most 0.002.
  EXPECT_NEAR(times[0.875] / 60'000, 1.0 / total, 0.01);
  EXPECT_NEAR(times[0.625] / 60'000, 0.75 / total, 0.01);
  EXPECT_NEAR(times[0.375] / 60'000, (0.25 + 1.0 / 6.0) / total, 0.01);
  EXPECT_NEAR(times[0.125] / 60'000, 0.375 / total, 0.01);
}

TEST(Vroom, PlaysEverywhereAlikeWhileNothingIsKnown) {
  std::map<double, int> times;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Vroom vroom(line(), {.depth_limit = 2, .seed = seed});
    ++times[vroom.ask(1).arm[0]];
  }
  ASSERT_EQ(times.size(), 4U);
  for (const auto& [arm, count] : times) EXPECT_NEAR(count, 1000, 150) << arm;
}

TEST(Vroom, RecommendsTheMiddleOfACellAndStaysThere) {
  // Without noise the weighted means are those of the cells. Wide bounds leave only a cell of depth
  // 1, the right one; without bounds it is the best of all.
  const auto f = [](double x) { return x; };
  Vroom careful(line(), {.horizon = 2000, .depth_limit = 6, .confidence_scale = 2.0});
  (void)arms_played(careful, 2000, f);
  EXPECT_EQ(arms_played(careful, 5, f), std::vector<double>(5, 0.75));
  Vroom bold(line(), {.horizon = 2000, .depth_limit = 6, .confidence_scale = 1e-9});
  (void)arms_played(bold, 2000, f);
  EXPECT_EQ(arms_played(bold, 5, f), std::vector<double>(5, 127.0 / 128.0));
}

/// The nodes by their paths.
std::map<std::string, NodeView> by_path(Vroom& vroom) {
  std::map<std::string, NodeView> nodes;
  for (const NodeView& node : nodes_of(vroom)) nodes[node.path] = node;
  return nodes;
}

TEST(Vroom, BoundsMatchHandComputedValues) {
  // D = 1, so C = H(2) = 3/2. At first the halves share both ranks: P = 1/2. Then the half that was
  // drawn has rank 1 and P = 2/3, the other one 1/3.
  Vroom vroom(line(), {.horizon = 100, .depth_limit = 1, .delta = 0.02, .confidence_scale = 0.5},
              testing::unit_range());
  const double log = std::log(2.0 * 100 * 100 / 0.02);
  const auto first = arms_played(vroom, 1, [](double) { return 0.75; })[0];
  const std::string path = first < 0.5 ? "0" : "1";
  EXPECT_DOUBLE_EQ(by_path(vroom)[path].upper, 0.75 + 0.5 * std::sqrt(2.0 * log * 2.0));
  EXPECT_EQ(by_path(vroom)[path == "0" ? "1" : "0"].upper, kInfinity);
  const auto second = arms_played(vroom, 1, [](double) { return 0.25; })[0];
  if (first == second) {  // weights of 1 and 3/4: g = P / mu was 1 and is 4/3
    EXPECT_DOUBLE_EQ(by_path(vroom)[path].upper,
                     (0.75 + 0.75 * 0.25) / 1.75 + 0.5 * std::sqrt(2.0 * log * (2.0 + 1.5)) / 2.0);
  } else {  // 1 / P was 2 and is 3
    EXPECT_DOUBLE_EQ(by_path(vroom)[path == "0" ? "1" : "0"].upper,
                     0.25 + 0.5 * std::sqrt(2.0 * log * (2.0 + 3.0)) / 2.0);
  }
}

TEST(Vroom, WeightsMakeUpForWhatIsDrawnMoreOftenLater) {
  // D = 1. The left half has value 0 until N / 2, and 1 from then on, 1/2 on average; the right one
  // always 0.45. At first the left half is drawn with P = 1/3, N / 6 times. After another 0.409 N
  // steps it has been drawn 0.136 N times more, its mean is 0.45, and P is 2/3 for the rest, 0.061
  // N times: 0.197 of 0.364 of its rewards are 1.
  Vroom vroom(line(), {.horizon = 30'000, .depth_limit = 1, .confidence_scale = 1e-9});
  const auto early = [](double x) { return x < 0.5 ? 0.0 : 0.45; };
  const auto late = [](double x) { return x < 0.5 ? 1.0 : 0.45; };
  (void)arms_played(vroom, 15'000, early);
  (void)arms_played(vroom, 15'000, late);
  EXPECT_NEAR(by_path(vroom)["0"].mean, 0.542, 0.02);
  EXPECT_NEAR(by_path(vroom)["0"].upper, 0.5, 0.02);
  EXPECT_NEAR(by_path(vroom)["1"].upper, 0.45, 1e-6);
}

TEST(Vroom, FindsAMaximumUnderNoise) {
  Vroom vroom(line(), {.horizon = 20'000}, testing::unit_range());
  RandomStream random({.seed = 5});
  const auto f = [&](double x) {
    return 0.8 - (x - 0.3) * (x - 0.3) + 0.3 * (random.uniform() - 0.5);
  };
  (void)arms_played(vroom, 20'000, f);
  EXPECT_NEAR(arms_played(vroom, 1, f)[0], 0.3, 0.1);
}

TEST(Vroom, HasNoRecommendationOfItsOwnBeforeItsHorizonIsOver) {
  Vroom vroom(line(), {.horizon = 50}, testing::unit_range());
  RandomStream random({.seed = 6});
  const auto f = [&](double) { return random.uniform(); };
  (void)arms_played(vroom, 49, f);
  EXPECT_TRUE(vroom.best()->own.empty());
  (void)arms_played(vroom, 1, f);
  const Best best = vroom.best().value();
  const double own = best.own.empty() ? best.arm[0] : best.own[0];
  EXPECT_EQ(arms_played(vroom, 1, f)[0], own);
}

TEST(Vroom, PlaysEveryArmOfAListAndOneThatIsAlone) {
  Vroom vroom({{"c", Choice{{"a", "b", "c", "d", "e"}}}}, {.horizon = 500});
  const auto arms = arms_played(vroom, 500, [](double c) { return c == 3.0 ? 1.0 : 0.0; });
  EXPECT_EQ(std::set<double>(arms.begin(), arms.end()).size(), 5U);
  EXPECT_EQ(arms_played(vroom, 1, [](double) { return 1.0; })[0], 3.0);
  Vroom alone({{"c", Choice{{"a"}}}}, {.horizon = 10});
  EXPECT_EQ(arms_played(alone, 20, [](double) { return 1.0; }), std::vector<double>(20, 0.0));
}

/// Integers 0 to 63, cut into the first one and all others.
class OneByOne final : public Partition {
 public:
  [[nodiscard]] std::size_t dimension() const override { return 1; }
  [[nodiscard]] std::size_t cell_size() const override { return 2; }
  void root(std::span<double> cell) const override {
    cell[0] = 0.0;
    cell[1] = 63.0;
  }
  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t /*depth*/,
                           std::span<double> parts) const override {
    if (cell[0] == cell[1]) return false;
    parts[0] = parts[1] = cell[0];
    parts[2] = cell[0] + 1.0;
    parts[3] = cell[1];
    return true;
  }
  void arm(std::span<const double> cell, std::span<double> arm) const override { arm[0] = cell[0]; }
};

TEST(Vroom, FindsCellsWithoutRewardsWhenHardlyAnyAreLeft) {
  // At depth 40 there are 41 cells, with fractions from 1/2 to 2^-40.
  Vroom vroom(std::make_shared<OneByOne>(), {.horizon = 3000, .depth_limit = 40});
  const auto arms = arms_played(vroom, 3000, [](double x) { return x; });
  EXPECT_EQ(std::set<double>(arms.begin(), arms.end()).size(), 41U);
}

TEST(Vroom, ObservedRewardsCountForTheSmallestCellThatHoldsTheArm) {
  Vroom vroom(line(), {.horizon = 100, .depth_limit = 3});
  ASSERT_EQ(vroom.observe(std::array{0.3}, Rewards::of(std::array{0.25, 0.75})), Status::ok);
  EXPECT_EQ(nodes_of(vroom).size(), 1U) << "cells are cut when they are asked for";
  (void)vroom.ask(1);
  std::map<std::string, std::uint64_t> pulls;
  for (const NodeView& node : nodes_of(vroom)) {
    if (node.pulls != 0) pulls[node.path] = node.pulls;
  }
  EXPECT_EQ(pulls, (std::map<std::string, std::uint64_t>{{"010", 2}}));
}

/// Plays the optimizer and the textbook with random settings, and compares every arm and the
/// recommendations.
void compare_vroom() {
  const auto setting = testing::random_setting();
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  const double arity = setting.partition->arity();
  const auto deepest = static_cast<std::uint64_t>(std::log(1500.0) / std::log(arity));
  const auto depth_limit = *rc::gen::inRange<std::uint64_t>(1, deepest + 1);
  const auto horizon = *rc::gen::inRange<std::uint64_t>(1, 250);
  const double confidence_scale = *rc::gen::element(1e-6, 0.02, 0.1, 1.0);
  RC_LOG() << " seed " << seed << " D " << depth_limit << " n " << horizon;
  Vroom vroom(setting.partition,
              {.horizon = horizon,
               .depth_limit = depth_limit,
               .delta = 0.1,
               .confidence_scale = confidence_scale,
               .seed = seed},
              setting.objective);
  testing::SideBySide world(setting, vroom, seed, horizon);
  testing::TextbookCells tree(setting.partition);
  testing::TextbookVroom textbook(tree, static_cast<int>(depth_limit), static_cast<double>(horizon),
                                  0.1, confidence_scale, seed);
  for (std::uint64_t i = 0; i < horizon; ++i) textbook.step(world);
  const Pull settled = vroom.ask(1);
  const std::vector<double> arm(settled.arm.begin(), settled.arm.end());
  const double largest = textbook.largest(world.scale());
  RC_ASSERT(std::abs(textbook.largest(world.scale(), &arm) - largest) <=
            1e-9 * (1.0 + std::abs(largest)));
}

RC_GTEST_PROP(Vroom, EqualsItsTextbookPullForPull, ()) {
  for (int i = 0; i < 2; ++i) compare_vroom();
}

TEST(Vroom, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(
      testing::complaint_of<Vroom>(
          line(),
          VroomOptions{.horizon = 0, .depth_limit = 61, .delta = 1.0, .confidence_scale = 0.0}),
      "optimizer.horizon = 0: must be a whole number from 1 to 9007199254740992; "
      "optimizer.depth_limit = 61: must be a whole number from 1 to 60; "
      "optimizer.delta = 1: must be in (0, 1); "
      "optimizer.confidence_scale = 0: must be a number from 1e-50 to 1e50");
}

}  // namespace
}  // namespace canopy
