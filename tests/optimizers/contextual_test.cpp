#include "canopy/contextual.hpp"

#include "canopy/errors.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"

#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::line;
using testing::load;

/// f of a context and an arm, with maximum `top` in every context.
struct SystemWithLoad {
  std::function<double(double z, double x)> f;
  std::function<double(double z)> top;
};

SystemWithLoad shifting() {
  return {[](double z, double x) { return 0.9 - 1.2 * std::pow(x - (0.2 + 0.6 * z), 2); },
          [](double) { return 0.9; }};
}

SystemWithLoad unaffected() {
  return {[](double, double x) { return 0.9 - 1.2 * std::pow(x - 0.37, 2); },
          [](double) { return 0.9; }};
}

/// The context shifts the rewards of all arms equally.
SystemWithLoad level_only() {
  return {[](double z, double x) {
            return 0.6 + 0.3 * std::sin(6.28 * z) - 1.2 * std::pow(x - 0.37, 2);
          },
          [](double z) { return 0.6 + 0.3 * std::sin(6.28 * z); }};
}

ContextSpace tenants(std::size_t count) {
  Choice choice;
  for (std::size_t i = 0; i < count; ++i) choice.choices.push_back("tenant " + std::to_string(i));
  return ContextSpace({{"tenant", choice}});
}

using DrawContext = std::function<double(RandomStream&)>;
double uniform(RandomStream& random) {
  return random.uniform();
}

struct ContextualRun {
  std::vector<double> arms;
  double regret = 0.0;
};

/// Plays an optimizer, with contexts if it supports them, with `in_flight` pulls in flight.
ContextualRun play(Optimizer& optimizer, const SystemWithLoad& system, int pulls,
                   std::uint64_t seed, std::size_t in_flight = 1, double noise = 0.1,
                   const DrawContext& draw = uniform) {
  RandomStream random({.seed = seed});
  ContextualRun run;
  std::deque<std::pair<Ticket, double>> out;
  const auto answer = [&](std::size_t left) {
    while (out.size() > left) {
      EXPECT_EQ(optimizer.tell(out.front().first, out.front().second), Status::ok);
      out.pop_front();
    }
  };
  for (int i = 0; i < pulls; ++i) {
    const double z = draw(random);
    const Pull pull = optimizer.ask_in(std::vector{z}, 1);
    EXPECT_EQ(pull.length, 1U);
    run.arms.push_back(pull.arm[0]);
    run.regret += (system.top(z) - system.f(z, pull.arm[0])) / pulls;
    out.emplace_back(pull.ticket, system.f(z, pull.arm[0]) + noise * random.normal());
    answer(in_flight - 1);
  }
  answer(0);
  return run;
}

TEST(Contextual, FindsADifferentArmForEveryContext) {
  Contextual tree(line(), load());
  (void)play(tree, shifting(), 3000, 1);
  EXPECT_GT(tree.regions(), 2U);
  for (const double z : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    const auto best = tree.best_in(std::vector{z});
    ASSERT_TRUE(best);
    EXPECT_NEAR(best->arm[0], 0.2 + 0.6 * z, 0.2) << z;
  }
}

TEST(Contextual, HasLessRegretThanATreeThatDoesNotSeeTheContext) {
  double with = 0.0;
  double without = 0.0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Contextual tree(line(), load());
    with += play(tree, shifting(), 2000, seed).regret;
    Adaptive blind(line(), {.drift = Drift::none});
    without += play(blind, shifting(), 2000, seed).regret;
  }
  EXPECT_LT(with, 0.5 * without);
}

TEST(Contextual, PlaysTheArmsOfAnOrdinaryTreeWhereTheContextDoesNotMatter) {
  int same = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Contextual tree(line(), load());
    Adaptive blind(line(), {.drift = Drift::none});
    const auto arms = play(tree, unaffected(), 500, seed).arms;
    if (arms == play(blind, unaffected(), 500, seed).arms) ++same;
  }
  // By chance, a few runs show a level effect or split a region.
  EXPECT_GE(same, 14);
}

TEST(Contextual, SubtractsTheLevelEffectOfTheContext) {
  double with = 0.0;
  double without = 0.0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Contextual tree(line(), load());
    with += play(tree, level_only(), 2000, seed, 1, 0.05).regret;
    EXPECT_GT(tree.level_effect(std::vector{0.25}), 0.2);
    EXPECT_LT(tree.level_effect(std::vector{0.75}), -0.2);
    Adaptive blind(line(), {.drift = Drift::none});
    without += play(blind, level_only(), 2000, seed, 1, 0.05).regret;
  }
  EXPECT_LT(with, 0.8 * without);
}

