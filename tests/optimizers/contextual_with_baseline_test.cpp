#include "canopy/contextual_with_baseline.hpp"

#include "canopy/errors.hpp"
#include "canopy/random.hpp"

#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::line;
using testing::load;
using Verdict = Uplift::Verdict;

const std::vector<double> kMiddle{0.5};

ContextualWithBaseline with_baseline(const BaselineRule& rule = {},
                                     const Objective& objective = {}) {
  return {std::make_unique<Contextual>(line(), load(), AdaptiveOptions{}, objective), line(),
          objective, kMiddle, rule};
}

/// The reward of an arm in a context at a pull.
using WorldInContexts = std::function<double(double z, double x, int pull)>;

double moving_optimum(double z, double x, int /*pull*/) {
  return 0.9 - 1.2 * std::pow(x - (0.2 + 0.6 * z), 2);
}

struct AskedIn {
  OwnedPull pull;
  std::vector<double> context;
};

/// Plays `pulls` pulls, with `in_flight` of them in flight.
std::vector<AskedIn> play_in_contexts(Optimizer& optimizer, const WorldInContexts& world, int pulls,
                                      std::uint64_t seed, std::size_t in_flight = 1,
                                      double noise = 0.1) {
  RandomStream random({.seed = seed});
  std::vector<AskedIn> asked;
  std::deque<std::pair<Ticket, double>> out;
  const auto answer = [&](std::size_t left) {
    while (out.size() > left) {
      EXPECT_EQ(optimizer.tell(out.front().first, out.front().second), Status::ok);
      out.pop_front();
    }
  };
  for (int i = 0; i < pulls; ++i) {
    const std::vector<double> context{random.uniform()};
    const Pull pull = optimizer.ask_in(context);
    EXPECT_EQ(pull.length, 1U);
    asked.push_back({OwnedPull(pull), context});
    const double reward = world(context[0], pull.arm[0], i) + noise * random.normal();
    out.emplace_back(pull.ticket, reward);
    answer(in_flight - 1);
  }
  answer(0);
  return asked;
}

TEST(ContextualWithBaseline, BeginsWithTheBaselineAndThenSearches) {
  ContextualWithBaseline optimizer = with_baseline({.pulls = 3});
  const auto asked = play_in_contexts(optimizer, moving_optimum, 20, 1);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(asked[i].pull.purpose, i < 3 ? Purpose::baseline : Purpose::search) << i;
  }
  EXPECT_EQ(asked[0].pull.arm, kMiddle);
  EXPECT_EQ(optimizer.summary().t, 21U);
}

TEST(ContextualWithBaseline, ProvesAPolicyThatEarnsMore) {
  ContextualWithBaseline optimizer = with_baseline();
  (void)play_in_contexts(optimizer, moving_optimum, 3000, 2);
  const auto uplift = optimizer.uplift();
  ASSERT_TRUE(uplift);
  EXPECT_EQ(uplift->verdict, Verdict::better);
  EXPECT_TRUE(uplift->arm.empty());
  EXPECT_TRUE(uplift->policy_of);
  EXPECT_GT(uplift->difference, 0.01);
  EXPECT_LT(uplift->difference, 0.08);  // the best policy earns 0.036 more
  EXPECT_FALSE(optimizer.proven().empty());
  const auto low = optimizer.proven_in(std::vector{0.05});
  const auto high = optimizer.proven_in(std::vector{0.95});
  ASSERT_TRUE(low && high);
  EXPECT_LT((*low)[0], (*high)[0]);
}

TEST(ContextualWithBaseline, MinimizesAsItMaximizes) {
  Objective objective;
  objective.direction = Direction::minimize;
  ContextualWithBaseline optimizer = with_baseline({}, objective);
  (void)play_in_contexts(
      optimizer, [](double z, double x, int i) { return -moving_optimum(z, x, i); }, 3000, 3);
  ASSERT_TRUE(optimizer.uplift());
  EXPECT_EQ(optimizer.uplift()->verdict, Verdict::better);
  EXPECT_LT(optimizer.uplift()->difference, 0.0);
}

