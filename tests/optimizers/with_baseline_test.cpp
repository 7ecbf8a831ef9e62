#include "canopy/with_baseline.hpp"

#include "canopy/adaptive.hpp"
#include "canopy/errors.hpp"
#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Verdict = Uplift::Verdict;

const std::vector<double> kBaseline{0.3};

using testing::line;

WithBaseline compared(const BaselineRule& rule = {}, const Objective& objective = {}) {
  const AdaptiveOptions options{.drift = Drift::none};
  return {std::make_unique<Adaptive>(line(), options, objective), line(), objective, kBaseline,
          rule};
}

/// A reward depends on the arm and on the number of earlier pulls.
using World = std::function<double(double arm, int pull)>;

/// Measures everything that is asked for, until the search and challengers have `pulls` rewards.
struct Play {
  int pulls = 0;  // in total
  int searched = 0;
  int alone = 0;  // pulls of the baseline
  int duels = 0;
  bool has_claimed = false;

  void operator()(Optimizer& optimizer, std::uint64_t until, const World& world) {
    while (optimizer.summary().t <= until) {
      const OwnedPull pull(optimizer.ask(1));
      std::vector<double> rewards;
      const std::uint64_t half = pull.purpose == Purpose::duel ? pull.length / 2 : pull.length;
      for (std::uint64_t i = 0; i < half; ++i) rewards.push_back(world(pull.arm[0], ++pulls));
      if (pull.purpose == Purpose::duel) {
        ++duels;
        for (std::uint64_t i = 0; i < half; ++i) rewards.push_back(world(pull.then[0], ++pulls));
      } else {
        ++(pull.purpose == Purpose::search ? searched : alone);
      }
      ASSERT_EQ(optimizer.tell(pull.ticket, rewards), Status::ok);
      const std::optional<Uplift> uplift = optimizer.uplift();
      has_claimed = has_claimed || (uplift && uplift->verdict == Verdict::better);
    }
  }
};

/// A bump with this height, which is 0 at the baseline.
double bump(double x, double height) {
  const double near = std::max(0.0, 1.0 - std::abs(x - 0.75) / 0.4);
  return height * near * near * (3.0 - 2.0 * near);
}

TEST(WithBaseline, BeginsWithTheBaselineAndThenSearches) {
  WithBaseline optimizer = compared();
  for (int i = 0; i < 4; ++i) {
    const Pull pull = optimizer.ask(1);
    EXPECT_EQ(pull.purpose, Purpose::baseline);
    EXPECT_EQ(pull.arm[0], 0.3);
    EXPECT_EQ(optimizer.tell(pull.ticket, 1.0), Status::ok);
  }
  const Pull pull = optimizer.ask(1);
  EXPECT_EQ(pull.purpose, Purpose::search);
  EXPECT_EQ(pull.ticket, 5U) << "tickets of all purposes have one numbering";
  EXPECT_EQ(optimizer.summary().t, 1U) << "the baseline is not part of the search";
  EXPECT_EQ(optimizer.estimate(kBaseline)->pulls, 4U);
}

TEST(WithBaseline, ComparesTheBestArmInRoundsOfPairs) {
  RandomStream random({.seed = 1});
  WithBaseline optimizer = compared({.first = 20, .seed = 7});
  Play play;
  play(optimizer, 300, [&](double x, int) { return bump(x, 2.0) + random.normal(); });
  EXPECT_EQ(play.alone, 4);
  EXPECT_NEAR(play.duels, 80, 20) << "four pairs after every ten pulls of the search";
  const Uplift uplift = optimizer.uplift().value();
  EXPECT_EQ(uplift.verdict, Verdict::better);
  EXPECT_GT(uplift.interval.lower, 0.0);
  EXPECT_LT(uplift.interval.lower, bump(uplift.arm[0], 2.0));
  EXPECT_GT(uplift.interval.upper, bump(uplift.arm[0], 2.0));
  EXPECT_EQ(uplift.baseline_pulls, static_cast<std::uint64_t>(play.alone + play.duels));
  EXPECT_NEAR(uplift.baseline_mean, 0.0, 0.5);
  EXPECT_TRUE(uplift.baseline.bounded());
  EXPECT_FALSE(uplift.moves);
}

TEST(WithBaseline, MinimizesAsItMaximizes) {
  RandomStream random({.seed = 1});
  WithBaseline optimizer = compared({.first = 20, .seed = 7}, {.direction = Direction::minimize});
  Play play;
  play(optimizer, 300, [&](double x, int) { return 50.0 - bump(x, 2.0) + random.normal(); });
  const Uplift uplift = optimizer.uplift().value();
  EXPECT_EQ(uplift.verdict, Verdict::better);
  EXPECT_LT(uplift.interval.upper, 0.0);
}

