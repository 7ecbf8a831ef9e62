// Compares many pulls in flight with a literal implementation of the rules.

#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include "support/hct_interleaving.hpp"
#include "support/random_hct.hpp"
#include "support/tree.hpp"
#include "support/values.hpp"

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::Interleaving;
using testing::line;
using testing::nodes_of;
using testing::path_of;
using testing::RandomHct;

RC_GTEST_PROP(HctInFlight, AnyInterleavingFollowsTheRules, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const int steps = *rc::gen::inRange(1, 1500);
  RC_LOG() << config << " seed " << seed;
  Interleaving interleaving(config, seed);
  for (int i = 0; i < steps; ++i) interleaving.step();
  interleaving.finish();
}

TEST(HctInFlight, AskedAgainGivesTheSameArmOnANewTicket) {
  Hct hct(line());
  const Pull first = hct.ask();
  const Pull second = hct.ask();
  EXPECT_EQ(first.arm[0], second.arm[0]);
  EXPECT_EQ(first.ticket, 1U);
  EXPECT_EQ(second.ticket, 2U);
  EXPECT_EQ(hct.summary().switches, 1U);
  EXPECT_EQ(hct.summary().in_flight, 2U);
}

TEST(HctInFlight, IssuesAnEpisodeInPartsAndThenSinglePullsBeyondIt) {
  Hct hct(line(), {.feedback = Feedback::correlated});
  Pull part = hct.ask(1);
  Pull rest = hct.ask();  // beyond the episode, as episodes have length one
  while (rest.length < 3) {
    ASSERT_EQ(hct.tell(part.ticket, part.arm[0]), Status::ok);
    ASSERT_EQ(hct.drop(rest.ticket), Status::ok);
    part = hct.ask(1);
    rest = hct.ask();
  }
  EXPECT_EQ(part.length, 1U);
  const std::string path = path_of(hct, rest.ticket);
  EXPECT_EQ(path_of(hct, part.ticket), path);
  const Pull over_run = hct.ask();
  EXPECT_EQ(over_run.length, 1U);
  EXPECT_EQ(path_of(hct, over_run.ticket), path);
  const std::vector<double> rewards(rest.length, 0.5);
  ASSERT_EQ(hct.tell(rest.ticket, std::span<const double>(rewards)), Status::ok);
  ASSERT_EQ(hct.tell(over_run.ticket, 0.5), Status::ok) << "counts for the missing one";
  EXPECT_EQ(hct.tell(part.ticket, 0.5), Status::ok) << "late, for its own node";
}

TEST(HctInFlight, ALateAnswerUpdatesItsOwnNode) {
  Hct hct(line());
  const Pull first = hct.ask();
  const Pull late = hct.ask();
  ASSERT_EQ(hct.tell(first.ticket, 0.5), Status::ok);
  const Pull elsewhere = hct.ask();
  const std::string late_path = path_of(hct, late.ticket);
  const std::string path = path_of(hct, elsewhere.ticket);
  ASSERT_NE(path, late_path);
  ASSERT_EQ(hct.tell(late.ticket, 0.7), Status::ok);
  for (const NodeView& node : nodes_of(hct)) {
    if (node.path != late_path) continue;
    EXPECT_EQ(node.pulls, 2U);
    EXPECT_DOUBLE_EQ(node.mean, 0.6);
  }
  EXPECT_EQ(path_of(hct, hct.ask().ticket), path) << "its episode is still running";
}

TEST(HctInFlight, AggregatedAnswersEqualSingleOnesUpToRounding) {
  const HctOptions options{.feedback = Feedback::correlated};
  const Objective objective{.direction = Direction::minimize, .reward_range = {{-1.0, 3.0}}};
  Hct singles(line(), options, objective);
  Hct sums(line(), options, objective);
  RandomStream random({.seed = 3});
  for (int episode = 0; episode < 200; ++episode) {
    const Pull a = singles.ask();
    const Pull b = sums.ask();
    ASSERT_EQ(path_of(singles, a.ticket), path_of(sums, b.ticket));
    std::vector<double> rewards;
    for (std::uint64_t i = 0; i < a.length; ++i) {
      rewards.push_back(a.arm[0] + random.uniform());
      ASSERT_EQ(singles.tell(a.ticket, rewards.back()), Status::ok);
    }
    ASSERT_EQ(sums.tell(b.ticket, Rewards::of(rewards)), Status::ok);
  }
  EXPECT_NEAR(singles.best()->mean, sums.best()->mean, 1e-9);
}

TEST(HctInFlight, AnswersTooFarFromTheOriginAreRefusedWhateverTheRange) {
  Hct hct(line(), {}, {.reward_range = {{1e307, 1.7e308}}});
  const Pull pull = hct.ask();
  EXPECT_EQ(hct.tell(pull.ticket, Rewards::from_sums(1, 1.6e308, 1e300)), Status::not_a_reward);
  EXPECT_EQ(hct.tell(pull.ticket, Rewards::from_sums(1, 2e307, 1e308)), Status::not_a_reward);
  EXPECT_EQ(hct.tell(pull.ticket, Rewards::one(2e307)), Status::not_a_reward);
  ASSERT_EQ(hct.tell(pull.ticket, Rewards::one(1e307)), Status::ok) << "the origin itself";
  EXPECT_TRUE(std::isfinite(hct.best()->mean));
}

TEST(HctInFlight, ATicketThatIsNeverAnsweredCostsOnlyItsPlace) {
  Hct hct(line());
  const Pull abandoned = hct.ask();
  for (int i = 0; i < 1000; ++i) {
    const Pull pull = hct.ask();
    ASSERT_EQ(hct.tell(pull.ticket, 0.5), Status::ok);
  }
  EXPECT_EQ(hct.summary().in_flight, 1U);
  EXPECT_EQ(hct.tell(abandoned.ticket, 0.5), Status::ok);
  EXPECT_EQ(hct.summary().in_flight, 0U);
  EXPECT_EQ(hct.summary().t, 1002U);
}

}  // namespace
}  // namespace canopy