TEST(ContextualWithBaseline, AKnobWithoutEffectIsSeldomCalledBetterWhateverTheLevelDoes) {
  const std::vector<WorldInContexts> worlds{
      [](double z, double, int) { return z; },
      [](double z, double, int i) { return z + std::sin(i / 40.0); },
      [](double z, double, int i) { return 0.01 * i + (z > 0.5 ? std::sin(i / 7.0) : 0.0); },
  };
  for (std::size_t world = 0; world < worlds.size(); ++world) {
    int better = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      ContextualWithBaseline optimizer = with_baseline({.seed = seed});
      (void)play_in_contexts(optimizer, worlds[world], 600, 100 * world + seed, 1, 0.3);
      if (!optimizer.proven().empty()) ++better;
    }
    EXPECT_LE(better, 6) << world;  // 5 % of 60 are claimed, and fewer come
  }
}

TEST(ContextualWithBaseline, ContextsInWhichThePolicyIsTheBaselineAreLeftToTheSearch) {
  // In half of the contexts the baseline is the best arm.
  const WorldInContexts world = [](double z, double x, int) {
    return 0.9 - 1.2 * std::pow(x - (z < 0.5 ? 0.5 : 0.9), 2);
  };
  ContextualWithBaseline optimizer = with_baseline();
  int of_challenger = 0;
  int of_baseline = 0;
  for (const AskedIn& each : play_in_contexts(optimizer, world, 4000, 4, 1, 0.02)) {
    if (each.pull.purpose != Purpose::duel) continue;
    (each.pull.arm == kMiddle ? of_baseline : of_challenger) += 1;
  }
  EXPECT_GT(of_challenger, 100);
  EXPECT_LE(std::abs(of_challenger - of_baseline), 1);
}

TEST(ContextualWithBaseline, BothOrdersAreAboutAsFrequent) {
  ContextualWithBaseline optimizer = with_baseline();
  int first = 0;
  int pairs = 0;
  bool is_second = false;
  for (const AskedIn& each : play_in_contexts(optimizer, moving_optimum, 3000, 5)) {
    if (each.pull.purpose != Purpose::duel) continue;
    if (!is_second) {
      ++pairs;
      if (each.pull.arm == kMiddle) ++first;
    }
    is_second = !is_second;
  }
  EXPECT_GT(pairs, 200);
  EXPECT_NEAR(first, 0.5 * pairs, 2.5 * std::sqrt(pairs));
}

TEST(ContextualWithBaseline, SubtractsTheLevelEffectOfTheContextFromBothSides) {
  // Contexts change rewards much more than arms do.
  const WorldInContexts world = [](double z, double x, int i) {
    return 5.0 * z + 10.0 * moving_optimum(z, x, i);
  };
  ContextualWithBaseline optimizer = with_baseline();
  (void)play_in_contexts(optimizer, world, 3000, 6, 1, 0.5);
  const auto uplift = optimizer.uplift();
  ASSERT_TRUE(uplift && uplift->interval.bounded());
  EXPECT_EQ(uplift->verdict, Verdict::better);
  EXPECT_LT(uplift->interval.upper - uplift->interval.lower, 1.0);  // about 2 with the level
}

/// Asks until a duel is given; other pulls are told.
AskedIn next_duel(Optimizer& optimizer, RandomStream& random) {
  for (;;) {
    const std::vector<double> context{random.uniform()};
    const Pull pull = optimizer.ask_in(context);
    if (pull.purpose == Purpose::duel) return {OwnedPull(pull), context};
    EXPECT_EQ(optimizer.tell(pull.ticket, moving_optimum(context[0], pull.arm[0], 0)), Status::ok);
  }
}

