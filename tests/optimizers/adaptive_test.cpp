#include "canopy/adaptive.hpp"

#include "canopy/errors.hpp"
#include "canopy/garland.hpp"
#include "canopy/random.hpp"

#include "support/every_optimizer.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::line;
using Function = std::function<double(Arm)>;

double bump(Arm arm) {
  return 1.0 - 2.5 * (arm[0] - 0.37) * (arm[0] - 0.37);
}

struct AdaptiveRun {
  std::vector<std::vector<double>> arms;
  double regret = 0.0;  ///< per pull, for an f with maximum 1
};

/// Plays f with noise, with `in_flight` pulls in flight.
AdaptiveRun run_adaptive(Optimizer& optimizer, const Function& f, double noise, int pulls,
                         std::uint64_t seed, std::size_t in_flight = 1) {
  RandomStream random({.seed = seed});
  AdaptiveRun run;
  std::deque<OwnedPull> out;
  for (int i = 0; i < pulls; ++i) {
    while (out.size() < in_flight) out.emplace_back(optimizer.ask(1));
    const OwnedPull pull = out.front();
    out.pop_front();
    const double value = f(pull.arm);
    run.regret += (1.0 - value) / pulls;
    run.arms.push_back(pull.arm);
    EXPECT_TRUE(is_taken(optimizer.tell(pull.ticket, value + noise * random.normal())));
  }
  return run;
}

/// The sum over runs with the seeds 1 to `runs`.
double total_regret(const Function& f, double noise, int pulls, std::uint64_t runs,
                    std::size_t in_flight = 1) {
  double regret = 0.0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Adaptive adaptive(line());
    regret += run_adaptive(adaptive, f, noise, pulls, seed, in_flight).regret;
  }
  return regret;
}

TEST(Adaptive, FindsABumpWithoutBeingToldAnything) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Adaptive adaptive(line());
    const AdaptiveRun run = run_adaptive(adaptive, bump, 0.3, 3'000, seed);
    EXPECT_LT(run.regret, 0.03) << "seed " << seed;
    EXPECT_GT(bump(adaptive.best()->arm), 0.95) << "seed " << seed;
  }
}

