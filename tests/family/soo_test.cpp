#include "canopy/family/soo.hpp"

#include "support/arms_played.hpp"
#include "support/complaint.hpp"
#include "support/textbook_soo.hpp"
#include "support/values.hpp"

#include <cmath>
#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::arms_played;
using testing::expect_arms;
using testing::line;

TEST(Soo, CutsTheBestCellOfEveryDepthInTurn) {
  Soo soo(line());
  // f = 1 - |x - 0.1|. The whole is cut in three, of which the middle one is known already. t = 2
  // allows depth 1: 1/6 is better than the root, and is cut. t = 3: depth 2 > sqrt(3), so a new
  // pass starts: at depth 1 the best is 1/2. t = 4 allows depth 2: the best there is 1/18.
  expect_arms(
      arms_played(soo, 9, [](double x) { return 1.0 - std::abs(x - 0.1); }),
      {1.0 / 2, 1.0 / 6, 5.0 / 6, 1.0 / 18, 5.0 / 18, 7.0 / 18, 11.0 / 18, 1.0 / 54, 5.0 / 54});
  EXPECT_EQ(soo.summary().nodes, 13U);
  EXPECT_EQ(soo.summary().depth, 3U);
}

TEST(Soo, RecommendsTheBestArmItHasSeen) {
  Soo soo(line());
  const auto arms = arms_played(soo, 500, [](double x) { return -(x - 0.3) * (x - 0.3); });
  double nearest = 1.0;
  for (const double arm : arms) nearest = std::min(nearest, std::abs(arm - 0.3));
  EXPECT_EQ(std::abs(soo.best()->arm[0] - 0.3), nearest);
  EXPECT_LT(nearest, 1e-6);
}

TEST(Soo, GoesOnWhereThePapersLoopWouldNotEnd) {
  // With two parts, seven cells are cut down to depth 2, and sqrt(8) does not allow depth 3.
  const auto halves = std::make_shared<BoxPartition>(line(), SplitRule::cyclic);
  Soo soo(halves);
  (void)arms_played(soo, 100, [](double x) { return x; });
  EXPECT_GT(soo.summary().depth, 4U);
}

TEST(Soo, SeesEveryArmOfAFiniteSpaceAndThenPlaysTheBest) {
  const Space space{{"n", Integer{0, 6}}};
  for (const std::uint32_t parts : {2U, 3U, 5U, 10U}) {
    Soo soo(std::make_shared<BoxPartition>(space, PartitionRule(SplitRule::cyclic, parts)));
    const auto f = [](double n) { return n == 4.0 ? 1.0 : 0.0; };
    const auto first = arms_played(soo, 20, f);  // an arm may be that of several cells
    EXPECT_EQ(std::set<double>(first.begin(), first.end()).size(), 7U) << parts << " parts";
    EXPECT_EQ(arms_played(soo, 3, f), (std::vector<double>{4.0, 4.0, 4.0})) << parts << " parts";
  }
}

/// Plays the optimizer and the textbook with random settings and compares every arm.
void compare_soo() {
  const auto setting = testing::random_setting();
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  const double power = *rc::gen::element(0.2, 0.5, 0.5, 1.0);
  RC_LOG() << " seed " << seed << " depth_power " << power;
  Soo soo(setting.partition, {.depth_power = power}, setting.objective);
  testing::SideBySide world(setting, soo, seed, 300);
  testing::TextbookCells tree(setting.partition);
  testing::run_to_the_end([&] { testing::textbook_soo(tree, power, world); });
}

RC_GTEST_PROP(Soo, IsTheAlgorithmOfItsPaperPullForPull, ()) {
  for (int i = 0; i < 3; ++i) compare_soo();
}

TEST(Soo, NamesAnOptionThatIsOutOfRange) {
  EXPECT_EQ(testing::complaint_of<Soo>(line(), SooOptions{.depth_power = 0.0}),
            "optimizer.depth_power = 0: must be in (0, 1]");
}

}  // namespace
}  // namespace canopy