TEST(ContextualWithBaseline, APairOneOfWhosePullsIsDroppedIsVoid) {
  ContextualWithBaseline optimizer = with_baseline();
  RandomStream random({.seed = 7});
  const AskedIn first = next_duel(optimizer, random);
  EXPECT_EQ(optimizer.tell(first.pull.ticket, 0.5), Status::ok);
  const AskedIn second = next_duel(optimizer, random);
  EXPECT_NE(first.pull.arm == kMiddle, second.pull.arm == kMiddle);
  EXPECT_EQ(optimizer.drop(second.pull.ticket), Status::ok);
  EXPECT_EQ(optimizer.uplift()->pairs, 0U);
  // A pair whose first pull is dropped is void as well: its second pull is no longer asked for.
  const AskedIn third = next_duel(optimizer, random);
  EXPECT_EQ(optimizer.drop(third.pull.ticket), Status::ok);
  const AskedIn fourth = next_duel(optimizer, random);
  EXPECT_EQ(optimizer.tell(fourth.pull.ticket, 0.5), Status::ok);
  EXPECT_EQ(optimizer.tell(next_duel(optimizer, random).pull.ticket, 0.5), Status::ok);
  EXPECT_EQ(optimizer.uplift()->pairs, 1U);
  EXPECT_EQ(optimizer.tell(fourth.pull.ticket, 0.5), Status::closed_ticket);
}

TEST(ContextualWithBaseline, APolicyThatFailsTwiceIsNoLongerAChallenger) {
  ContextualWithBaseline optimizer = with_baseline();
  RandomStream random({.seed = 8});
  int failures = 0;
  for (int i = 0; i < 40 && failures < 2; ++i) {
    const AskedIn duel = next_duel(optimizer, random);
    if (duel.pull.arm == kMiddle) {
      EXPECT_EQ(optimizer.tell(duel.pull.ticket, 0.5), Status::ok);
    } else {
      EXPECT_EQ(optimizer.penalize(duel.pull.ticket, 0.0), Status::ok);
      ++failures;
    }
  }
  EXPECT_EQ(failures, 2);
  EXPECT_TRUE(optimizer.proven().empty());
}

TEST(ContextualWithBaseline, SeveralInFlightMakePairsToo) {
  ContextualWithBaseline optimizer = with_baseline();
  (void)play_in_contexts(optimizer, moving_optimum, 3000, 9, 6);
  ASSERT_TRUE(optimizer.uplift());
  EXPECT_GT(optimizer.uplift()->pairs, 20U);
  EXPECT_TRUE(optimizer.in_flight().empty());
}

TEST(ContextualWithBaseline, ContinuesExactlyFromItsSavedState) {
  ContextualWithBaseline optimizer = with_baseline();
  (void)play_in_contexts(optimizer, moving_optimum, 900, 10, 3);
  RandomStream random({.seed = 11});
  const AskedIn half = next_duel(optimizer, random);
  ContextualWithBaseline restored = with_baseline();
  restored.restore(optimizer.save());
  EXPECT_EQ(restored.save(), optimizer.save());
  const std::unique_ptr<Optimizer> copy = optimizer.clone();
  std::vector<Optimizer*> all{&optimizer, &restored, copy.get()};
  std::vector<std::vector<std::vector<double>>> arms(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->in_flight().size(), 1U);
    EXPECT_EQ(all[i]->tell(half.pull.ticket, 0.7), Status::ok);
    for (const AskedIn& each : play_in_contexts(*all[i], moving_optimum, 500, 12))
      arms[i].push_back(each.pull.arm);
  }
  EXPECT_EQ(arms[1], arms[0]);
  EXPECT_EQ(arms[2], arms[0]);
  EXPECT_EQ(restored.save(), optimizer.save());
  EXPECT_EQ(all[2]->save(), optimizer.save());
}

