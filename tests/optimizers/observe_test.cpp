// Rewards of arms that were not asked for.

#include "canopy/family/grid.hpp"
#include "canopy/family/hoo.hpp"
#include "canopy/family/power.hpp"
#include "canopy/family/random_search.hpp"
#include "canopy/family/thoo.hpp"
#include "canopy/hct.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"

#include "support/conversation.hpp"
#include "support/every_optimizer.hpp"
#include "support/hct_interleaving.hpp"
#include "support/objectives.hpp"
#include "support/random_hct.hpp"
#include "support/tree.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::Conversation;
using testing::Interleaving;
using testing::kNan;
using testing::line;
using testing::nodes_of;
using testing::path_of;
using testing::RandomHct;

/// `count` equal rewards.
Rewards equal_rewards(std::uint64_t count, double reward) {
  return {count, static_cast<double>(count) * reward, 0.0, reward, reward};
}

/// The node at that path, if there is one.
std::optional<NodeView> node_at(Optimizer& optimizer, const std::string& path) {
  for (const NodeView& node : nodes_of(optimizer)) {
    if (node.path == path) return node;
  }
  return std::nullopt;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// --- every optimizer ----------------------------------------------------------------------

class ObserveWithEveryOptimizer : public testing::EachOptimizer {};

TEST_P(ObserveWithEveryOptimizer, RewardsCountAndNoStepIsTaken) {
  const auto optimizer = make();
  const std::array arm{0.25, 5.0, 1.0};
  EXPECT_EQ(optimizer->observe(arm, Rewards::of(std::array{0.25, 0.5, 0.75})), Status::ok);
  EXPECT_EQ(optimizer->summary().observed, 3U);
  EXPECT_EQ(optimizer->summary().t, 1U);
  EXPECT_EQ(optimizer->summary().in_flight, 0U);
  const Pull pull = optimizer->ask(1);
  EXPECT_EQ(pull.ticket, 1U);
  EXPECT_EQ(optimizer->observe(pull.arm, Rewards::one(0.5)), Status::ok);
  EXPECT_EQ(optimizer->summary().observed, 4U);
  EXPECT_EQ(optimizer->summary().t, 1U);
  EXPECT_EQ(optimizer->summary().in_flight, 1U);
  EXPECT_EQ(optimizer->tell(pull.ticket, 0.5), Status::ok);
  EXPECT_EQ(optimizer->summary().t, 2U);
  EXPECT_EQ(optimizer->summary().observed, 4U);
}

TEST_P(ObserveWithEveryOptimizer, WhatIsNoArmOrNoRewardIsRefusedAndChangesNothing) {
  const auto optimizer = make();
  Conversation conversation(5);
  conversation.observe(testing::mixed_space());
  const std::vector<double> arm{0.25, 5.0, 1.0};
  const Rewards good = Rewards::one(0.5);
  for (int i = 0; i < 120; ++i) {
    ASSERT_TRUE(conversation.step({optimizer.get()}));
    if (i % 40 != 0) continue;
    const std::string before = optimizer->save();
    for (const std::vector<double>& wrong : std::vector<std::vector<double>>{{},
                                                                             {0.25, 5.0},
                                                                             {0.25, 5.0, 1.0, 0.0},
                                                                             {1.5, 5.0, 1.0},
                                                                             {-0.1, 5.0, 1.0},
                                                                             {kNan, 5.0, 1.0},
                                                                             {kInfinity, 5.0, 1.0},
                                                                             {0.25, 5.5, 1.0},
                                                                             {0.25, 10.0, 1.0},
                                                                             {0.25, 5.0, 3.0},
                                                                             {0.25, 5.0, -1.0}}) {
      EXPECT_EQ(optimizer->observe(wrong, good), Status::not_an_arm);
    }
    EXPECT_EQ(optimizer->observe(arm, {}), Status::impossible_sums) << "none at all";
    EXPECT_EQ(optimizer->observe(arm, Rewards::one(kNan)), Status::not_a_reward);
    EXPECT_EQ(optimizer->observe(arm, Rewards::one(kInfinity)), Status::not_a_reward);
    EXPECT_EQ(optimizer->observe(arm, Rewards::one(1e200)), Status::not_a_reward);
    EXPECT_EQ(optimizer->observe(arm, Rewards::from_sums(1, 0.5, 0.1)), Status::impossible_sums);
    EXPECT_EQ(optimizer->observe(arm, {2, 1.0, 0.1, 0.8, 0.9}), Status::impossible_sums);
    EXPECT_EQ(optimizer->observe(arm, {2, 1.0, 0.1, 0.9, 0.1}), Status::impossible_sums);
    EXPECT_EQ(optimizer->save(), before);
  }
}

TEST_P(ObserveWithEveryOptimizer, IsInTheUnitsOfTheUser) {
  const auto plain = make(testing::unit_range());
  const auto scaled = make({.direction = Direction::minimize, .reward_range = {{-8.0, 0.0}}});
  RandomStream random({.seed = 8});
  for (int i = 0; i < 300; ++i) {
    const Pull up = plain->ask(1);
    const Pull down = scaled->ask(1);
    ASSERT_TRUE(std::equal(up.arm.begin(), up.arm.end(), down.arm.begin())) << "pull " << i;
    const double reward = static_cast<double>(random() % 64) / 64.0;  // exact in both units
    if (random.coin()) {
      ASSERT_EQ(plain->observe(up.arm, Rewards::one(reward)), Status::ok);
      ASSERT_EQ(scaled->observe(down.arm, Rewards::one(-8.0 * reward)), Status::ok);
    }
    ASSERT_EQ(plain->tell(up.ticket, reward), Status::ok);
    ASSERT_EQ(scaled->tell(down.ticket, -8.0 * reward), Status::ok);
  }
  EXPECT_NEAR(scaled->best()->mean, -8.0 * plain->best()->mean, 1e-9);
}

TEST_P(ObserveWithEveryOptimizer, AnyInterleavingKeepsCountAndContinuesFromASavedState) {
  EXPECT_TRUE(rc::check("observing " + GetParam().label, [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto steps = *rc::gen::inRange(1, 300);
    RC_LOG() << "seed " << seed << " steps " << steps;
    const auto one = make();
    Conversation conversation(seed);
    conversation.observe(testing::mixed_space());
    const auto check = [&](const Optimizer& optimizer) {
      RC_ASSERT(optimizer.summary().t == conversation.told() + 1);
      RC_ASSERT(optimizer.summary().in_flight == conversation.in_flight());
      RC_ASSERT(optimizer.summary().observed == conversation.observed());
    };
    for (int i = 0; i < steps; ++i) {
      RC_ASSERT(conversation.step({one.get()}));
      check(*one);
    }
    const auto restored = make();
    restored->restore(one->save());
    for (int i = 0; i < 200; ++i) RC_ASSERT(conversation.step({one.get(), restored.get()}));
    check(*restored);
    RC_ASSERT(restored->save() == one->save());
  }));
}

TEST_P(ObserveWithEveryOptimizer, TenThousandArmsInARowTakeLittleTime) {
  const auto optimizer = make();
  RandomStream random({.seed = 6});
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10'000; ++i) {
    const std::vector<double> arm = testing::arm_somewhere(testing::mixed_space(), random);
    ASSERT_EQ(optimizer->observe(arm, Rewards::one(random.uniform())), Status::ok);
  }
  EXPECT_EQ(optimizer->summary().observed, 10'000U);
  EXPECT_LT(seconds_since(start), 10.0) << "some hundredths are expected";
}

INSTANTIATE_TEST_SUITE_P(Observe, ObserveWithEveryOptimizer,
                         ::testing::ValuesIn(testing::every_optimizer()), testing::name_of_test);

// --- HCT -------------------------------------------------------------------------------------

RC_GTEST_PROP(HctObserve, AnyInterleavingFollowsTheRules, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const int steps = *rc::gen::inRange(1, 1500);
  const double observing = *rc::gen::element(0.01, 0.1, 0.5);
  RC_LOG() << config << " seed " << seed << " steps " << steps << " observing " << observing;
  Interleaving interleaving(config, seed, observing);
  for (int i = 0; i < steps; ++i) interleaving.step();
  interleaving.finish();
}

RC_GTEST_PROP(HctObserve, TheFastStepEqualsTheTextbookAlsoWithObservations,
              (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const int steps = *rc::gen::inRange(1, 3000);
  const double observing = *rc::gen::element(0.002, 0.02, 0.3);
  RC_LOG() << config << " seed " << seed << " steps " << steps << " observing " << observing;
  Interleaving interleaving(config, seed, observing);
  for (int i = 0; i < steps; ++i) interleaving.single_step();
  interleaving.finish();
}

TEST(HctObserve, TheFastStepEqualsTheTextbookInALongRun) {
  for (const Feedback feedback : {Feedback::iid, Feedback::correlated}) {
    RandomHct config;
    config.options = {.feedback = feedback, .nu1 = 1.0, .rho = 0.7071, .confidence_scale = 0.05};
    config.partition = std::make_shared<BoxPartition>(line());
    Interleaving interleaving(config, 7, 0.001);
    for (int i = 0; i < 50'000; ++i) interleaving.single_step();
    interleaving.finish();
  }
}

/// Compares everything visible of two trees.
void assert_same_trees(Optimizer& a, Optimizer& b) {
  const std::vector<NodeView> one = nodes_of(a);
  const std::vector<NodeView> other = nodes_of(b);
  RC_ASSERT(one.size() == other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    RC_ASSERT(one[i].path == other[i].path);
    RC_ASSERT(one[i].pulls == other[i].pulls);
    RC_ASSERT(one[i].mean == other[i].mean);
    RC_ASSERT(one[i].upper == other[i].upper);
    RC_ASSERT(one[i].bound == other[i].bound);
  }
}

RC_GTEST_PROP(HctObserve, RewardsOfANodeThatIsThereEqualLateAnswers, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RC_LOG() << config << " seed " << seed;
  RandomStream random({.seed = seed});
  Hct told(config.partition, config.options, config.objective);
  Hct observing(config.partition, config.options, config.objective);
  std::map<std::vector<double>, Ticket> late;  // one per arm played, of its first node
  while (told.summary().t < 520) {
    const OwnedPull pull(told.ask(1));
    const OwnedPull same(observing.ask(1));
    RC_ASSERT(pull.arm == same.arm);
    if (!late.contains(pull.arm)) {
      late[pull.arm] = told.ask(1).ticket;
      (void)observing.ask(1);
    }
    const double reward = config.reward(pull.arm, random.uniform());
    RC_ASSERT(told.tell(pull.ticket, reward) == Status::ok);
    RC_ASSERT(observing.tell(same.ticket, reward) == Status::ok);
  }
  told.finish();
  observing.finish();
  assert_same_trees(told, observing);
  std::uint64_t answers = 0;
  for (const auto& [arm, ticket] : late) {
    if (told.summary().t + 1 >= 1024)
      break;  // late rewards count as steps, and would end the phase
    const double reward = config.reward(arm, random.uniform());
    // The first node with an arm is an ancestor of all others with it, and was played before them.
    RC_ASSERT(told.tell(ticket, reward) == Status::ok);
    RC_ASSERT(observing.observe(arm, Rewards::one(reward)) == Status::ok);
    RC_ASSERT(observing.drop(ticket) == Status::ok);
    assert_same_trees(told, observing);
    ++answers;
  }
  RC_ASSERT(told.summary().t == observing.summary().t + answers);
  RC_ASSERT(observing.summary().observed == answers);
}

TEST(HctObserve, BeforeTheFirstAskNothingIsExpandedThatShouldNotBe) {
  Hct hct(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 1.0});  // tau_1 is above 100
  ASSERT_EQ(hct.observe(std::array{0.25}, equal_rewards(5, 0.5)), Status::ok);
  ASSERT_EQ(hct.observe(std::array{0.125}, equal_rewards(1000, 0.5)), Status::ok);
  ASSERT_EQ(hct.observe(std::array{0.5}, equal_rewards(1000, 0.5)), Status::ok) << "the root's";
  ASSERT_EQ(hct.observe(std::array{0.3}, equal_rewards(1000, 0.5)), Status::ok) << "no cell's";
  EXPECT_EQ(hct.summary().nodes, 3U);
  EXPECT_EQ(node_at(hct, "")->pulls, 0U);
  EXPECT_EQ(node_at(hct, "0")->pulls, 5U);
  EXPECT_DOUBLE_EQ(node_at(hct, "0")->mean, 0.5);
  EXPECT_TRUE(node_at(hct, "0")->leaf);
  EXPECT_EQ(node_at(hct, "1")->pulls, 0U);
  EXPECT_EQ(hct.summary().switches, 0U);
  EXPECT_EQ(hct.best()->pulls, 1000U) << "of any arm, on the tree or not";
  const Pull pull = hct.ask();
  EXPECT_EQ(path_of(hct, pull.ticket), "1") << "of which nothing is known";
  EXPECT_EQ(hct.summary().refreshes, 1U);
}

TEST(HctObserve, BoundsBeforeTheFirstAskAreThoseOfTheFirstPhase) {
  const HctOptions options{.nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.1};
  Hct told(line(), options);
  const Pull pull = told.ask();
  ASSERT_EQ(told.tell(pull.ticket, 0.3), Status::ok);
  Hct observing(line(), options);
  ASSERT_EQ(observing.observe(std::array{0.25}, Rewards::one(0.3)), Status::ok);
  EXPECT_EQ(node_at(observing, "0")->upper, node_at(told, "0")->upper);
  EXPECT_EQ(node_at(observing, "0")->bound, node_at(told, "0")->bound);
}

TEST(HctObserve, EnoughRewardsExpandALeafAtOnceAndOnlyThat) {
  Hct hct(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 1.0});
  ASSERT_EQ(hct.observe(std::array{0.75}, equal_rewards(1'000'000, 0.5)), Status::ok);
  EXPECT_EQ(hct.summary().nodes, 5U);
  EXPECT_FALSE(node_at(hct, "1")->leaf);
  EXPECT_TRUE(node_at(hct, "11")->leaf);
  EXPECT_EQ(node_at(hct, "11")->pulls, 0U);
}

TEST(HctObserve, RewardsThatWaitAreCreditedAsSoonAsTheNodeAppears) {
  for (const Feedback feedback : {Feedback::iid, Feedback::correlated}) {
    Hct hct(line(), {.feedback = feedback, .nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.05});
    // For a grandchild of the root, a child of that, and a node that is never created.
    ASSERT_EQ(hct.observe(std::array{0.375}, equal_rewards(7, 0.25)), Status::ok);
    ASSERT_EQ(hct.observe(std::array{0.375}, equal_rewards(1, 1.25)), Status::ok);
    ASSERT_EQ(hct.observe(std::array{0.3125}, equal_rewards(3, 0.75)), Status::ok);
    ASSERT_EQ(hct.observe(std::array{0.3}, equal_rewards(3, 0.75)), Status::ok);
    EXPECT_EQ(hct.summary().nodes, 3U);
    for (const auto& [path, pulls, mean] :
         {std::tuple{"01", 8U, 0.375}, std::tuple{"010", 3U, 0.75}}) {
      std::uint64_t before = 0;
      while (!node_at(hct, path)) {
        const Pull pull = hct.ask(1);
        const double x = pull.arm[0];
        ASSERT_EQ(hct.tell(pull.ticket, 1.0 - std::abs(x - 0.3)), Status::ok);
        ASSERT_LT(hct.summary().t, 10'000U);
        if (!node_at(hct, path)) before = hct.summary().nodes;
      }
      EXPECT_EQ(node_at(hct, path)->pulls, pulls);
      EXPECT_DOUBLE_EQ(node_at(hct, path)->mean, mean);
      EXPECT_LT(node_at(hct, path)->upper, kInfinity);
      EXPECT_GE(hct.summary().nodes, before + 2);
    }
    // They are credited only once.
    std::uint64_t pulls = 0;
    for (int i = 0; i < 200; ++i) {
      const Pull pull = hct.ask(1);
      ASSERT_EQ(hct.tell(pull.ticket, 0.5), Status::ok);
    }
    hct.finish();
    for (const NodeView& node : nodes_of(hct)) pulls += node.pulls;
    EXPECT_EQ(pulls, hct.summary().t - 1 + 11);
    EXPECT_EQ(hct.summary().observed, 14U);
  }
}

TEST(HctObserve, CreditsGoOnFromNodeToNode) {
  // Every node on the path has enough pulls as soon as it exists.
  Hct hct(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.1});
  for (const double arm : {0.0625, 0.125, 0.03125}) {  // "000", "00", "0000"
    ASSERT_EQ(hct.observe(std::array{arm}, equal_rewards(100'000, 0.5)), Status::ok);
    EXPECT_EQ(hct.summary().nodes, 3U);
  }
  ASSERT_EQ(hct.observe(std::array{0.25}, equal_rewards(100'000, 0.5)), Status::ok);
  EXPECT_EQ(hct.summary().nodes, 11U) << "two below each of the four";
  for (const char* path : {"0", "00", "000", "0000"}) {
    EXPECT_EQ(node_at(hct, path)->pulls, 100'000U) << path;
    EXPECT_FALSE(node_at(hct, path)->leaf) << path;
  }
  EXPECT_EQ(hct.summary().t, 1U);
}

TEST(HctObserve, TheFirstNodeOfAnArmGetsTheRewards) {
  // Four integers: 0..1 has arm 0, and so has its first child.
  Hct hct(Space{{"n", Integer{0, 3}}}, {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.1});
  ASSERT_EQ(hct.observe(std::array{0.0}, equal_rewards(1000, 0.5)), Status::ok);
  ASSERT_EQ(hct.observe(std::array{0.0}, equal_rewards(500, 0.5)), Status::ok);
  EXPECT_EQ(node_at(hct, "0")->pulls, 1500U);
  EXPECT_EQ(node_at(hct, "00")->pulls, 0U);
}

TEST(HctObserve, HistoryIsAHeadStart) {
  // Observed rewards of the better half avoid pulls of the worse one.
  const auto pulls_of_the_worse_half = [](bool knows) {
    Hct hct(line(), {.nu1 = 0.5, .rho = 0.5, .confidence_scale = 0.3});
    if (knows) {
      EXPECT_EQ(hct.observe(std::array{0.25}, equal_rewards(2000, 0.9)), Status::ok);
      EXPECT_EQ(hct.observe(std::array{0.75}, equal_rewards(2000, 0.1)), Status::ok);
    }
    int worse = 0;
    for (int i = 0; i < 500; ++i) {
      const Pull pull = hct.ask(1);
      worse += pull.arm[0] > 0.5 ? 1 : 0;
      EXPECT_EQ(hct.tell(pull.ticket, pull.arm[0] > 0.5 ? 0.1 : 0.9), Status::ok);
    }
    return worse;
  };
  EXPECT_GT(pulls_of_the_worse_half(false), 0);
  EXPECT_EQ(pulls_of_the_worse_half(true), 0);
}

TEST(HctObserve, AnEpisodeThatIsRunningEndsAtItsLength) {
  Hct hct(line(), {.feedback = Feedback::correlated, .nu1 = 1.0, .rho = 0.5});
  Pull pull = hct.ask();
  while (pull.length < 4) {
    const std::vector<double> rewards(pull.length, 0.5);
    ASSERT_EQ(hct.tell(pull.ticket, rewards), Status::ok);
    pull = hct.ask();
  }
  const std::string path = path_of(hct, pull.ticket);
  const std::uint64_t before = node_at(hct, path)->pulls;
  ASSERT_EQ(hct.tell(pull.ticket, 0.5), Status::ok);
  ASSERT_EQ(hct.observe(pull.arm, equal_rewards(10, 0.5)), Status::ok);
  EXPECT_EQ(node_at(hct, path)->pulls, before + 10) << "at once, unlike what the episode was told";
  EXPECT_EQ(path_of(hct, hct.ask().ticket), path) << "which is still running";
  const std::vector<double> rest(pull.length - 1, 0.5);
  ASSERT_EQ(hct.tell(pull.ticket, rest), Status::ok);
  EXPECT_EQ(node_at(hct, path)->pulls, before + 10 + pull.length);
}

TEST(HctObserve, ManyNodesThatAppearTakeLittleTime) {
  Hct hct(line(), {.nu1 = 1.0, .rho = 0.9, .confidence_scale = 0.001});
  const auto start = std::chrono::steady_clock::now();
  for (int depth = 1; depth <= 12; ++depth) {
    const int cells = 1 << depth;
    for (int i = 0; i < cells; ++i) {
      ASSERT_EQ(hct.observe(std::array{(i + 0.5) / cells}, equal_rewards(1000, 0.5)), Status::ok);
    }
  }
  EXPECT_EQ(hct.summary().nodes, (1U << 14) - 1);
  EXPECT_LT(seconds_since(start), 20.0) << "less than one is expected";
}

// --- other optimizers ------------------------------------------------------------------------

TEST(ThooObserve, RewardsAreThereAgainInEveryPeriod) {
  Thoo thoo(line());
  ASSERT_EQ(thoo.observe(std::array{0.25}, equal_rewards(5, 0.4)), Status::ok);
  std::vector<int> restarts;
  for (int t = 1; t <= 40; ++t) {
    const Pull pull = thoo.ask();
    if (nodes_of(thoo).front().pulls == 5) {
      restarts.push_back(t);
      EXPECT_EQ(node_at(thoo, "0")->pulls, 5U);
      EXPECT_DOUBLE_EQ(node_at(thoo, "0")->mean, 0.4);
    }
    ASSERT_EQ(thoo.tell(pull.ticket, 0.5), Status::ok);
  }
  EXPECT_EQ(restarts, (std::vector<int>{1, 3, 7, 15, 31}));
  EXPECT_EQ(thoo.summary().t, 41U);
}

TEST(ThooObserve, RewardsOfAPeriodAreThereInTheNext) {
  Thoo thoo(line());
  for (int t = 1; t <= 3; ++t) {
    const Pull pull = thoo.ask();
    ASSERT_EQ(thoo.tell(pull.ticket, 0.5), Status::ok);
  }
  // One arm whose node exists in this period, and one whose node exists only in a later one.
  ASSERT_EQ(thoo.observe(std::array{0.75}, equal_rewards(9, 0.5)), Status::ok);
  ASSERT_EQ(thoo.observe(std::array{0.875}, equal_rewards(4, 0.5)), Status::ok);
  for (int t = 4; t <= 64; ++t) {
    const Pull pull = thoo.ask();
    ASSERT_EQ(thoo.tell(pull.ticket, pull.arm[0]), Status::ok);
    std::uint64_t steps = 0;  // steps of this period
    for (std::uint64_t end = 2; steps + end < static_cast<std::uint64_t>(t); end *= 2) steps += end;
    const std::uint64_t told = static_cast<std::uint64_t>(t) - steps;
    const std::uint64_t expected = told + 9 + (node_at(thoo, "11") ? 4 : 0);
    ASSERT_EQ(nodes_of(thoo).front().pulls, expected) << "at t = " << t;
  }
  EXPECT_TRUE(node_at(thoo, "11").has_value());
}

TEST(HooObserve, RewardsCountForTheWholePathAndExpandTheNode) {
  Hoo hoo(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 1.0});
  ASSERT_EQ(hoo.observe(std::array{0.75}, equal_rewards(4, 0.5)), Status::ok);
  EXPECT_EQ(node_at(hoo, "")->pulls, 4U);
  EXPECT_EQ(node_at(hoo, "1")->pulls, 4U);
  EXPECT_EQ(node_at(hoo, "0")->pulls, 0U);
  EXPECT_FALSE(node_at(hoo, "1")->leaf);
  EXPECT_TRUE(std::isfinite(node_at(hoo, "1")->upper));
  EXPECT_EQ(path_of(hoo, hoo.ask().ticket), "0") << "of which nothing is known";
  EXPECT_EQ(hoo.best()->pulls, 4U);
}

TEST(HooObserve, RewardsThatWaitAreCreditedOnceTheNodeAppears) {
  Hoo hoo(line());
  ASSERT_EQ(hoo.observe(std::array{0.375}, equal_rewards(6, 0.5)), Status::ok);
  EXPECT_EQ(hoo.summary().nodes, 3U);
  EXPECT_EQ(node_at(hoo, "")->pulls, 0U);
  ASSERT_EQ(hoo.observe(std::array{0.25}, equal_rewards(2, 0.5)), Status::ok);
  EXPECT_EQ(node_at(hoo, "01")->pulls, 6U);
  EXPECT_EQ(node_at(hoo, "0")->pulls, 8U);
  EXPECT_EQ(node_at(hoo, "")->pulls, 8U);
  EXPECT_FALSE(node_at(hoo, "01")->leaf);
}

TEST(GridObserve, AnArmOfTheGridIsLearntAndOthersCountForTheBestAlone) {
  Grid grid(line(), {.points = 4});
  ASSERT_EQ(grid.observe(std::array{0.3}, equal_rewards(50, 0.8)), Status::ok);
  EXPECT_EQ(grid.best()->arm[0], 0.3);
  EXPECT_EQ(grid.summary().observed, 50U);
  ASSERT_EQ(grid.observe(std::array{0.125}, equal_rewards(8, 0.9)), Status::ok);
  EXPECT_EQ(grid.best()->arm[0], 0.125);
  EXPECT_EQ(grid.best()->pulls, 8U);
  EXPECT_DOUBLE_EQ(grid.best()->mean, 0.9);
  EXPECT_EQ(grid.ask().arm[0], 0.375) << "the first of which nothing is known";
}

TEST(RandomSearchObserve, ABetterArmIsRecommended) {
  RandomSearch search(line());
  const Pull pull = search.ask();
  ASSERT_EQ(search.tell(pull.ticket, 0.5), Status::ok);
  ASSERT_EQ(search.observe(std::array{0.3}, equal_rewards(4, 0.4)), Status::ok);
  EXPECT_NE(search.best()->arm[0], 0.3);
  ASSERT_EQ(search.observe(std::array{0.6}, equal_rewards(4, 0.6)), Status::ok);
  EXPECT_EQ(search.best()->arm[0], 0.6);
  EXPECT_EQ(search.best()->pulls, 4U);
}

TEST(PowerObserve, RewardsAreARollout) {
  Power power({{"x", Real{0.0, 10.0}}}, {.window = 2, .rollout_length = 3}, testing::unit_range());
  const Pull running = power.ask();
  const double arm = running.arm[0];
  ASSERT_EQ(power.tell(running.ticket, 0.5), Status::ok);
  ASSERT_EQ(power.observe(std::array{2.0}, equal_rewards(5, 0.3)), Status::ok);
  EXPECT_NEAR(power.best()->arm[0], 2.0, 1e-12) << "one rollout attracts all the way";
  ASSERT_EQ(power.observe(std::array{8.0}, equal_rewards(1, 0.6)), Status::ok);
  EXPECT_NEAR(power.best()->arm[0], (0.3 * 2.0 + 0.6 * 8.0) / 0.9, 1e-12);
  EXPECT_EQ(power.best()->pulls, 6U);
  EXPECT_EQ(running.arm[0], arm) << "what is running goes on";
  EXPECT_EQ(power.ask().arm[0], arm);
}

}  // namespace
}  // namespace canopy