TEST(WithBaseline, AKnobWithoutEffectIsSeldomCalledBetterWhateverTheLevelDoes) {
  constexpr int kRuns = 100;
  const auto claims = [&](const std::function<double(int, RandomStream&, double&)>& level) {
    int count = 0;
    for (std::uint64_t run = 1; run <= kRuns; ++run) {
      RandomStream random({.seed = 5, .run = run});
      double kept = 0.0;
      WithBaseline optimizer = compared({.first = 20, .seed = run});
      Play play;
      play(optimizer, 150,
           [&](double, int pull) { return level(pull, random, kept) + random.normal(); });
      if (play.has_claimed) ++count;
    }
    return count;
  };
  EXPECT_LE(claims([](int pull, RandomStream&, double&) { return 3.0 * std::sin(0.06 * pull); }),
            5);
  EXPECT_LE(claims([](int pull, RandomStream&, double&) { return 0.05 * pull; }), 5);
  EXPECT_LE(claims([](int, RandomStream& random, double& kept) {
              return kept = 0.98 * kept + random.normal();
            }),
            5);
}

TEST(WithBaseline, SaysThatTheLevelMoves) {
  RandomStream random({.seed = 3});
  WithBaseline optimizer = compared({.first = 20, .seed = 3});
  Play play;
  play(optimizer, 300, [&](double, int pull) { return 0.05 * pull + random.normal(); });
  const Uplift uplift = optimizer.uplift().value();
  ASSERT_TRUE(uplift.moves);
  EXPECT_LT(uplift.moves->low.mean, uplift.moves->high.mean);
  EXPECT_LT(uplift.moves->low.to, uplift.moves->high.from);
  EXPECT_LE(uplift.moves->low.from, uplift.moves->low.to);
}

TEST(WithBaseline, GivesNoIntervalOfAnArmOnceTheBaselineIsMeasured) {
  RandomStream random({.seed = 3});
  const World world = [&](double x, int) { return bump(x, 2.0) + random.normal(); };
  WithBaseline measured = compared();
  Play()(measured, 200, world);
  const Best best = measured.best().value();
  EXPECT_FALSE(std::isfinite(best.lower));
  EXPECT_FALSE(best.by_model);
  EXPECT_EQ(best.unknown, best.arms - 1);
  WithBaseline never = compared({.every = 0});
  Play()(never, 200, world);
  EXPECT_TRUE(std::isfinite(never.best()->lower));
  EXPECT_FALSE(never.uplift());
}

TEST(WithBaseline, WithoutRoundsItIsTheSearch) {
  RandomStream one({.seed = 4});
  RandomStream other({.seed = 4});
  WithBaseline optimizer = compared({.every = 0});
  Adaptive search(line());
  for (int i = 0; i < 500; ++i) {
    const Pull pull = optimizer.ask(3);
    const Pull same = search.ask(3);
    ASSERT_EQ(pull.arm[0], same.arm[0]) << i;
    ASSERT_EQ(pull.ticket, same.ticket) << i;
    ASSERT_EQ(pull.length, same.length) << i;
    for (std::uint64_t j = 0; j < pull.length; ++j) {
      ASSERT_EQ(optimizer.tell(pull.ticket, one.normal()), Status::ok);
      ASSERT_EQ(search.tell(same.ticket, other.normal()), Status::ok);
    }
  }
}

/// The first duel that is asked for.
OwnedPull first_duel(WithBaseline& optimizer, RandomStream& random) {
  for (;;) {
    OwnedPull pull(optimizer.ask(1));
    if (pull.purpose == Purpose::duel) return pull;
    EXPECT_EQ(optimizer.tell(pull.ticket, random.normal()), Status::ok);
  }
}

TEST(WithBaseline, ADuelTakesTheRewardsOfItsArmsInTheirOrder) {
  RandomStream random({.seed = 6});
  WithBaseline optimizer = compared({.visit = 2, .first = 20, .seed = 2});
  const OwnedPull duel = first_duel(optimizer, random);
  EXPECT_EQ(duel.length, 4U);
  EXPECT_TRUE((duel.arm == kBaseline) != (duel.then == kBaseline));
  EXPECT_EQ(optimizer.tell(duel.ticket, std::vector(5, 1.0)), Status::too_many_rewards);
  EXPECT_EQ(optimizer.tell(duel.ticket, std::vector{1.0, 2.0, 3.0, std::nan("")}),
            Status::not_a_reward);
  EXPECT_EQ(optimizer.tell(duel.ticket, Rewards::of(std::vector{1.0, 2.0, 3.0})),
            Status::too_many_rewards)
      << "sums are of one arm";
  const std::uint64_t before = optimizer.estimate(kBaseline)->pulls;
  EXPECT_EQ(optimizer.tell(duel.ticket, 1.0), Status::ok);
  EXPECT_EQ(optimizer.tell(duel.ticket, 2.0), Status::ok);
  const Pull rest = optimizer.pull_of(duel.ticket).value();
  EXPECT_EQ(OwnedPull(rest).arm, duel.then);
  EXPECT_EQ(rest.length, 2U);
  EXPECT_TRUE(rest.then.empty());
  EXPECT_EQ(optimizer.uplift()->pairs, 0U);
  EXPECT_EQ(optimizer.tell(duel.ticket, std::vector{3.0, 4.0}), Status::ok);
  EXPECT_EQ(optimizer.tell(duel.ticket, 1.0), Status::closed_ticket);
  EXPECT_EQ(optimizer.estimate(kBaseline)->pulls, before + 2);
  EXPECT_EQ(optimizer.uplift()->difference, duel.arm == kBaseline ? 2.0 : -2.0);
  EXPECT_EQ(optimizer.uplift()->pairs, 1U);
}

