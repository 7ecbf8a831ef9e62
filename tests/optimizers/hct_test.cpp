#include "canopy/hct.hpp"

#include "canopy/random.hpp"

#include "support/objectives.hpp"
#include "support/tree.hpp"
#include "support/values.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::kNan;
using testing::line;
using testing::nodes_of;
using testing::path_of;
using testing::unit_range;

/// Plays `rewards` one by one and returns the paths that were selected.
std::vector<std::string> play(Hct& hct, const std::vector<double>& rewards) {
  std::vector<std::string> paths;
  for (const double reward : rewards) {
    const Pull pull = hct.ask(1);
    paths.push_back(path_of(hct, pull.ticket));
    EXPECT_EQ(hct.tell(pull.ticket, reward), Status::ok);
  }
  return paths;
}

NodeView node_at(Hct& hct, const std::string& path) {
  for (NodeView& node : nodes_of(hct)) {
    if (node.path == path) return node;
  }
  ADD_FAILURE() << "no node at '" << path << "'";
  return {};
}

TEST(Hct, StartsWithTheRootAndItsTwoChildren) {
  Hct hct(line());
  const std::vector<NodeView> tree = nodes_of(hct);
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(tree[0].path, "");
  EXPECT_EQ(tree[1].path, "0");
  EXPECT_EQ(tree[2].path, "1");
  EXPECT_FALSE(tree[0].leaf);
  EXPECT_EQ(tree[1].arm[0], 0.25);
  EXPECT_EQ(tree[2].arm[0], 0.75);
  for (const NodeView& node : tree) {
    EXPECT_EQ(node.pulls, 0U);
    EXPECT_TRUE(std::isinf(node.upper));
    EXPECT_TRUE(std::isinf(node.bound));
  }
  EXPECT_EQ(hct.summary().t, 1U);
  EXPECT_EQ(hct.summary().refreshes, 0U)
      << "phases begin with a selection, not when the tree is read";
}

TEST(Hct, NeverPullsTheRootAndTriesTheLeftChildFirst) {
  Hct hct(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 1.0});
  EXPECT_EQ(play(hct, {0.5, 0.5}), (std::vector<std::string>{"0", "1"}));
}

TEST(Hct, BoundsOfTheFirstStepsMatchHandComputedValues) {
  // rho 0.5, nu1 1: c = 2 sqrt 2, c1 = (1/6)^(1/8); scale 0.1 makes c = 0.2828...
  // t = 1: t+ = 2, L = ln(2 / (c1 0.05)) = 3.91284857...; tau_1 = c^2 L 4 = 0.08 L 4 = 1.2521...
  Hct hct(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.1, .delta = 0.05}, unit_range());
  const double c = 0.1 * 2.0 * std::sqrt(2.0);
  const double c1 = std::pow(1.0 / 6.0, 0.125);
  const double first_log = std::log(2.0 / (c1 * 0.05));
  EXPECT_NEAR(first_log, 3.912849, 1e-6);

  play(hct, {0.3});
  EXPECT_NEAR(node_at(hct, "0").upper, 0.3 + 0.5 + c * std::sqrt(first_log), 1e-12);
  EXPECT_EQ(node_at(hct, "0").bound, node_at(hct, "0").upper);
  EXPECT_TRUE(std::isinf(node_at(hct, "").bound)) << "the right child is unpulled";
  EXPECT_TRUE(node_at(hct, "0").leaf) << "one pull is fewer than tau_1 = 1.25";

  // t = 2 begins a phase: t+ = 4, L grows by ln 2, and every U with it.
  play(hct, {0.1});
  const double second_log = first_log + std::log(2.0);
  EXPECT_NEAR(node_at(hct, "0").upper, 0.3 + 0.5 + c * std::sqrt(second_log), 1e-12);
  EXPECT_NEAR(node_at(hct, "1").upper, 0.1 + 0.5 + c * std::sqrt(second_log), 1e-12);
  EXPECT_EQ(node_at(hct, "").bound, node_at(hct, "0").bound);

  // Two pulls are more than tau_1 = 0.32 L = 1.47...: the left node gets children.
  play(hct, {0.5});
  EXPECT_EQ(node_at(hct, "0").pulls, 2U);
  EXPECT_DOUBLE_EQ(node_at(hct, "0").mean, 0.4);
  EXPECT_FALSE(node_at(hct, "0").leaf);
  EXPECT_EQ(node_at(hct, "00").arm[0], 0.125);
  EXPECT_TRUE(std::isinf(node_at(hct, "00").upper));
}

