#include "canopy/family/stosoo.hpp"

#include "canopy/random.hpp"

#include "support/arms_played.hpp"
#include "support/complaint.hpp"
#include "support/textbook_stosoo.hpp"
#include "support/values.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::arms_played;
using testing::expect_arms;
using testing::line;

TEST(Stosoo, WorksOutItsFormulas) {
  // (ln 1000)^3 = 329.6: 3.03, rounded up. sqrt(1000 / 4) = 15.8, rounded up. 1 / sqrt(1000).
  const StosooOptions all = resolved(StosooOptions{.horizon = 1000});
  EXPECT_EQ(all.cell_pulls, 4U);
  EXPECT_EQ(all.depth_limit, 16U);
  EXPECT_NEAR(*all.delta, 0.0316, 1e-4);
  const StosooOptions set = resolved(StosooOptions{.horizon = 1000, .cell_pulls = 10});
  EXPECT_EQ(set.depth_limit, 10U) << "sqrt(1000 / 10)";
  const StosooOptions least = resolved(StosooOptions{.horizon = 1});
  EXPECT_EQ(least.cell_pulls, 1U);
  EXPECT_EQ(least.depth_limit, 1U);
  EXPECT_EQ(least.delta, 0.5);
}

TEST(Stosoo, PlaysACellKTimesBeforeItIsCut) {
  // f = x, two parts, k = 2, delta = 1 / sqrt(20): ln(20 * 2 / 0.2236) / 2 = 2.593. The root is
  // played twice and cut; then 0.25 and 0.75. Both have one pull: 0.75 is better. Then b is 0.25 +
  // sqrt(2.593) = 1.860 and 0.75 + sqrt(2.593 / 2) = 1.889: the second is cut, and 0.625 is played.
  // In a new pass, 0.25 is the only leaf at depth 1, and 0.875 at depth 2 has no pulls.
  Stosoo stosoo(std::make_shared<BoxPartition>(line(), SplitRule::cyclic),
                {.horizon = 20, .cell_pulls = 2, .depth_limit = 10},
                {.reward_range = {{0.0, 1.0}}});
  expect_arms(arms_played(stosoo, 8, [](double x) { return x; }),
              {0.5, 0.5, 0.25, 0.75, 0.75, 0.625, 0.25, 0.875});
}

TEST(Stosoo, RecommendsTheBestOfTheDeepestCellsThatWereCut) {
  Stosoo stosoo(line(), {.horizon = 2000});
  RandomStream random({.seed = 5});
  const auto noisy = [&](double x) {
    return 0.8 - std::abs(x - 0.3) + 0.3 * (random.uniform() - 0.5);
  };
  (void)arms_played(stosoo, 2000, noisy);
  const double own = stosoo.best()->own.empty() ? stosoo.best()->arm[0] : stosoo.best()->own[0];
  EXPECT_NEAR(own, 0.3, 0.1);
  for (const double arm : arms_played(stosoo, 20, noisy)) EXPECT_NEAR(arm, 0.3, 0.1);
}

/// Plays the optimizer and the textbook with random settings and compares every arm.
void compare_stosoo() {
  const auto setting = testing::random_setting();
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  StosooOptions options;
  options.horizon = *rc::gen::element<std::uint64_t>(1, 7, 100, 250, 1000);
  if (*rc::gen::arbitrary<bool>()) options.cell_pulls = *rc::gen::inRange<std::uint64_t>(1, 6);
  if (*rc::gen::arbitrary<bool>()) options.depth_limit = *rc::gen::inRange<std::uint64_t>(1, 8);
  RC_LOG() << " seed " << seed << " horizon " << options.horizon;
  Stosoo stosoo(setting.partition, options, setting.objective);
  testing::SideBySide world(setting, stosoo, seed, 400);
  testing::TextbookCells tree(setting.partition);
  const StosooOptions all = resolved(options);
  testing::run_to_the_end([&] {
    auto* best = testing::textbook_stosoo(tree, static_cast<double>(all.horizon),
                                          static_cast<double>(*all.cell_pulls),
                                          static_cast<int>(*all.depth_limit), *all.delta, world);
    world.play(*best);
  });
}

RC_GTEST_PROP(Stosoo, IsTheAlgorithmOfItsPaperPullForPull, ()) {
  for (int i = 0; i < 3; ++i) compare_stosoo();
}

TEST(Stosoo, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(testing::complaint_of<Stosoo>(line(), StosooOptions{.horizon = 0, .delta = 1.0}),
            "optimizer.horizon = 0: must be a whole number from 1 to 9007199254740992; "
            "optimizer.delta = 1: must be in (0, 1)");
}

}  // namespace
}  // namespace canopy