TEST(Contextual, GroupsChoicesWithTheSameBestArm) {
  const SystemWithLoad system{[](double z, double x) {
                                const double at = static_cast<int>(z) % 2 == 0 ? 0.2 : 0.8;
                                return 0.9 - std::abs(x - at);
                              },
                              [](double) { return 0.9; }};
  Contextual tree(line(), tenants(6));
  (void)play(tree, system, 2000, 3, 1, 0.05,
             [](RandomStream& random) { return std::floor(6.0 * random.uniform()); });
  const auto policy = tree.policy();
  ASSERT_TRUE(policy);
  ASSERT_EQ(policy->rows.size(), 2U);
  EXPECT_EQ(policy->rows[0].where[0].values, (std::vector{0.0, 2.0, 4.0}));
  EXPECT_EQ(policy->rows[1].where[0].values, (std::vector{1.0, 3.0, 5.0}));
  EXPECT_NEAR(policy->rows[0].arm[0], 0.2, 0.05);
  EXPECT_NEAR(policy->rows[1].arm[0], 0.8, 0.05);
}

TEST(Contextual, FindsANightThatBeginsBeforeMidnight) {
  const SystemWithLoad system{
      [](double z, double x) { return 0.9 - std::abs(x - (z >= 7.0 && z < 19.0 ? 0.8 : 0.2)); },
      [](double) { return 0.9; }};
  Contextual tree(line(), ContextSpace({{"hour", Real{0.0, 24.0}, 24.0}}));
  (void)play(tree, system, 3000, 4, 1, 0.05,
             [](RandomStream& random) { return 24.0 * random.uniform(); });
  for (const double hour : {22.0, 1.0, 25.0, 4.0}) {
    EXPECT_NEAR(tree.best_in(std::vector{hour})->arm[0], 0.2, 0.1) << hour;
  }
  EXPECT_NEAR(tree.best_in(std::vector{13.0})->arm[0], 0.8, 0.1);
  const auto policy = tree.policy();
  EXPECT_TRUE(std::any_of(policy->rows.begin(), policy->rows.end(), [](const PolicyRow& row) {
    return row.where[0].ends[0] > row.where[0].ends[1];
  })) << "no region goes through midnight";
}

TEST(Contextual, RegionsOfAPolicyCoverEveryContextOnce) {
  Contextual tree(line(),
                  ContextSpace({{"load", Real{0.0, 1.0}}, {"tenant", Choice{{"a", "b", "c"}}}}));
  RandomStream random({.seed = 7});
  for (int i = 0; i < 3000; ++i) {
    const double z = random.uniform();
    const double tenant = std::floor(3.0 * random.uniform());
    const Pull pull = tree.ask_in(std::vector{z, tenant});
    const double at = 0.2 + 0.3 * z + 0.15 * tenant;
    (void)tree.tell(pull.ticket, 1.0 - std::abs(pull.arm[0] - at) + 0.05 * random.normal());
  }
  const auto policy = tree.policy();
  ASSERT_TRUE(policy);
  EXPECT_GT(policy->rows.size(), 2U);
  std::uint64_t pulls = 0;
  for (const PolicyRow& row : policy->rows) pulls += row.pulls;
  EXPECT_EQ(pulls, 3000U);
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> context{random.uniform(), std::floor(3.0 * random.uniform())};
    const auto holds = [&](const PolicyRow& row) {
      const auto& [load, tenant] = std::pair(row.where[0], row.where[1]);
      return context[0] >= load.ends[0] && context[0] < load.ends[1] &&
             std::count(tenant.values.begin(), tenant.values.end(), context[1]) == 1;
    };
    ASSERT_EQ(std::count_if(policy->rows.begin(), policy->rows.end(), holds), 1);
    const auto row = std::find_if(policy->rows.begin(), policy->rows.end(), holds);
    EXPECT_EQ(row->arm, tree.best_in(context)->arm);
  }
}

TEST(Contextual, ContinuesExactlyFromItsSavedState) {
  for (const std::size_t in_flight : {std::size_t{1}, std::size_t{5}}) {
    Contextual tree(line(), load());
    (void)play(tree, shifting(), 700, 5, in_flight);
    std::vector<Ticket> open;
    for (int i = 0; i < 4; ++i) open.push_back(tree.ask_in(std::vector{0.2 * i}).ticket);
    Contextual restored(line(), load());
    restored.restore(tree.save());
    EXPECT_EQ(restored.save(), tree.save());
    const std::unique_ptr<Optimizer> copy = tree.clone();
    for (Optimizer* each :
         {static_cast<Optimizer*>(&tree), static_cast<Optimizer*>(&restored), copy.get()}) {
      EXPECT_EQ(each->in_flight().size(), 4U);
      for (const Ticket ticket : open) EXPECT_EQ(each->tell(ticket, 0.5), Status::ok);
    }
    const auto arms = play(tree, shifting(), 500, 6, in_flight).arms;
    EXPECT_EQ(play(restored, shifting(), 500, 6, in_flight).arms, arms);
    EXPECT_EQ(play(*copy, shifting(), 500, 6, in_flight).arms, arms);
  }
}