TEST(WithBaseline, ADuelWhoseBaselineFailsIsVoid) {
  RandomStream random({.seed = 6});
  WithBaseline optimizer = compared({.first = 20, .seed = 2});
  OwnedPull duel = first_duel(optimizer, random);
  while (duel.arm != kBaseline) {
    ASSERT_EQ(optimizer.drop(duel.ticket), Status::ok);
    duel = first_duel(optimizer, random);
  }
  EXPECT_EQ(optimizer.penalize(duel.ticket, -1.0), Status::ok);
  EXPECT_EQ(optimizer.uplift()->pairs, 0U);
}

TEST(WithBaseline, ADuelThatIsDroppedIsVoid) {
  RandomStream random({.seed = 6});
  WithBaseline optimizer = compared({.first = 20, .seed = 2});
  const OwnedPull duel = first_duel(optimizer, random);
  EXPECT_EQ(optimizer.summary().in_flight, 1U);
  EXPECT_EQ(optimizer.pull_of(duel.ticket)->purpose, Purpose::duel);
  EXPECT_EQ(optimizer.drop(duel.ticket), Status::ok);
  EXPECT_EQ(optimizer.summary().in_flight, 0U);
  EXPECT_EQ(optimizer.uplift()->pairs, 0U);
}

TEST(WithBaseline, AChallengerThatFailsTwiceIsNoLongerOne) {
  RandomStream random({.seed = 6});
  WithBaseline optimizer = compared({.first = 20, .seed = 2});
  OwnedPull duel = first_duel(optimizer, random);
  const std::vector<double> failing = duel.arm == kBaseline ? duel.then : duel.arm;
  EXPECT_EQ(optimizer.tell(duel.ticket, std::vector{1.0, 3.0}), Status::ok);
  const auto fail = [&] {
    OwnedPull lost = first_duel(optimizer, random);
    if (lost.arm == kBaseline) {
      EXPECT_EQ(optimizer.tell(lost.ticket, 1.0), Status::ok);
    }
    EXPECT_EQ(optimizer.penalize(lost.ticket, -1.0), Status::ok);
  };
  fail();
  EXPECT_EQ(optimizer.uplift()->pairs, 2U);
  fail();
  // The rest of this round.
  for (int i = 0; i < 200; ++i) {
    const OwnedPull pull(optimizer.ask(1));
    if (pull.purpose == Purpose::duel && optimizer.summary().t > 40) {
      EXPECT_NE(pull.arm, failing);
      EXPECT_NE(pull.then, failing);
    }
    EXPECT_EQ(optimizer.tell(pull.ticket, std::vector<double>(pull.length, random.normal())),
              Status::ok);
  }
}

TEST(WithBaseline, BothOrdersAreAboutAsFrequent) {
  RandomStream random({.seed = 8});
  int baseline_first = 0;
  WithBaseline optimizer = compared({.every = 1, .first = 20, .seed = 11});
  for (int i = 0; i < 400; ++i) {
    const OwnedPull duel = first_duel(optimizer, random);
    if (duel.arm == kBaseline) ++baseline_first;
    ASSERT_EQ(optimizer.drop(duel.ticket), Status::ok);
  }
  EXPECT_NEAR(baseline_first, 200, 50);
}

TEST(WithBaseline, SeveralInFlightDoNotWaitForARound) {
  RandomStream random({.seed = 9});
  WithBaseline optimizer = compared({.first = 20, .seed = 5});
  std::vector<OwnedPull> open;
  std::uint64_t duels = 0;
  for (int i = 0; i < 1'000; ++i) {
    open.emplace_back(optimizer.ask(1));
    if (open.back().purpose == Purpose::duel) ++duels;
    if (open.size() < 8) continue;
    const auto which = static_cast<std::ptrdiff_t>(8.0 * random.uniform());
    const OwnedPull pull = open[static_cast<std::size_t>(which)];
    open.erase(open.begin() + which);
    std::vector<double> rewards(pull.length);
    for (double& reward : rewards) reward = random.normal();
    ASSERT_EQ(optimizer.tell(pull.ticket, rewards), Status::ok);
  }
  EXPECT_GT(duels, 150U);
  const std::vector<Pull> in_flight = optimizer.in_flight();
  EXPECT_EQ(in_flight.size(), 7U);
  EXPECT_TRUE(
      std::is_sorted(in_flight.begin(), in_flight.end(),
                     [](const Pull& one, const Pull& other) { return one.ticket < other.ticket; }));
}