TEST(Hct, CorrelatedEpisodesDoubleAndEndWithThePhase) {
  Hct hct(line(),
          {.feedback = Feedback::correlated, .nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.5});
  std::vector<std::uint64_t> lengths;
  std::uint64_t t = 1;
  while (t < 64) {
    const Pull pull = hct.ask();
    EXPECT_LE(t + pull.length, std::bit_floor(t) * 2) << "an episode ends with its phase";
    const std::vector<double> rewards(pull.length, 0.5);
    const std::string path = path_of(hct, pull.ticket);
    const std::uint64_t before = node_at(hct, path).pulls;
    EXPECT_LE(pull.length, std::max<std::uint64_t>(1, before));
    ASSERT_EQ(hct.tell(pull.ticket, std::span<const double>(rewards)), Status::ok);
    EXPECT_EQ(node_at(hct, path).pulls, before + pull.length);
    t += pull.length;
    lengths.push_back(pull.length);
  }
  EXPECT_GT(*std::max_element(lengths.begin(), lengths.end()), 4U);
}

TEST(Hct, ShowsCommittedStatisticsInMidEpisode) {
  Hct hct(line(), {.feedback = Feedback::correlated});
  Pull pull = hct.ask();
  while (pull.length < 3) {
    const std::vector<double> rewards(pull.length, 0.5);
    ASSERT_EQ(hct.tell(pull.ticket, std::span<const double>(rewards)), Status::ok);
    pull = hct.ask();
  }
  const std::string path = path_of(hct, pull.ticket);
  const std::uint64_t before = node_at(hct, path).pulls;
  const std::uint64_t t = hct.summary().t;
  ASSERT_EQ(hct.tell(pull.ticket, 1.0), Status::ok);
  EXPECT_EQ(node_at(hct, path).pulls, before);
  EXPECT_EQ(hct.summary().t, t + 1) << "t counts answers";
  hct.finish();
  EXPECT_EQ(node_at(hct, path).pulls, before + 1) << "the end of a run learns its rewards";
}

TEST(Hct, RefusesWhatIsNoRewardAndStaysAsItWas) {
  Hct hct(line());
  const Pull pull = hct.ask();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {kNan, infinity, -infinity, 1e200}) {
    EXPECT_EQ(hct.tell(pull.ticket, wrong), Status::not_a_reward);
    EXPECT_EQ(hct.tell(pull.ticket, std::vector<double>{wrong}), Status::not_a_reward);
    EXPECT_EQ(hct.tell(pull.ticket, Rewards::from_sums(1, wrong, 0.0)), Status::not_a_reward);
  }
  EXPECT_EQ(hct.tell(pull.ticket, Rewards::from_sums(1, 0.5, 0.1)), Status::impossible_sums);
  EXPECT_EQ(hct.tell(pull.ticket, Rewards{}), Status::impossible_sums);
  EXPECT_EQ(hct.tell(pull.ticket, std::vector<double>{0.1, 0.2}), Status::too_many_rewards);
  EXPECT_EQ(hct.tell(0, 0.5), Status::unknown_ticket);
  EXPECT_EQ(hct.tell(2, 0.5), Status::unknown_ticket);
  EXPECT_EQ(hct.drop(2), Status::unknown_ticket);
  EXPECT_EQ(hct.summary().t, 1U);
  EXPECT_EQ(hct.summary().out_of_range, 0U);
  EXPECT_FALSE(hct.best().has_value());
  EXPECT_EQ(hct.tell(pull.ticket, 0.5), Status::ok);
  EXPECT_EQ(hct.tell(pull.ticket, 0.5), Status::closed_ticket);
  EXPECT_EQ(hct.summary().t, 2U);
}

TEST(Hct, RefusesWhatIsNoRewardInALongStayAtOneArm) {
  // The left half is so much better that the arm stays for thousands of pulls.
  Hct hct(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 1.0});
  for (int i = 0; i < 3000; ++i) {
    const Pull pull = hct.ask(1);
    ASSERT_EQ(hct.tell(pull.ticket, pull.arm[0] < 0.5 ? 1.0 : -5.0), Status::ok);
  }
  const Pull pull = hct.ask(1);
  const std::string path = path_of(hct, pull.ticket);
  const NodeView before = node_at(hct, path);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {kNan, infinity, -infinity, 1e200, -1e200}) {
    EXPECT_EQ(hct.tell(pull.ticket, wrong), Status::not_a_reward);
    EXPECT_EQ(node_at(hct, path).pulls, before.pulls);
    EXPECT_EQ(node_at(hct, path).mean, before.mean);
    EXPECT_EQ(hct.summary().t, 3001U);
    EXPECT_EQ(hct.summary().in_flight, 1U);
  }
  EXPECT_EQ(hct.tell(pull.ticket, 1.0), Status::ok);
  EXPECT_EQ(hct.tell(pull.ticket, 1.0), Status::closed_ticket);
  EXPECT_EQ(hct.tell(pull.ticket + 1, 1.0), Status::unknown_ticket);
  EXPECT_EQ(hct.tell(0, 1.0), Status::unknown_ticket);
}