TEST(Contextual, RefusesToRestoreNonsense) {
  Contextual tree(line(), load());
  (void)play(tree, shifting(), 300, 5);
  const std::string saved = tree.save();
  Contextual other(line(), load());
  EXPECT_THROW(other.restore(saved.substr(0, saved.size() / 2)), StateError);
  EXPECT_THROW(other.restore(Adaptive(line()).save()), StateError);
}

TEST(Contextual, TicketsOfASplitRegionGoToTheSideOfTheirContext) {
  Contextual tree(line(), load());
  const SystemWithLoad system = shifting();
  RandomStream random({.seed = 8});
  std::deque<std::pair<OwnedPull, double>> out;
  std::size_t regions = 1;
  int split_with_open = 0;
  for (int i = 0; i < 1500; ++i) {
    const double z = random.uniform();
    out.emplace_back(OwnedPull(tree.ask_in(std::vector{z})), z);
    if (out.size() < 32) continue;
    // In any order.
    const auto at = static_cast<std::size_t>(static_cast<double>(out.size()) * random.uniform());
    std::swap(out[at], out.front());
    const auto [pull, context] = out.front();
    out.pop_front();
    const auto open = tree.pull_of(pull.ticket);
    ASSERT_TRUE(open);
    EXPECT_EQ(open->arm[0], pull.arm[0]);
    ASSERT_EQ(tree.tell(pull.ticket, system.f(context, pull.arm[0]) + 0.05 * random.normal()),
              Status::ok);
    if (tree.regions() != regions) {
      regions = tree.regions();
      ++split_with_open;
    }
    EXPECT_EQ(tree.summary().in_flight, out.size());
  }
  EXPECT_GT(split_with_open, 1);
  while (!out.empty()) {
    EXPECT_EQ(tree.drop(out.front().first.ticket), Status::ok);
    EXPECT_EQ(tree.drop(out.front().first.ticket), Status::closed_ticket);
    out.pop_front();
  }
  EXPECT_EQ(tree.summary().in_flight, 0U);
}

TEST(Contextual, InFlightItHasLittleMoreRegret) {
  double alone = 0.0;
  double together = 0.0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Contextual one(line(), load());
    alone += play(one, shifting(), 1500, seed).regret;
    Contextual many(line(), load());
    together += play(many, shifting(), 1500, seed, 8).regret;
  }
  EXPECT_LT(together, 1.5 * alone);
}

TEST(Contextual, LearnsFromObservedRewards) {
  Contextual tree(line(), load());
  EXPECT_EQ(tree.observe(std::vector{0.5}, Rewards::one(0.5)), Status::needs_context);
  RandomStream random({.seed = 9});
  const SystemWithLoad system = shifting();
  for (int i = 0; i < 600; ++i) {
    const double z = random.uniform();
    const double x = random.uniform();
    ASSERT_EQ(tree.observe_in(std::vector{z}, std::vector{x},
                              Rewards::one(system.f(z, x) + 0.02 * random.normal())),
              Status::ok);
  }
  const double with = play(tree, system, 300, 10, 1, 0.02).regret;
  Contextual fresh(line(), load());
  EXPECT_LT(with, play(fresh, system, 300, 10, 1, 0.02).regret);
  EXPECT_EQ(tree.observe_in(std::vector{0.1}, std::vector{7.0}, Rewards::one(0.0)),
            Status::not_an_arm);
}

TEST(Contextual, ObservedRewardsAloneSplitRegions) {
  const SystemWithLoad system = shifting();
  Contextual tree(line(), load());
  Contextual other(line(), load());
  RandomStream random({.seed = 14});
  for (int i = 0; i < 600; ++i) {
    const std::vector<double> context{random.uniform()};
    const Pull pull = tree.ask_in(context);
    const Rewards reward = Rewards::one(system.f(context[0], pull.arm[0]) + 0.02 * random.normal());
    ASSERT_EQ(other.observe_in(context, pull.arm, reward), Status::ok);
    ASSERT_EQ(tree.tell(pull.ticket, reward), Status::ok);
  }
  EXPECT_GT(other.regions(), 1U);
  EXPECT_LT(other.best_in(std::vector{0.1})->arm[0], 0.45);
  EXPECT_GT(other.best_in(std::vector{0.9})->arm[0], 0.55);
}