TEST(ContextualWithBaseline, RefusesToRestoreNonsense) {
  ContextualWithBaseline optimizer = with_baseline();
  (void)play_in_contexts(optimizer, moving_optimum, 400, 13);
  const std::string saved = optimizer.save();
  ContextualWithBaseline other = with_baseline();
  EXPECT_THROW(other.restore(saved.substr(0, saved.size() / 2)), StateError);
  EXPECT_THROW(other.restore(Contextual(line(), load()).save()), StateError);
}

TEST(ContextualWithBaseline, CanRepeatAnAskRecordedUnderAnotherRule) {
  ContextualWithBaseline earlier = with_baseline({.every = 7, .pairs = 2, .seed = 5});
  ContextualWithBaseline later = with_baseline({.every = 40, .seed = 9});
  RandomStream random({.seed = 14});
  for (int i = 0; i < 800; ++i) {
    const std::vector<double> context{random.uniform()};
    const Pull pull = earlier.ask_in(context);
    const Pull again = later.ask_as(pull, 1, context);
    ASSERT_EQ(again.ticket, pull.ticket);
    ASSERT_TRUE(std::ranges::equal(again.arm, pull.arm));
    ASSERT_EQ(again.purpose, pull.purpose);
    const double reward = moving_optimum(context[0], pull.arm[0], i) + 0.1 * random.normal();
    ASSERT_EQ(earlier.tell(pull.ticket, reward), Status::ok);
    ASSERT_EQ(later.tell(pull.ticket, reward), Status::ok);
  }
  EXPECT_EQ(earlier.uplift()->pairs, later.uplift()->pairs);
}

TEST(ContextualWithBaseline, RefusesToRepeatAnImpossibleAsk) {
  ContextualWithBaseline optimizer = with_baseline();
  const std::vector<double> context{0.5};
  const std::vector<double> other{0.25};
  EXPECT_EQ(
      optimizer
          .ask_as({.arm = other, .length = 1, .purpose = Purpose::baseline, .round = 1}, 1, context)
          .ticket,
      0U);
  EXPECT_EQ(
      optimizer
          .ask_as({.arm = kMiddle, .length = 1, .purpose = Purpose::duel, .round = 1}, 1, context)
          .ticket,
      0U);
  EXPECT_EQ(
      optimizer
          .ask_as({.arm = kMiddle, .length = 1, .purpose = Purpose::wait, .round = 0}, 1, context)
          .ticket,
      0U);
}

TEST(ContextualWithBaseline, GivesNoIntervalOnceTheBaselineIsMeasured) {
  ContextualWithBaseline optimizer = with_baseline();
  (void)play_in_contexts(optimizer, moving_optimum, 600, 15);
  const auto best = optimizer.best_in(std::vector{0.3});
  ASSERT_TRUE(best);
  EXPECT_TRUE(best->is_compared);
  EXPECT_EQ(best->assumes, Assumption::none);
  const auto rows = optimizer.policy()->rows;
  EXPECT_TRUE(
      std::all_of(rows.begin(), rows.end(), [](const PolicyRow& row) { return !row.interval; }));
}

TEST(ContextualWithBaseline, RefusesABaselineOutsideOfTheSpace) {
  EXPECT_THROW(
      ContextualWithBaseline(std::make_unique<Contextual>(line(), load()), line(), {}, {2.0}, {}),
      ConfigurationError);
}

TEST(ContextualWithBaseline, WithoutRoundsItIsTheSearch) {
  ContextualWithBaseline optimizer = with_baseline({.every = 0});
  Contextual alone(line(), load());
  std::vector<std::vector<double>> arms;
  for (const AskedIn& each : play_in_contexts(optimizer, moving_optimum, 300, 16))
    arms.push_back(each.pull.arm);
  std::vector<std::vector<double>> expected;
  for (const AskedIn& each : play_in_contexts(alone, moving_optimum, 300, 16))
    expected.push_back(each.pull.arm);
  EXPECT_EQ(arms, expected);
  EXPECT_FALSE(optimizer.uplift());
}

}  // namespace
}  // namespace canopy
