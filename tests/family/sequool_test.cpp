#include "canopy/family/sequool.hpp"

#include "support/arms_played.hpp"
#include "support/complaint.hpp"
#include "support/textbook_sequool.hpp"
#include "support/values.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::arms_played;
using testing::line;

TEST(SequoolDepthLimit, MatchesHandComputedValues) {
  // 1 + 1/2 + ... + 1/10 = 2.929: 10 / 2.929 = 3.41. Of 1000 terms 7.4855: 133.6.
  EXPECT_EQ(sequool_depth_limit(10), 3U);
  EXPECT_EQ(sequool_depth_limit(1000), 133U);
  EXPECT_EQ(sequool_depth_limit(1), 1U);
  EXPECT_EQ(sequool_depth_limit(0), 1U);
  // ln(1e6) + 0.5772157 = 14.392727: 69479.55.
  EXPECT_EQ(sequool_depth_limit(1'000'000), 69'479U);
}

TEST(Sequool, CutsFewerCellsTheDeeperItGets) {
  // Two new arms in a cut: n = (21 - 1) / 2 - 1 = 9, of which h_max = floor(9 / 2.829) = 3. The
  // root, three cells of depth 1, 3/2 of depth 2, one of depth 3: 6 cuts, 13 pulls with the root's.
  Sequool sequool(line(), {.horizon = 21});
  const auto f = [](double x) { return 1.0 - std::abs(x - 0.1); };
  (void)arms_played(sequool, 13, f);
  EXPECT_EQ(sequool.summary().nodes, 19U);
  EXPECT_EQ(sequool.summary().depth, 4U);
  const double best = sequool.best()->arm[0];
  EXPECT_EQ(arms_played(sequool, 2, f), (std::vector<double>{best, best}));
  EXPECT_EQ(sequool.summary().nodes, 19U);
}

TEST(Sequool, FindsAMaximumToManyDigits) {
  Sequool sequool(line(), {.horizon = 300});
  (void)arms_played(sequool, 300, [](double x) { return -std::abs(x - 0.3); });
  EXPECT_NEAR(sequool.best()->arm[0], 0.3, 1e-9);
}

/// Plays the optimizer and the textbook with random settings and compares every arm.
void compare_sequool() {
  const auto setting = testing::random_setting();
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  const auto horizon = *rc::gen::element<std::uint64_t>(1, 5, 40, 250, 2000);
  RC_LOG() << " seed " << seed << " horizon " << horizon;
  Sequool sequool(setting.partition, {.horizon = horizon}, setting.objective);
  testing::TextbookCells tree(setting.partition);
  testing::TextbookCells probe(setting.partition);  // how many new arms there are in a cut
  (void)probe.cut(probe.root());
  int arms = 0;
  for (const auto* part : probe.root().parts) arms += part->arm != probe.root().arm ? 1 : 0;
  const int cuts = (static_cast<int>(horizon) - 1) / std::max(1, arms) - 1;
  testing::SideBySide world(setting, sequool, seed, std::min<std::uint64_t>(horizon, 300));
  testing::run_to_the_end([&] { testing::textbook_sequool(tree, cuts, world); });
}

RC_GTEST_PROP(Sequool, IsTheAlgorithmOfItsPaperPullForPull, ()) {
  for (int i = 0; i < 3; ++i) compare_sequool();
}

TEST(Sequool, NamesAnOptionThatIsOutOfRange) {
  EXPECT_EQ(testing::complaint_of<Sequool>(line(), SequoolOptions{.horizon = 0}),
            "optimizer.horizon = 0: must be a whole number from 1 to 9007199254740992");
}

}  // namespace
}  // namespace canopy