TEST(Contextual, CountsPullsInItsRegionsAndWhatIsOutOfRangeOnce) {
  Contextual tree(line(), load(), {}, {.reward_range = RewardRange{-1.0, 1.0}});
  const SystemWithLoad system = shifting();
  RandomStream random({.seed = 15});
  std::uint64_t beyond = 0;
  for (int i = 0; i < 800; ++i) {
    const std::vector<double> context{random.uniform()};
    const Pull pull = tree.ask_in(context);
    const bool is_beyond = i % 50 == 7;
    if (is_beyond) ++beyond;
    if (i % 40 == 3) {
      ASSERT_EQ(tree.penalize(pull.ticket, -0.5), Status::ok);
      continue;
    }
    const double reward = system.f(context[0], pull.arm[0]) + 0.02 * random.normal();
    if (i % 10 == 0) {
      ASSERT_EQ(tree.observe_in(context, pull.arm, Rewards::one(reward)), Status::ok);
    }
    ASSERT_EQ(tree.tell(pull.ticket, is_beyond ? 1.25 : reward), Status::ok);
  }
  ASSERT_GT(tree.regions(), 1U);
  std::uint64_t pulls = 0;
  const Policy policy = tree.policy().value();
  for (const PolicyRow& row : policy.rows) pulls += row.pulls;
  EXPECT_EQ(pulls, 800U);
  EXPECT_EQ(tree.summary().t, 801U);
  EXPECT_EQ(tree.summary().out_of_range, beyond);
}

TEST(Contextual, AnArmThatIsAskedForAgainIsThatOfTheLastAsk) {
  Contextual tree(line(), load());
  (void)play(tree, shifting(), 700, 16, 1, 0.02);
  const OwnedPull low(tree.ask_in(std::vector{0.05}));
  ASSERT_EQ(tree.observe_in(std::vector{0.95}, std::vector{0.8}, Rewards::one(0.8)), Status::ok);
  EXPECT_EQ(OwnedPull(tree.ask_again()).arm, low.arm);
}

TEST(Contextual, AnArmInFlightIsThereAlsoWhenItsRegionWasSplit) {
  Contextual tree(line(), load());
  const Pull pull = tree.ask_in(std::vector{0.3});
  const double arm = pull.arm[0];
  (void)play(tree, shifting(), 700, 17, 1, 0.02);
  ASSERT_GT(tree.regions(), 1U);
  EXPECT_EQ(pull.arm[0], arm);
  EXPECT_EQ(tree.pull_of(pull.ticket)->arm[0], arm);
}

TEST(Contextual, AFailedSettingStaysFailedWhenItsRegionIsSplit) {
  Contextual tree(line(), load());
  RandomStream random({.seed = 11});
  const SystemWithLoad system = shifting();
  int failures = 0;
  for (int i = 0; i < 1500; ++i) {
    const double z = random.uniform();
    const Pull pull = tree.ask_in(std::vector{z});
    const double x = pull.arm[0];
    if (x > 0.6 && tree.failure_reward()) {
      ++failures;
      ASSERT_EQ(tree.penalize(pull.ticket, *tree.failure_reward()), Status::ok);
    } else {
      ASSERT_EQ(tree.tell(pull.ticket, system.f(z, x) + 0.02 * random.normal()), Status::ok);
    }
  }
  EXPECT_GT(tree.regions(), 1U);
  EXPECT_LT(failures, 500);
  const auto rows = tree.policy()->rows;
  for (const PolicyRow& row : rows) EXPECT_LE(row.arm[0], 0.6);
}

TEST(Contextual, ABarredSettingIsNeverRecommendedInAnyContext) {
  Contextual tree(line(), load());
  (void)play(tree, shifting(), 1500, 12);
  const std::vector<double> barred = tree.best_in(std::vector{0.5})->arm;
  EXPECT_EQ(tree.bar(barred, -5.0), Status::ok);
  EXPECT_TRUE(tree.is_barred(barred));
  (void)play(tree, shifting(), 500, 13);
  const auto rows = tree.policy()->rows;
  for (const PolicyRow& row : rows) EXPECT_NE(row.arm, barred);
}

TEST(Contextual, AnswersForTheContextThatWasSeenLast) {
  Contextual tree(line(), load());
  EXPECT_FALSE(tree.best());
  (void)play(tree, shifting(), 2000, 14);
  (void)tree.ask_in(std::vector{0.05});
  EXPECT_EQ(tree.best()->arm, tree.best_in(std::vector{0.05})->arm);
  (void)tree.ask_in(std::vector{0.95});
  EXPECT_EQ(tree.best()->arm, tree.best_in(std::vector{0.95})->arm);
}