// --- changes of the system -------------------------------------------------------------------

WithBaseline watchful(std::uint64_t seed) {
  const AdaptiveOptions options{.drift = Drift::automatic};
  return {std::make_unique<Adaptive>(line(), options),
          line(),
          {},
          kBaseline,
          BaselineRule{.first = 20, .seed = seed}};
}

/// Two peaks: the first falls while the other rises; the baseline stays at 0.
World other_peak_after(int jump, RandomStream& random) {
  return [&random, jump](double x, int pull) {
    const double top = pull <= jump ? 0.55 : 0.9;
    return 2.0 * std::max(0.0, 1.0 - std::abs(x - top) / 0.2) + 0.2 * random.normal();
  };
}

/// Plays until a change of shape is detected.
void play_until_they_change(WithBaseline& optimizer, const World& world) {
  for (int pulls = 0; pulls < 5'000;) {
    const OwnedPull pull(optimizer.ask(1));
    std::vector<double> rewards{world(pull.arm[0], ++pulls)};
    if (!pull.then.empty()) rewards.push_back(world(pull.then[0], ++pulls));
    ASSERT_EQ(optimizer.tell(pull.ticket, rewards), Status::ok);
    const auto change = optimizer.summary().last_change;
    if (change && change->kind == Change::Kind::shape) return;
  }
  FAIL() << "the change was not detected";
}