TEST(Adaptive, RegretOnGarlandFallsByHalfWithTenTimesThePulls) {
  const Function highest_is_one = [](Arm arm) { return garland(arm[0]) + 1.0 - kGarlandMaximum; };
  EXPECT_LT(total_regret(highest_is_one, 0.1, 100'000, 40),
            0.6 * total_regret(highest_is_one, 0.1, 10'000, 40))
      << "0.50 over hundreds of runs";
}

/// Rewards a x + b lead to the same arms as rewards x.
RC_GTEST_PROP(Adaptive, UnitsDoNotMatter, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double factor = std::ldexp(1.0, *rc::gen::inRange(-30, 30));
  const bool minimizes = *rc::gen::arbitrary<bool>();
  const bool is_coin = *rc::gen::arbitrary<bool>();
  RC_LOG() << "seed " << seed << " factor " << factor << '\n';
  Adaptive plain(line());
  const double sign = minimizes ? -1.0 : 1.0;
  Adaptive other(line(), {}, {.direction = minimizes ? Direction::minimize : Direction::maximize});
  RandomStream random({.seed = seed});
  for (int i = 0; i < 500; ++i) {
    const Pull a = plain.ask(1);
    const Pull b = other.ask(1);
    RC_ASSERT(a.arm[0] == b.arm[0]);
    const double value = bump(a.arm);
    const double reward =
        is_coin ? (random.uniform() < value ? 1.0 : 0.0) : value + 0.3 * random.normal();
    RC_ASSERT(plain.tell(a.ticket, reward) == Status::ok);
    RC_ASSERT(other.tell(b.ticket, sign * factor * reward) == Status::ok);
  }
}

TEST(Adaptive, ALevelOfAMillionCostsNothing) {
  const double plain = total_regret(bump, 0.3, 1'000, 8);
  const Function high = [](Arm arm) { return 1e6 + bump(arm); };
  EXPECT_NEAR(8e6 + total_regret(high, 0.3, 1'000, 8), plain, 0.25 * plain);
}

TEST(Adaptive, OneAskAPullPlaysWhatOneAskATurnPlays) {
  Adaptive by_pull(line());
  Adaptive by_turn(line());
  RandomStream random({.seed = 7});
  for (int i = 0; i < 400; ++i) {
    const Pull turn = by_turn.ask();
    for (std::uint64_t j = 0; j < turn.length; ++j) {
      const Pull pull = by_pull.ask(1);
      ASSERT_EQ(pull.arm[0], turn.arm[0]) << i;
      const double reward = bump(pull.arm) + 0.3 * random.normal();
      ASSERT_EQ(by_pull.tell(pull.ticket, reward), Status::ok);
      ASSERT_EQ(by_turn.tell(turn.ticket, reward), Status::ok);
    }
  }
  EXPECT_EQ(by_pull.summary().t, by_turn.summary().t);
}

TEST(Adaptive, PullsInFlightCostLittle) {
  EXPECT_LT(total_regret(bump, 0.3, 1'000, 8, 8), 1.5 * total_regret(bump, 0.3, 1'000, 8));
}

TEST(Adaptive, PullsInFlightGoToDifferentArms) {
  Adaptive adaptive(line());
  (void)run_adaptive(adaptive, bump, 0.3, 40, 1);
  std::vector<double> arms;
  for (int i = 0; i < 32; ++i) arms.push_back(adaptive.ask(1).arm[0]);
  std::sort(arms.begin(), arms.end());
  EXPECT_GT(std::unique(arms.begin(), arms.end()) - arms.begin(), 3);
}

TEST(Adaptive, MoreFirstPullsThanFirstCellsGoToTheirParts) {
  Adaptive adaptive(line());
  std::vector<double> arms;
  for (int i = 0; i < 32; ++i) arms.push_back(adaptive.ask(1).arm[0]);
  std::sort(arms.begin(), arms.end());
  EXPECT_GE(std::unique(arms.begin(), arms.end()) - arms.begin(), 32);
  EXPECT_NO_THROW((void)adaptive.ask(1));
}

TEST(Adaptive, TheBestElementOfAListIsPlayedNearlyAlways) {
  for (std::size_t size = 2; size <= 12; ++size) {
    double share = 0.0;
    constexpr int kRuns = 40;
    for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
      RandomStream random({.seed = seed, .run = size});
      const auto best = std::floor(random.uniform() * static_cast<double>(size));
      Choice choice;
      for (std::size_t i = 0; i < size; ++i) choice.choices.push_back(std::to_string(i));
      Adaptive adaptive(Space{{"c", choice}});
      const Function value = [best](Arm arm) { return arm[0] == best ? 1.0 : 0.9; };
      const AdaptiveRun run = run_adaptive(adaptive, value, 0.1, 2'000, seed);
      share += 1.0 - run.regret / 0.1;
    }
    EXPECT_GT(share / kRuns, 0.93) << size << " elements";
  }
}

TEST(Adaptive, SpacesOfOneAndOfTwoArms) {
  Adaptive one(Space{{"c", Choice{{"only"}}}});
  const AdaptiveRun alone = run_adaptive(
      one, [](Arm) { return 1.0; }, 0.1, 100, 1);
  EXPECT_EQ(one.summary().nodes, 1U);
  EXPECT_EQ(one.best()->pulls, 100U);
  Adaptive two(Space{{"n", Integer{0, 1}}});
  EXPECT_LT(run_adaptive(
                two, [](Arm arm) { return arm[0]; }, 0.3, 500, 1)
                .regret,
            0.05);
}

TEST(Adaptive, ThirtyDimensions) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 30; ++i) parameters.push_back({"x" + std::to_string(i), Real{0.0, 1.0}});
  Adaptive adaptive{Space(parameters)};
  const Function f = [](Arm arm) { return 1.0 - std::abs(arm[0] - 0.3) - std::abs(arm[1] - 0.6); };
  (void)run_adaptive(adaptive, f, 0.1, 3'000, 1);
  EXPECT_GT(f(adaptive.best()->arm), 0.75) << "0.6 in the middle of the box";
}

TEST(Adaptive, OddRewardsAreNoTrouble) {
  const std::vector<Function> odd{
      [](Arm) { return 0.0; },
      [](Arm) { return -5.0; },
      [](Arm arm) { return arm[0] > 0.5 ? 1.0 : 0.0; },
      [](Arm arm) { return -1000.0 - arm[0]; },
      [n = 0](Arm arm) mutable { return ++n == 20 ? 1e9 : arm[0]; },
      [](Arm arm) { return arm[0] > 0.5 ? 5e-324 : 0.0; },
      [](Arm arm) { return 1e-90 * arm[0]; },
      [](Arm arm) { return 1e99 * arm[0]; },
  };
  for (std::size_t i = 0; i < odd.size(); ++i) {
    Adaptive adaptive(line());
    (void)run_adaptive(adaptive, odd[i], 0.0, 2'000, 1);
    const auto best = adaptive.best();
    ASSERT_TRUE(best) << i;
    EXPECT_TRUE(std::isfinite(best->mean)) << i;
    EXPECT_TRUE(!best->by_model || best->by_model->bounded()) << i;
    EXPECT_LE(adaptive.summary().nodes, 64.0 + 12.0 * std::sqrt(2'000.0)) << i;
    for (const NodeView& node : adaptive.tree()->nodes()) EXPECT_FALSE(std::isnan(node.bound)) << i;
  }
}

TEST(Adaptive, TheTreeStaysSmall) {
  Adaptive adaptive(line());
  (void)run_adaptive(adaptive, bump, 0.01, 100'000, 1);
  EXPECT_LT(adaptive.summary().nodes, 64.0 + 12.0 * std::sqrt(1e5));
  EXPECT_LE(sizeof(AdaptiveModel::Node), 256U);
}

TEST(Adaptive, ObservedRewardsOfAnyArmAreUsed) {
  // Observed measurements cover the whole line: the first pulls are already at the bump.
  double with = 0.0;
  double without = 0.0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Adaptive informed(line());
    RandomStream random({.seed = seed});
    for (int i = 0; i < 1'000; ++i) {
      const std::vector<double> arm{random.uniform()};
      const double reward = bump(arm) + 0.3 * random.normal();
      ASSERT_EQ(informed.observe(arm, Rewards::one(reward)), Status::ok);
    }
    Adaptive ignorant(line());
    with += run_adaptive(informed, bump, 0.3, 100, seed).regret;
    without += run_adaptive(ignorant, bump, 0.3, 100, seed).regret;
  }
  EXPECT_LT(with, 0.8 * without);
}

/// A system that covers the fraction `speed` of the distance to the arm at every pull.
class SlowSystem {
 public:
  explicit SlowSystem(double speed) : speed_(speed) {}
  double operator()(Arm arm) {
    place_ += speed_ * (arm[0] - place_);
    return bump({&place_, 1});
  }

 private:
  double speed_;
  double place_ = 0.0;
};

TEST(Adaptive, ADeclaredSettlingTimeGivesTheTruthOfASlowSystem) {
  double declared = 0.0;
  double undeclared = 0.0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Adaptive knows(line(), {.settle = 14});
    Adaptive does_not(line());
    (void)run_adaptive(knows, SlowSystem(0.2), 0.1, 5'000, seed);
    (void)run_adaptive(does_not, SlowSystem(0.2), 0.1, 5'000, seed);
    declared += 1.0 - bump(knows.best()->arm);
    undeclared += 1.0 - bump(does_not.best()->arm);
  }
  EXPECT_LT(declared, undeclared + 0.01);
  EXPECT_LT(declared / 6.0, 0.02);
}

TEST(Adaptive, PassesOverAsManyRewardsAsWereDeclaredAfterEveryChange) {
  Adaptive adaptive(line(), {.settle = 3, .settle_rule = SettleRule::strict});
  std::vector<double> arm;
  int since = 0;
  for (int i = 0; i < 400; ++i) {
    const OwnedPull pull(adaptive.ask(1));
    if (pull.arm != arm) since = 0;
    arm = pull.arm;
    EXPECT_EQ(adaptive.tell(pull.ticket, bump(arm)),
              since++ < 3 ? Status::passed_over : Status::ok);
    if (i == 200) {
      adaptive.interrupt();
      since = 0;
    }
  }
}

TEST(Adaptive, ByDistancePassesOverRewardsUntilTheSystemHasComeNear) {
  Adaptive adaptive(line(), {.settle = 14, .settle_rule = SettleRule::by_distance});
  RandomStream random({.seed = 1});
  // The system is at the first arm; the next one is an eighth of the line away, and the system must
  // come within a quarter of its cell's side.
  const Pull first = adaptive.ask();
  ASSERT_EQ(adaptive.tell(first.ticket, 0.5), Status::ok);
  int passed_over = 0;
  const Pull second = adaptive.ask();
  const double arm = second.arm[0];
  EXPECT_NE(arm, first.arm[0]);
  Status status = adaptive.tell(second.ticket, 0.5);
  while (status == Status::passed_over) {
    ++passed_over;
    EXPECT_FALSE(adaptive.estimate(std::vector<double>{arm}));
    const Pull again = adaptive.ask();
    EXPECT_EQ(again.arm[0], arm);
    EXPECT_EQ(again.length, 1U);
    status = adaptive.tell(again.ticket, 0.5);
  }
  EXPECT_EQ(status, Status::ok);
  EXPECT_TRUE(adaptive.estimate(std::vector<double>{arm}));
  // After k pulls the fraction exp(-3 k / 14) of the distance is left; a quarter of it at k = 7.
  EXPECT_EQ(passed_over, 6);
  // At least as many pulls are used as were discarded.
  const Pull rest = adaptive.ask();
  EXPECT_EQ(rest.arm[0], arm);
  EXPECT_EQ(rest.length, 5U);
}

/// The number of runs that warn of memory, for rewards from a place that moves towards the arm at
/// every pull.
int warnings(double kept, bool zero_or_one, std::uint64_t settle = 0) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RandomStream random({.seed = seed});
    Adaptive adaptive(line(), {.settle = settle});
    double place = 0.5;
    for (int done = 0; done < 20'000;) {
      const OwnedPull pull(adaptive.ask());
      for (std::uint64_t i = 0; i < pull.length; ++i, ++done) {
        place = pull.arm[0] + (place - pull.arm[0]) * kept;
        const double f = 0.45 + 0.45 * std::sin(20.0 * place);
        const double reward =
            zero_or_one ? (random.uniform() < f ? 1.0 : 0.0) : f + 0.05 * random.normal();
        EXPECT_TRUE(is_taken(adaptive.tell(pull.ticket, reward)));
      }
    }
    if (adaptive.summary().settling) ++count;
  }
  return count;
}

TEST(Adaptive, WarnsOfUndeclaredMemory) {
  EXPECT_GE(warnings(0.8, false), 5);
  EXPECT_EQ(warnings(0.8, false, 14), 0) << "it is declared";
  EXPECT_EQ(warnings(0.0, false), 0);
  EXPECT_EQ(warnings(0.0, true), 0);
}

TEST(Adaptive, CountsWhatItPassesOver) {
  Adaptive adaptive(line(), {.settle = 14});
  run_adaptive(adaptive, bump, 0.1, 500, 1);
  const std::uint64_t passed_over = adaptive.summary().passed_over;
  EXPECT_GT(passed_over, 50U);
  EXPECT_LE(passed_over, 250U + 14U) << "at most half of a turn is";
  EXPECT_EQ(adaptive.summary().t, 501U);
}

TEST(Adaptive, SaysWhatItHasLearnt) {
  const Space plane{{"idle", Real{0.0, 1.0}}, {"x", Real{0.0, 1.0}}};
  Adaptive adaptive(plane, {}, {.direction = Direction::minimize});
  EXPECT_FALSE(adaptive.learnt().has_value());
  run_adaptive(
      adaptive, [](Arm arm) { return 7.0 - bump(arm.subspan(1)); }, 0.2, 5'000, 1);
  const Learnt learnt = adaptive.learnt().value();
  EXPECT_NEAR(learnt.noise, 0.2, 0.05);
  EXPECT_EQ(learnt.correlation, 0.0);
  EXPECT_NEAR(learnt.lowest, 6.0, 0.05);
  EXPECT_NEAR(learnt.highest, 6.6, 0.2) << "in the middle of a wide cell";
  ASSERT_EQ(learnt.shares.size(), 2U);
  EXPECT_NEAR(learnt.shares[0] + learnt.shares[1], 1.0, 1e-12);
  EXPECT_GT(learnt.shares[1], 0.9);
  EXPECT_LT(learnt.explorer_pulls, 2'500U);
  EXPECT_GT(learnt.lost, 0.0);
  EXPECT_NEAR(learnt.turn->estimate, 6.0, 0.2);
  EXPECT_LE(learnt.turn->bound, learnt.turn->estimate) << "the better end";
}

TEST(Adaptive, SaysWhereItsModelHasTheBestArm) {
  int said = 0;
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Adaptive adaptive(line());
    run_adaptive(adaptive, bump, 0.3, 300, seed);
    const Best best = adaptive.best().value();
    if (!best.by_model) continue;  // a false alarm of rare extremes
    ++said;
    const auto [lower, upper] = *best.by_model;
    wrong += lower <= bump(best.arm) && bump(best.arm) <= upper ? 0 : 1;
  }
  EXPECT_GE(said, 90);
  EXPECT_LE(wrong, 5);
}

TEST(Adaptive, HasNoModelIntervalWhereTheModelDoesNotApply) {
  Adaptive exact(line());
  run_adaptive(exact, bump, 0.0, 300, 1);
  EXPECT_EQ(exact.best()->basis, Best::Basis::no_noise);
  EXPECT_FALSE(exact.best()->by_model) << "rewards of an arm never differ: its own is f";

  // Rewards of 0 and 1, nearly all of them 1: means are not normally distributed.
  int said = 0;
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Adaptive adaptive(line());
    RandomStream random({.seed = seed});
    const auto f = [](Arm arm) { return 0.97 - 0.1 * std::abs(arm[0] - 0.6); };
    for (int i = 0; i < 2'000; ++i) {
      const Pull pull = adaptive.ask(1);
      const double reward = random.uniform() < f(pull.arm) ? 1.0 : 0.0;
      ASSERT_EQ(adaptive.tell(pull.ticket, reward), Status::ok);
    }
    const Best best = adaptive.best().value();
    if (!best.by_model) continue;
    ++said;
    wrong += best.by_model->lower <= f(best.arm) && f(best.arm) <= best.by_model->upper ? 0 : 1;
  }
  EXPECT_GT(said, 0);
  EXPECT_LE(wrong, said / 5 + 1);
}

TEST(Adaptive, AnArmThatIsAskedForAgainIsTheSame) {
  Adaptive adaptive(line());
  run_adaptive(adaptive, bump, 0.3, 200, 1);
  const OwnedPull first(adaptive.ask());
  std::vector<OwnedPull> all{first};
  for (int i = 0; i < 20; ++i) all.emplace_back(adaptive.ask_again());
  for (const OwnedPull& pull : all) {
    EXPECT_EQ(pull.arm, first.arm);
    EXPECT_EQ(adaptive.tell(pull.ticket, 0.5), Status::ok);
  }
  EXPECT_EQ(adaptive.summary().in_flight, first.length == 1 ? 0U : 1U);
}

TEST(Adaptive, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_THROW(Adaptive(line(), {.coverage = -1.0}), ConfigurationError);
  EXPECT_THROW(Adaptive(line(), {.coverage = testing::kNan}), ConfigurationError);
}

}  // namespace
}  // namespace canopy