TEST(Hct, RefusesADroppedTicket) {
  Hct hct(line());
  const Pull pull = hct.ask();
  const std::string path = path_of(hct, pull.ticket);
  EXPECT_EQ(hct.drop(pull.ticket), Status::ok);
  EXPECT_EQ(hct.tell(pull.ticket, 0.5), Status::closed_ticket);
  EXPECT_EQ(hct.drop(pull.ticket), Status::closed_ticket);
  EXPECT_EQ(hct.summary().in_flight, 0U);
  EXPECT_EQ(path_of(hct, hct.ask().ticket), path) << "its episode is still waiting for an answer";
}

TEST(Hct, CountsRewardsOutOfRangeAndUsesThem) {
  Hct hct(line(), {}, {.reward_range = {{0.0, 10.0}}});
  play(hct, {-1.0, 11.0, 5.0, 0.0, 10.0});
  EXPECT_EQ(hct.summary().out_of_range, 2U);
  EXPECT_DOUBLE_EQ(node_at(hct, "1").mean, 11.0) << "in the user's units";
}

TEST(Hct, MinimizesInTheUsersUnits) {
  Hct hct(line(), {}, {.direction = Direction::minimize, .reward_range = {{10.0, 30.0}}});
  RandomStream random({.seed = 5});
  for (int i = 0; i < 3000; ++i) {
    const Pull pull = hct.ask();
    const double cost = 12.0 + 10.0 * std::abs(pull.arm[0] - 0.3) + random.uniform();
    ASSERT_EQ(hct.tell(pull.ticket, cost), Status::ok);
  }
  const Best best = hct.best().value();
  EXPECT_NEAR(best.arm[0], 0.3, 0.1);
  EXPECT_NEAR(best.mean, 12.5, 1.0);
  EXPECT_LE(best.lower, best.mean);
  EXPECT_LE(best.mean, best.upper);
}

TEST(Hct, RecommendsTheLargestLowerBoundWithTiesToMorePullsThenShallowerThenLeft) {
  Hct tie(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 1.0});
  play(tie, {0.5, 0.5});
  EXPECT_EQ(tie.best()->arm[0], 0.25) << "the left one of two equal nodes";

  Hct clear(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 1.0});
  play(clear, {0.1, 0.9});
  EXPECT_EQ(clear.best()->arm[0], 0.75);
  EXPECT_EQ(clear.best()->pulls, 1U);
}

TEST(Hct, CountsChangesOfArmNotOfNode) {
  // Four integers: 0..3 -> 0..1 (arm 0) -> 0..0 (arm 0): the child shares its parent's arm.
  Hct hct(Space{{"n", Integer{0, 3}}}, {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.1});
  std::uint64_t changes = 0;
  std::uint64_t node_changes = 0;
  double last_arm = -1.0;
  std::string last_path;
  for (int i = 0; i < 200; ++i) {
    const Pull pull = hct.ask();
    if (pull.arm[0] != last_arm) ++changes;
    const std::string path = path_of(hct, pull.ticket);
    if (path != last_path) ++node_changes;
    last_arm = pull.arm[0];
    last_path = path;
    ASSERT_EQ(hct.tell(pull.ticket, pull.arm[0] == 0.0 ? 0.9 : 0.2), Status::ok);
  }
  EXPECT_EQ(hct.summary().switches, changes);
  EXPECT_LT(changes, node_changes);
}

TEST(Hct, AnUnsplittableCellStaysALeaf) {
  Hct hct(Space{{"n", Integer{0, 2}}}, {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.001});
  play(hct, std::vector<double>(300, 0.5));
  EXPECT_EQ(hct.summary().nodes, 5U) << "0..2, 0..1, 2, 0, 1";
  EXPECT_EQ(hct.summary().depth, 2U);
}

TEST(Hct, WorksWithNoConfidenceAtAll) {
  // A tiny nu1 makes c1 so large that delta_tilde is clamped at 1: L = 0, tau = 0.
  Hct hct(line(), {.nu1 = 1e-12, .rho = 0.5, .confidence_scale = 0.1, .delta = 0.99});
  play(hct, {0.5, 0.4, 0.6, 0.3});
  EXPECT_GT(hct.summary().depth, 1U);
  EXPECT_TRUE(hct.best().has_value());
}

TEST(Hct, MovesWithAllItsState) {
  Hct hct(line());
  play(hct, {0.5, 0.6, 0.7});
  const Pull open = hct.ask();
  Hct moved(std::move(hct));
  EXPECT_EQ(moved.summary().t, 4U);
  EXPECT_EQ(moved.tell(open.ticket, 0.5), Status::ok);
  play(moved, std::vector<double>(100, 0.5));
  EXPECT_EQ(moved.summary().t, 105U);
}

}  // namespace
}  // namespace canopy
