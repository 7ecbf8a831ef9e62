// Many pulls in flight, against a literal reading of the rules.

#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include "support/compare_trees.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_protocol.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::difference;
using testing::RandomHct;
using testing::TextbookProtocol;

Space line() {
  return {{"x", Real{0.0, 1.0}}};
}

/// Asks, tells (one by one, in lists, as sums), drops and looks at random, on both sides.
class Interleaving {
 public:
  Interleaving(const RandomHct& config, std::uint64_t seed)
      : config_(config),
        fast_(config.partition, config.options),
        textbook_(config.partition, config.options),
        random_({.seed = seed}) {}

  void step() {
    const double what = random_.uniform();
    if (textbook_.open().empty() || what < 0.4) {
      ask();
    } else if (what < 0.9) {
      tell();
    } else if (what < 0.95) {
      drop();
    } else {
      RC_ASSERT(difference(fast_.tree(), textbook_.hct()) == "");
    }
    RC_ASSERT(fast_.summary().in_flight == textbook_.open().size());
    RC_ASSERT(fast_.summary().t == textbook_.hct().t());
  }

  void finish() {
    fast_.finish();
    textbook_.finish();
    RC_ASSERT(difference(fast_.tree(), textbook_.hct()) == "");
    RC_ASSERT(fast_.summary().refreshes == textbook_.hct().refreshes());
  }

 private:
  void ask() {
    const std::uint64_t pulls = random_.uniform() < 0.5 ? 1 + random_() % 6 : UINT64_MAX;
    const Pull pull = fast_.ask(pulls);
    RC_ASSERT(textbook_.ask(pulls) == pull.ticket);
    const TextbookProtocol::Open& open = textbook_.open().at(pull.ticket);
    RC_ASSERT(fast_.path(pull.node) == textbook_.hct().path(open.node));
    RC_ASSERT(pull.length == open.remaining);
    arms_[pull.ticket] = pull.arm;
  }

  void tell() {
    const Ticket ticket = pick();
    const std::uint64_t remaining = textbook_.open().at(ticket).remaining;
    const std::uint64_t count = 1 + random_() % std::min<std::uint64_t>(remaining, 50);
    Rewards sums;
    std::vector<double> rewards;
    for (std::uint64_t i = 0; i < count; ++i) {
      rewards.push_back(config_.reward(arms_.at(ticket), random_.uniform()));
      sums.sum += rewards.back();
      sums.sum_squares += rewards.back() * rewards.back();
    }
    sums.count = count;
    const double how = random_.uniform();
    Status status = Status::ok;
    if (count == 1 && how < 0.6) {
      status = fast_.tell(ticket, rewards.front());
    } else if (how < 0.8) {
      status = fast_.tell(ticket, std::span<const double>(rewards));
    } else {
      status = fast_.tell(ticket, sums);
    }
    RC_ASSERT(status == Status::ok);
    textbook_.tell(ticket, count, sums.sum);
  }

  void drop() {
    const Ticket ticket = pick();
    RC_ASSERT(fast_.drop(ticket) == Status::ok);
    textbook_.drop(ticket);
    RC_ASSERT(fast_.tell(ticket, 0.5) == Status::closed_ticket);
  }

  Ticket pick() {
    auto open = textbook_.open().begin();
    std::advance(open, static_cast<std::ptrdiff_t>(random_() % textbook_.open().size()));
    return open->first;
  }

  const RandomHct& config_;
  Hct fast_;
  TextbookProtocol textbook_;
  RandomStream random_;
  std::map<Ticket, Arm> arms_;
};

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

TEST(HctInFlight, GrantsAnEpisodeInPartsAndThenOverRunsOfOne) {
  Hct hct(line(), {.feedback = Feedback::correlated});
  Pull part = hct.ask(1);
  Pull rest = hct.ask();  // an over-run, as long as episodes are of length one
  while (rest.length < 3) {
    ASSERT_EQ(hct.tell(part.ticket, part.arm[0]), Status::ok);
    ASSERT_EQ(hct.drop(rest.ticket), Status::ok);
    part = hct.ask(1);
    rest = hct.ask();
  }
  EXPECT_EQ(part.length, 1U);
  EXPECT_EQ(part.node, rest.node);
  const Pull over_run = hct.ask();
  EXPECT_EQ(over_run.length, 1U);
  EXPECT_EQ(over_run.node, rest.node);
  const std::vector<double> rewards(rest.length, 0.5);
  ASSERT_EQ(hct.tell(rest.ticket, std::span<const double>(rewards)), Status::ok);
  ASSERT_EQ(hct.tell(over_run.ticket, 0.5), Status::ok) << "counts for the one that is missing";
  EXPECT_EQ(hct.tell(part.ticket, 0.5), Status::ok) << "late, for its own node";
}

TEST(HctInFlight, ALateAnswerUpdatesItsOwnNode) {
  Hct hct(line());
  const Pull first = hct.ask();
  const Pull late = hct.ask();
  ASSERT_EQ(hct.tell(first.ticket, 0.5), Status::ok);
  const Pull elsewhere = hct.ask();
  ASSERT_NE(elsewhere.node, late.node);
  ASSERT_EQ(hct.tell(late.ticket, 0.7), Status::ok);
  for (const NodeView& node : hct.tree()) {
    if (node.path != hct.path(late.node)) continue;
    EXPECT_EQ(node.pulls, 2U);
    EXPECT_DOUBLE_EQ(node.mean, 0.6);
  }
  EXPECT_EQ(hct.ask().node, elsewhere.node) << "its episode is still running";
}

TEST(HctInFlight, AggregatedAnswersEqualSingleOnesUpToRounding) {
  const HctOptions options{.feedback = Feedback::correlated};
  const Objective objective{.direction = Direction::minimize, .reward_range = {-1.0, 3.0}};
  Hct singles(line(), options, objective);
  Hct sums(line(), options, objective);
  RandomStream random({.seed = 3});
  for (int episode = 0; episode < 200; ++episode) {
    const Pull a = singles.ask();
    const Pull b = sums.ask();
    ASSERT_EQ(singles.path(a.node), sums.path(b.node));
    Rewards rewards;
    for (std::uint64_t i = 0; i < a.length; ++i) {
      const double reward = a.arm[0] + random.uniform();
      ASSERT_EQ(singles.tell(a.ticket, reward), Status::ok);
      rewards.count += 1;
      rewards.sum += reward;
      rewards.sum_squares += reward * reward;
    }
    ASSERT_EQ(sums.tell(b.ticket, rewards), Status::ok);
  }
  EXPECT_NEAR(singles.best()->mean, sums.best()->mean, 1e-9);
}

TEST(HctInFlight, AggregatedAnswersStayFiniteInAHugeRange) {
  Hct hct(line(), {}, {.reward_range = {1e307, 1.7e308}});
  const Pull pull = hct.ask();
  EXPECT_EQ(hct.tell(pull.ticket, Rewards{1, 1.6e308, 1e300}), Status::impossible_sums);
  EXPECT_EQ(hct.tell(pull.ticket, Rewards{1, 2e307, 1e308}), Status::impossible_sums);
  ASSERT_EQ(hct.tell(pull.ticket, 2e307), Status::ok);
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
