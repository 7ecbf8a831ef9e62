#include "canopy/family/doo.hpp"

#include "support/arms_played.hpp"
#include "support/complaint.hpp"
#include "support/textbook_doo.hpp"
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

const Objective kUnitRange{.reward_range = {{0.0, 1.0}}};

std::shared_ptr<const Partition> halves() {
  return std::make_shared<BoxPartition>(line(), SplitRule::cyclic);
}

TEST(Doo, CutsTheLeafOfTheLargestBound) {
  // f = x. After the root b is 0.25 + 0.5 and 0.75 + 0.5; below the second 0.625 + 0.25 and
  // 0.875 + 0.25; the latter is the largest.
  Doo greedy(halves(), {.nu1 = 1.0, .rho = 0.5}, kUnitRange);
  expect_arms(arms_played(greedy, 7, [](double x) { return x; }),
              {0.5, 0.25, 0.75, 0.625, 0.875, 0.8125, 0.9375});
  // With nu1 = 10 the cell around 0.25 has 0.25 + 5, and those of depth 2 at most 0.875 + 2.5.
  Doo careful(halves(), {.nu1 = 10.0, .rho = 0.5}, kUnitRange);
  expect_arms(arms_played(careful, 7, [](double x) { return x; }),
              {0.5, 0.25, 0.75, 0.625, 0.875, 0.125, 0.375});
}

TEST(Doo, KnowsTheMiddleOfThreePartsAlready) {
  Doo doo(line(), {.nu1 = 1.0, .rho = 0.5}, kUnitRange);
  expect_arms(arms_played(doo, 5, [](double x) { return x; }),
              {1.0 / 2, 1.0 / 6, 5.0 / 6, 13.0 / 18, 17.0 / 18});
}

TEST(Doo, FindsTheMaximumOfAFunctionThatIsAsSmoothAsItWasTold) {
  Doo doo(line(), {.nu1 = 1.0}, kUnitRange);
  (void)arms_played(doo, 200, [](double x) { return 1.0 - std::abs(x - 0.3); });
  EXPECT_NEAR(doo.best()->arm[0], 0.3, 1e-9);
}

/// Plays the optimizer and the textbook with random settings and compares every arm.
void compare_doo() {
  const auto setting = testing::random_setting();
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  const double nu1 = *rc::gen::element(0.01, 0.1, 1.0, 5.0);
  const double rho = *rc::gen::element(0.2, 0.5, 0.9);
  RC_LOG() << " seed " << seed << " nu1 " << nu1 << " rho " << rho;
  Doo doo(setting.partition, {.nu1 = nu1, .rho = rho}, setting.objective);
  testing::SideBySide world(setting, doo, seed, 300);
  testing::TextbookCells tree(setting.partition);
  testing::run_to_the_end([&] { testing::textbook_doo(tree, nu1, rho, world); });
}

RC_GTEST_PROP(Doo, IsTheAlgorithmOfItsPaperPullForPull, ()) {
  for (int i = 0; i < 3; ++i) compare_doo();
}

TEST(Doo, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(testing::complaint_of<Doo>(line(), DooOptions{.nu1 = 0.0, .rho = 1.0}),
            "optimizer.nu1 = 0: must be a number from 1e-50 to 1e50; "
            "optimizer.rho = 1: must be in (0, 1)");
}

}  // namespace
}  // namespace canopy