TEST(Contextual, MovesContextsBeyondTheRangeAndCountsThem) {
  Contextual tree(line(), load());
  for (const double z : {0.5, 1.5, -2.0}) (void)tree.ask_in(std::vector{z});
  EXPECT_EQ(tree.policy()->moved, 2U);
}

TEST(Contextual, RefusesMissingContexts) {
  Contextual tree(line(), load());
  EXPECT_THROW((void)tree.ask(), ConfigurationError);
  EXPECT_THROW((void)tree.ask_in({}), ConfigurationError);
  EXPECT_THROW((void)tree.ask_in(std::vector{std::numeric_limits<double>::quiet_NaN()}),
               ConfigurationError);
  EXPECT_EQ(tree.summary().in_flight, 0U);
}

TEST(Contextual, RefusesWhatCannotBeCombined) {
  EXPECT_THROW(Contextual(line(), ContextSpace()), ConfigurationError);
  EXPECT_THROW(Contextual(line(), load(), {.settle = 3}), ConfigurationError);
}

TEST(Contextual, IsMadeByTheCatalogueWhereThereAreContexts) {
  const auto made = make_optimizer({"adaptive", {}}, line(), {}, {}, load());
  EXPECT_NE(dynamic_cast<Contextual*>(made.get()), nullptr);
  EXPECT_NE(dynamic_cast<Adaptive*>(make_optimizer({"adaptive", {}}, line()).get()), nullptr);
  EXPECT_THROW((void)make_optimizer({"hct", {}}, line(), {}, {}, load()), ConfigurationError);
}

TEST(Contextual, UnknownAndClosedTicketsAreTold) {
  Contextual tree(line(), load());
  const Ticket ticket = tree.ask_in(std::vector{0.5}).ticket;
  EXPECT_EQ(tree.tell(99, 0.5), Status::unknown_ticket);
  EXPECT_EQ(tree.tell(99, std::vector<double>()), Status::unknown_ticket);
  EXPECT_EQ(tree.tell(ticket, std::numeric_limits<double>::quiet_NaN()), Status::not_a_reward);
  EXPECT_EQ(tree.tell(ticket, std::vector{0.1, 0.2}), Status::too_many_rewards);
  EXPECT_EQ(tree.tell(ticket, 0.5), Status::ok);
  EXPECT_EQ(tree.tell(ticket, 0.5), Status::closed_ticket);
}

TEST(Contextual, MinimizesInTheUnitsOfTheUser) {
  const auto cost = [](double z, double x) {
    return 500.0 + 300.0 * std::abs(x - (z < 0.5 ? 0.2 : 0.8));
  };
  Objective objective;
  objective.direction = Direction::minimize;
  Contextual tree(line(), load(), {}, objective);
  RandomStream random({.seed = 15});
  for (int i = 0; i < 1000; ++i) {
    const double z = random.uniform();
    const Pull pull = tree.ask_in(std::vector{z});
    (void)tree.tell(pull.ticket, cost(z, pull.arm[0]) + 5.0 * random.normal());
  }
  EXPECT_NEAR(tree.best_in(std::vector{0.2})->arm[0], 0.2, 0.05);
  EXPECT_NEAR(tree.best_in(std::vector{0.8})->arm[0], 0.8, 0.05);
  EXPECT_NEAR(tree.best_in(std::vector{0.2})->mean, 500.0, 10.0);
}

/// The fraction of runs in which an interval of a policy missed the arm's mean in its region.
TEST(Contextual, IntervalsHoldForTheMeanOverTheContextsOfARegion) {
  int missed = 0;
  int intervals = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Contextual tree(line(), load());
    const SystemWithLoad system = seed % 2 == 0 ? shifting() : level_only();
    (void)play(tree, system, 400, seed, 1, 0.3);
    const auto rows = tree.policy()->rows;
    for (const PolicyRow& row : rows) {
      if (!row.interval) continue;
      double mean = 0.0;
      for (int i = 0; i < 1000; ++i) {
        const auto [from, to] = row.where[0].ends;
        mean += system.f(from + (to - from) * (i + 0.5) / 1000.0, row.arm[0]) / 1000.0;
      }
      ++intervals;
      if (mean < row.interval->lower || mean > row.interval->upper) ++missed;
    }
  }
  EXPECT_GT(intervals, 40);
  EXPECT_LE(missed, intervals / 20);
}

}  // namespace
}  // namespace canopy
