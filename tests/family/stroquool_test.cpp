#include "canopy/family/stroquool.hpp"

#include "canopy/random.hpp"

#include "support/arms_played.hpp"
#include "support/complaint.hpp"
#include "support/textbook_stroquool.hpp"
#include "support/values.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::arms_played;
using testing::line;

TEST(Stroquool, WorksOutItsFormula) {
  // log2(1000) + 1 = 10.966: 1000 / (2 * 120.25) = 4.16.
  EXPECT_EQ(resolved(StroquoolOptions{.horizon = 1000}).depth_limit, 4U);
  // log2(100000) + 1 = 17.610: 100000 / (2 * 310.1) = 161.2.
  EXPECT_EQ(resolved(StroquoolOptions{.horizon = 100'000}).depth_limit, 161U);
  EXPECT_EQ(resolved(StroquoolOptions{.horizon = 1}).depth_limit, 1U);
}

TEST(Stroquool, CutsFewCellsWithManyPullsAndManyWithFew) {
  // Two parts and h_max = 4. The root: 4 pulls per part. Depth 1: one cell with 4 pulls per part,
  // the other one with 2. Depth 2: one cell with 2 pulls per part, two with 1. Depths 3 and 4: one
  // each. In total 8 + 8 + 4 + 4 + 4 + 2 + 2 = 32 pulls and 8 cuts.
  Stroquool stroquool(std::make_shared<BoxPartition>(line(), SplitRule::cyclic), {.horizon = 1000});
  const auto f = [](double x) { return x; };
  const auto arms = arms_played(stroquool, 32, f);
  EXPECT_EQ(std::vector<double>(arms.begin(), arms.begin() + 8),
            (std::vector<double>{0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75}));
  EXPECT_EQ(arms[8], 0.625);
  EXPECT_EQ(stroquool.summary().nodes, 17U);
  EXPECT_EQ(stroquool.summary().depth, 5U);
  // The best with 1, 2 and 4 pulls are 63/64, 15/16 and 7/8: each is played 4 times, then the best
  // of them.
  const auto last = arms_played(stroquool, 14, f);
  EXPECT_EQ(last.front(), 63.0 / 64);
  EXPECT_EQ(last[4], 15.0 / 16);
  EXPECT_EQ(last[8], 7.0 / 8);
  EXPECT_EQ(last.back(), 63.0 / 64);
  EXPECT_EQ(stroquool.summary().nodes, 17U);
}

TEST(Stroquool, FindsAMaximumUnderNoise) {
  Stroquool stroquool(line(), {.horizon = 20'000});
  RandomStream random({.seed = 5});
  (void)arms_played(stroquool, 20'000, [&](double x) {
    return 0.8 - (x - 0.3) * (x - 0.3) + 0.3 * (random.uniform() - 0.5);
  });
  EXPECT_NEAR(stroquool.best()->arm[0], 0.3, 0.1);
}

/// Plays the optimizer and the textbook with random settings and compares every arm.
void compare_stroquool() {
  const auto setting = testing::random_setting();
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  const auto depth_limit = *rc::gen::inRange<std::uint64_t>(1, 12);
  RC_LOG() << " seed " << seed << " h_max " << depth_limit;
  Stroquool stroquool(setting.partition, {.horizon = 1'000'000, .depth_limit = depth_limit},
                      setting.objective);
  testing::SideBySide world(setting, stroquool, seed, 1500);
  testing::TextbookCells tree(setting.partition);
  testing::run_to_the_end([&] {
    world.play(*testing::textbook_stroquool(tree, static_cast<int>(depth_limit), world));
  });
}

RC_GTEST_PROP(Stroquool, IsTheAlgorithmOfItsPaperPullForPull, ()) {
  for (int i = 0; i < 3; ++i) compare_stroquool();
}

/// Plays until the horizon ends the first loop, in which the root and the next cell take 40 pulls
/// each, and beyond.
void compare_interrupted_stroquool() {
  const auto setting = testing::random_setting();
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  const auto depth_limit = *rc::gen::inRange<std::uint64_t>(20, 100);
  const auto horizon = *rc::gen::inRange<std::uint64_t>(1, 60);
  RC_LOG() << " seed " << seed << " h_max " << depth_limit << " horizon " << horizon;
  Stroquool stroquool(setting.partition, {.horizon = horizon, .depth_limit = depth_limit},
                      setting.objective);
  testing::SideBySide world(setting, stroquool, seed, horizon);
  testing::TextbookCells tree(setting.partition);
  const auto h_max = static_cast<int>(depth_limit);
  testing::run_to_the_end([&] { (void)testing::textbook_stroquool(tree, h_max, world); });
  RC_ASSERT(world.t() == horizon + 1);
  const auto* settled = testing::textbook_stroquool_interrupted(tree, h_max);
  for (int i = 0; i < 5; ++i) {
    const Pull pull = stroquool.ask(1);
    RC_ASSERT(std::vector<double>(pull.arm.begin(), pull.arm.end()) == settled->arm);
    const auto best = stroquool.best();
    RC_ASSERT((best->own.empty() ? best->arm : best->own) == settled->arm);
    RC_ASSERT(stroquool.tell(pull.ticket, setting.reward(pull.arm, 0.5)) == Status::ok);
  }
}

RC_GTEST_PROP(Stroquool, PlaysWhatItRecommendsWhenTheHorizonEndsItEarly, ()) {
  compare_interrupted_stroquool();
}

TEST(Stroquool, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(
      testing::complaint_of<Stroquool>(line(), StroquoolOptions{.horizon = 0, .depth_limit = 0}),
      "optimizer.horizon = 0: must be a whole number from 1 to 9007199254740992; "
      "optimizer.depth_limit = 0: must be a whole number from 1 to 1000000");
}

}  // namespace
}  // namespace canopy