TEST(WithBaseline, WhatWasProvenBeforeSettingsChangedHasToBeProvenAgain) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random({.seed = seed});
    WithBaseline optimizer = watchful(seed);
    const World world = other_peak_after(1'000, random);
    ASSERT_NO_FATAL_FAILURE(play_until_they_change(optimizer, world));
    const Change change = optimizer.summary().last_change.value();
    EXPECT_EQ(optimizer.changes(), optimizer.summary().changes);
    Uplift uplift = optimizer.uplift().value();
    EXPECT_EQ(uplift.since, change.pull);
    EXPECT_EQ(uplift.verdict, Verdict::too_few);
    EXPECT_TRUE(uplift.was_proven);
    EXPECT_TRUE(optimizer.proven().empty());
    EXPECT_EQ(optimizer.best()->since, change.pull);
    for (int i = 0; i < 1'000; ++i) {
      const OwnedPull pull(optimizer.ask(1));
      std::vector<double> rewards{world(pull.arm[0], 2'000)};
      if (!pull.then.empty()) rewards.push_back(world(pull.then[0], 2'000));
      ASSERT_EQ(optimizer.tell(pull.ticket, rewards), Status::ok);
    }
    uplift = optimizer.uplift().value();
    EXPECT_EQ(uplift.verdict, Verdict::better);
    EXPECT_NEAR(uplift.arm[0], 0.9, 0.1);
  }
}

TEST(WithBaseline, AnAlarmOfTheBaselineIsAChangeOfLevelAndRevokesNoProof) {
  RandomStream random({.seed = 3});
  WithBaseline optimizer = compared({.first = 20, .seed = 3});
  Play play;
  play(optimizer, 400, [&](double x, int pull) {
    return bump(x, 3.0) + (pull <= 300 ? 0.0 : -8.0) + 0.3 * random.normal();
  });
  ASSERT_EQ(optimizer.changes(), 1U);
  const Change change = optimizer.summary().last_change.value();
  EXPECT_EQ(change.kind, Change::Kind::level);
  EXPECT_NEAR(change.size, -8.0, 1.0);
  EXPECT_FALSE(optimizer.uplift()->since.has_value());
  EXPECT_EQ(optimizer.uplift()->verdict, Verdict::better);
}

TEST(WithBaseline, ADuelThatWasOpenWhenSettingsChangedCountsForNothing) {
  RandomStream random({.seed = 1});
  WithBaseline optimizer = watchful(1);
  const OwnedPull duel = first_duel(optimizer, random);
  ASSERT_NO_FATAL_FAILURE(play_until_they_change(optimizer, other_peak_after(1'000, random)));
  const Uplift before = optimizer.uplift().value();
  EXPECT_EQ(optimizer.tell(duel.ticket, std::vector{5.0, 6.0}), Status::ok);
  EXPECT_EQ(optimizer.uplift()->pairs, before.pairs);
  WithBaseline restored = watchful(1);
  restored.restore(optimizer.save());
  EXPECT_EQ(restored.save(), optimizer.save());
  EXPECT_EQ(restored.uplift()->since, before.since);
  EXPECT_TRUE(restored.uplift()->was_proven);
}

TEST(WithBaseline, IsTheSameAfterBeingRestoredAndAsAClone) {
  RandomStream random({.seed = 10});
  WithBaseline optimizer = compared({.first = 20, .seed = 5});
  Play()(optimizer, 100, [&](double x, int) { return bump(x, 1.0) + random.normal(); });
  (void)optimizer.ask(1);
  WithBaseline restored = compared({.first = 20, .seed = 5});
  restored.restore(optimizer.save());
  const std::unique_ptr<Optimizer> clone = optimizer.clone();
  for (int i = 0; i < 300; ++i) {
    const OwnedPull pull(optimizer.ask(1));
    for (Optimizer* other : {static_cast<Optimizer*>(&restored), clone.get()}) {
      const OwnedPull same(other->ask(1));
      ASSERT_EQ(same.ticket, pull.ticket);
      ASSERT_EQ(same.arm, pull.arm);
      ASSERT_EQ(same.then, pull.then);
    }
    std::vector<double> rewards(pull.length);
    for (double& reward : rewards) reward = random.normal();
    for (Optimizer* each :
         {static_cast<Optimizer*>(&optimizer), static_cast<Optimizer*>(&restored), clone.get()}) {
      ASSERT_EQ(each->tell(pull.ticket, rewards), Status::ok);
    }
  }
  EXPECT_EQ(restored.save(), optimizer.save());
  EXPECT_EQ(clone->save(), optimizer.save());
}

/// A journal contains earlier decisions, which may differ from the decisions that would be made
/// now.
TEST(WithBaseline, CanRepeatARecordedAsk) {
  RandomStream random({.seed = 12});
  WithBaseline optimizer = compared({.first = 20, .seed = 5});
  WithBaseline again = compared({.every = 25, .pairs = 2, .first = 50, .seed = 77});
  for (int i = 0; i < 600; ++i) {
    const OwnedPull pull(optimizer.ask(3));
    const Pull same = again.ask_as({.ticket = pull.ticket,
                                    .arm = pull.arm,
                                    .length = pull.length,
                                    .purpose = pull.purpose,
                                    .then = pull.then,
                                    .round = pull.round},
                                   3);
    ASSERT_EQ(same.ticket, pull.ticket) << i;
    ASSERT_TRUE(std::equal(same.arm.begin(), same.arm.end(), pull.arm.begin())) << i;
    ASSERT_EQ(same.length, pull.length) << i;
    std::vector<double> rewards(pull.length);
    for (double& reward : rewards) reward = random.normal();
    ASSERT_EQ(optimizer.tell(pull.ticket, rewards), Status::ok);
    ASSERT_EQ(again.tell(pull.ticket, rewards), Status::ok);
  }
  EXPECT_EQ(again.uplift()->difference, optimizer.uplift()->difference);
  EXPECT_EQ(again.uplift()->pairs, optimizer.uplift()->pairs);
  EXPECT_EQ(again.uplift()->baseline_pulls, optimizer.uplift()->baseline_pulls);
}

/// Repeats all operations of the first optimizer on a second one, as when a journal is replayed.
void check_that_state_follows(const BaselineRule& rule, double level, std::uint64_t settle = 0) {
  RandomStream random({.seed = 13});
  const AdaptiveOptions options{.settle = settle, .settle_rule = SettleRule::strict};
  const auto made = [&] {
    return WithBaseline(std::make_unique<Adaptive>(line(), options), line(), {}, kBaseline, rule);
  };
  WithBaseline optimizer = made();
  WithBaseline again = made();
  for (int i = 0; i < 800; ++i) {
    const OwnedPull pull(optimizer.ask(2));
    const Pull same = again.ask_as({.ticket = pull.ticket,
                                    .arm = pull.arm,
                                    .length = pull.length,
                                    .purpose = pull.purpose,
                                    .then = pull.then,
                                    .round = pull.round},
                                   2);
    ASSERT_EQ(same.ticket, pull.ticket) << i;
    const double chance = random.uniform();
    const std::vector<double> rewards(pull.length, level + random.normal());
    for (WithBaseline* each : {&optimizer, &again}) {
      if (chance < 0.1) {
        ASSERT_EQ(each->penalize(pull.ticket, -3.0), Status::ok);
      } else if (chance < 0.2) {
        ASSERT_EQ(each->drop(pull.ticket), Status::ok);
      } else {
        ASSERT_TRUE(is_taken(each->tell(pull.ticket, rewards)));
      }
      const bool is_barred = chance > 0.97 && pull.arm != kBaseline;
      if (is_barred) {
        ASSERT_EQ(each->bar(pull.arm, -3.0), Status::ok);
      }
    }
    ASSERT_EQ(again.save(), optimizer.save()) << i;
  }
}

TEST(WithBaseline, ItsStateFollowsFromWhatWasAskedAndAnswered) {
  check_that_state_follows({.every = 3, .first = 20, .seed = 5}, 0.0);
}

TEST(WithBaseline, ItsStateFollowsAlsoWhereTheLossIsCapped) {
  check_that_state_follows({.every = 3, .first = 20, .seed = 5, .loss = LossRule{.share = 0.05}},
                           100.0);
}

TEST(WithBaseline, ItsStateFollowsAlsoWhereVisitsBeginUnsettled) {
  check_that_state_follows({.every = 3, .visit = 2, .settle = 3, .first = 20, .seed = 5}, 0.0);
}

TEST(WithBaseline, ItsStateFollowsAlsoWhereTheSearchSettlesUnderACap) {
  check_that_state_follows(
      {.every = 3, .settle = 3, .first = 20, .seed = 5, .loss = LossRule{.share = 0.05}}, 100.0, 3);
}

constexpr BaselineRule kNothingMayBeLost{
    .settle = 3, .first = 20, .seed = 5, .loss = LossRule{.share = 1e-9}};

/// Waits at the baseline until the system has settled there.
void wait_until_settled(WithBaseline& optimizer) {
  for (bool is_settled = false; !is_settled;) {
    const OwnedPull pull(optimizer.ask(1));
    is_settled = pull.purpose == Purpose::wait && pull.length == 1;
    for (std::uint64_t i = 0; i < pull.length; ++i) {
      EXPECT_TRUE(is_taken(optimizer.tell(pull.ticket, 100.0 + static_cast<double>(i))));
    }
  }
}

/// The number of discarded rewards of the next wait.
std::uint64_t unsettled_of_next_wait(WithBaseline& optimizer) {
  const Pull pull = optimizer.ask(1);
  EXPECT_EQ(pull.purpose, Purpose::wait);
  return pull.unsettled;
}

TEST(WithBaseline, AWaitBeginsUnsettledAfterTheSystemWasElsewhere) {
  WithBaseline stays = compared(kNothingMayBeLost);
  wait_until_settled(stays);
  EXPECT_EQ(unsettled_of_next_wait(stays), 0U);

  WithBaseline dropped = compared(kNothingMayBeLost);
  wait_until_settled(dropped);
  EXPECT_EQ(dropped.drop(dropped.ask(1).ticket), Status::ok);
  EXPECT_EQ(unsettled_of_next_wait(dropped), 3U);

  WithBaseline failed = compared(kNothingMayBeLost);
  wait_until_settled(failed);
  EXPECT_EQ(failed.penalize(failed.ask(1).ticket, 0.0), Status::ok);
  EXPECT_EQ(unsettled_of_next_wait(failed), 3U);

  WithBaseline set = compared(kNothingMayBeLost);
  wait_until_settled(set);
  set.interrupt();
  EXPECT_EQ(unsettled_of_next_wait(set), 3U);
}

TEST(WithBaseline, AWaitBeginsUnsettledAfterAFailureOfTheSearch) {
  WithBaseline optimizer =
      compared({.settle = 3, .first = 20, .seed = 5, .loss = LossRule{.share = 0.05}});
  Purpose last = Purpose::search;
  int failures = 0;
  for (int i = 0; i < 2'000; ++i) {
    const OwnedPull pull(optimizer.ask(1));
    const bool is_search = pull.purpose == Purpose::search;
    if (is_search && last == Purpose::wait) {
      ASSERT_EQ(optimizer.penalize(pull.ticket, 0.0), Status::ok);
      last = Purpose::search;
      if (optimizer.is_round_due()) continue;
      ++failures;
      EXPECT_EQ(unsettled_of_next_wait(optimizer), 3U) << "pull " << i;
      continue;
    }
    for (std::uint64_t j = 0; j < pull.length; ++j) {
      const double level = is_search ? 60.0 : 100.0;
      ASSERT_TRUE(is_taken(optimizer.tell(pull.ticket, level + static_cast<double>(j % 3))));
    }
    last = pull.purpose;
  }
  EXPECT_GT(failures, 3);
}

constexpr BaselineRule kCapped{.every = 3, .first = 20, .seed = 5, .loss = LossRule{.share = 0.05}};

/// Rewards increase with the arm. Plays until an arm is proven to be better, and returns it.
std::vector<double> prove_one(WithBaseline& optimizer) {
  RandomStream random({.seed = 6});
  while (optimizer.proven().empty()) {
    const OwnedPull pull(optimizer.ask(1));
    for (std::uint64_t i = 0; i < pull.length; ++i) {
      const double x = (i < pull.length - pull.then_length ? pull.arm : pull.then)[0];
      EXPECT_EQ(optimizer.tell(pull.ticket, 100.0 + 20.0 * x + random.normal()), Status::ok);
    }
  }
  return optimizer.proven().front().arm;
}

/// The arm at which it waits when everything tried loses all reward.
std::vector<double> waits_at(WithBaseline& optimizer) {
  for (int i = 0; i < 10'000; ++i) {
    const OwnedPull pull(optimizer.ask(1));
    if (pull.purpose == Purpose::wait) return pull.arm;
    const bool is_search = pull.purpose == Purpose::search;
    for (std::uint64_t j = 0; j < pull.length; ++j) {
      const double x = (j < pull.length - pull.then_length ? pull.arm : pull.then)[0];
      const double reward = is_search ? 0.0 : 100.0 + 20.0 * x + static_cast<double>(j % 2);
      EXPECT_EQ(optimizer.tell(pull.ticket, reward), Status::ok);
    }
  }
  return {};
}

TEST(WithBaseline, WhatAComparisonHasRefutedIsNotWaitedAt) {
  WithBaseline proven = compared(kCapped);
  const std::vector<double> arm = prove_one(proven);
  EXPECT_EQ(waits_at(proven), arm);

  WithBaseline refuted = compared(kCapped);
  EXPECT_EQ(prove_one(refuted), arm);
  refuted.begin_comparison(arm);
  refuted.end_comparison(true);
  EXPECT_NE(waits_at(refuted), arm);

  WithBaseline confirmed = compared(kCapped);
  EXPECT_EQ(prove_one(confirmed), arm);
  for (const bool is_refuted : {true, false}) {
    confirmed.begin_comparison(arm);
    confirmed.end_comparison(is_refuted);
  }
  EXPECT_EQ(waits_at(confirmed), arm) << "the last comparison counts";
}

TEST(WithBaseline, AComparisonOfTheBaselineWithItselfProvesNothing) {
  WithBaseline optimizer = compared(kCapped);
  const std::vector<double> arm = prove_one(optimizer);
  optimizer.begin_comparison(arm);
  optimizer.end_comparison(true);
  optimizer.begin_comparison(kBaseline);
  optimizer.end_comparison(false);
  WithBaseline restored = compared(kCapped);
  restored.restore(optimizer.save());
  EXPECT_EQ(restored.save(), optimizer.save());
  EXPECT_NE(waits_at(optimizer), arm);
}

TEST(WithBaseline, RewardsBeforeAVisitHasSettledAreDiscarded) {
  WithBaseline optimizer = compared({.pulls = 2, .visit = 2, .settle = 3, .first = 2, .seed = 5});
  const Pull alone = optimizer.ask(1);
  ASSERT_EQ(alone.purpose, Purpose::baseline);
  ASSERT_EQ(alone.length, 5U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(optimizer.tell(alone.ticket, -100.0), Status::passed_over);
  EXPECT_FALSE(optimizer.uplift()) << "there are no rewards yet";
  EXPECT_EQ(optimizer.tell(alone.ticket, 1.0), Status::ok);
  EXPECT_EQ(optimizer.tell(alone.ticket, 1.0), Status::ok);
  OwnedPull pull(optimizer.ask(1));
  while (pull.purpose != Purpose::duel) {
    ASSERT_EQ(optimizer.tell(pull.ticket, 2.0), Status::ok);
    pull = OwnedPull(optimizer.ask(1));
  }
  EXPECT_EQ(pull.length, 10U);
  EXPECT_EQ(pull.then_length, 5U);
  Rewards sums = Rewards::one(-100.0);
  sums.count = 4;
  sums.sum = -400.0;
  EXPECT_EQ(optimizer.tell(pull.ticket, sums), Status::too_many_rewards)
      << "of which three are to be passed over";
  const double first = pull.arm == kBaseline ? 1.0 : 4.0;
  ASSERT_EQ(optimizer.tell(pull.ticket, std::vector{-100.0, -100.0, -100.0, first, first, -100.0,
                                                    -100.0, -100.0, 5.0 - first, 5.0 - first}),
            Status::ok);
  ASSERT_TRUE(optimizer.uplift());
  EXPECT_DOUBLE_EQ(optimizer.uplift()->difference, 3.0);
  EXPECT_DOUBLE_EQ(optimizer.uplift()->baseline_mean, 1.0);
  EXPECT_EQ(optimizer.summary().passed_over, 9U);
}

/// The largest number of consecutive pulls during which `best` had the same few pulls, when the
/// rewards of all arms fall by as much as they differ after 30 pulls.
int longest_on_few_pulls(std::uint64_t seed) {
  WithBaseline optimizer = compared({.first = 20, .seed = seed});
  RandomStream random({.seed = seed});
  std::vector<double> arm;
  std::uint64_t rewards = 0;
  int since = 0;
  int longest = 0;
  for (int t = 0; t < 400;) {
    const OwnedPull pull(optimizer.ask(1));
    for (std::uint64_t i = 0; i < pull.length; ++i, ++t) {
      const bool is_first = i < pull.length - pull.then_length;
      const double x = (is_first ? pull.arm : pull.then)[0];
      const double level = t < 30 ? 1.0 : 0.0;
      EXPECT_EQ(optimizer.tell(pull.ticket, level + x * (1.0 - x) + 0.3 * random.normal()),
                Status::ok);
    }
    const std::optional<Best> best = optimizer.best();
    if (!best) continue;
    if (best->arm != arm || best->pulls != rewards || best->pulls >= 8) since = t;
    arm = best->arm;
    rewards = best->pulls;
    longest = std::max(longest, t - since);
  }
  return longest;
}

TEST(WithBaseline, TheBestArmIsNotBasedOnAFewEarlyPullsWhereTheLevelFalls) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    EXPECT_LT(longest_on_few_pulls(seed), 60) << "seed " << seed;
  }
}

TEST(WithBaseline, RefusesToRepeatAnImpossibleAsk) {
  const std::vector<double> arm{0.5};
  const std::vector<double> outside{7.0};
  const Pull duel{.arm = arm, .length = 2, .purpose = Purpose::duel, .then = kBaseline, .round = 1};
  const auto is_refused = [](Pull earlier) {
    WithBaseline optimizer = compared();
    return optimizer.ask_as(earlier, 1).ticket == 0 && optimizer.in_flight().empty();
  };
  EXPECT_FALSE(is_refused(duel));
  Pull wrong = duel;
  wrong.length = 1;
  EXPECT_TRUE(is_refused(wrong));
  wrong = duel;
  wrong.then = arm;
  EXPECT_TRUE(is_refused(wrong)) << "neither is the baseline";
  wrong.then = {};
  EXPECT_TRUE(is_refused(wrong));
  wrong = duel;
  wrong.arm = outside;
  EXPECT_TRUE(is_refused(wrong));
  wrong = duel;
  wrong.round = 3;
  EXPECT_TRUE(is_refused(wrong));
  EXPECT_TRUE(is_refused({.arm = {}, .length = 1, .purpose = Purpose::baseline, .round = 1}));
  EXPECT_TRUE(is_refused({.arm = arm, .length = 1, .purpose = Purpose::baseline, .round = 1}));
}

TEST(WithBaseline, ABaselineOutsideOfTheSpaceIsRefused) {
  EXPECT_THROW(WithBaseline(std::make_unique<Adaptive>(line()), line(), {}, {7.0}, {}),
               ConfigurationError);
}

TEST(WithBaseline, AFailureCountsAsAFiniteNumber) {
  RandomStream random({.seed = 6});
  WithBaseline optimizer = compared({.first = 20, .seed = 2});
  const OwnedPull duel = first_duel(optimizer, random);
  EXPECT_EQ(optimizer.penalize(duel.ticket, std::nan("")), Status::not_a_reward);
}

TEST(WithBaseline, ABarredArmIsNeitherComparedNorReported) {
  RandomStream random({.seed = 6});
  WithBaseline optimizer = compared({.first = 20, .seed = 2});
  const OwnedPull duel = first_duel(optimizer, random);
  const std::vector<double> challenger = duel.arm == kBaseline ? duel.then : duel.arm;
  EXPECT_EQ(optimizer.tell(duel.ticket, std::vector{1.0, 2.0}), Status::ok);
  EXPECT_EQ(optimizer.bar(challenger, -1.0), Status::ok);
  EXPECT_EQ(optimizer.ask(1).purpose, Purpose::search) << "the round is over";
  EXPECT_NE(optimizer.uplift()->arm, challenger);
}

/// An optimizer with a fast path for the newest ticket.
TEST(WithBaseline, AClosedDuelIsClosedForHctToo) {
  RandomStream random({.seed = 6});
  WithBaseline optimizer(std::make_unique<Hct>(line()), line(), {}, kBaseline,
                         {.first = 20, .seed = 2});
  for (int i = 0; i < 200; ++i) {
    const OwnedPull pull(optimizer.ask(1));
    const std::vector<double> rewards(pull.length, random.normal());
    ASSERT_EQ(optimizer.tell(pull.ticket, rewards), Status::ok);
    ASSERT_EQ(optimizer.tell(pull.ticket, 1.0), Status::closed_ticket) << i;
    const OwnedPull flying(optimizer.ask(1));  // a round may begin while one is in flight
    ASSERT_NO_THROW(
        WithBaseline(std::make_unique<Hct>(line()), line(), {}, kBaseline, {.first = 20, .seed = 2})
            .restore(optimizer.save()));
    ASSERT_EQ(optimizer.tell(flying.ticket, std::vector<double>(flying.length, 0.5)), Status::ok);
  }
}

}  // namespace
}  // namespace canopy
