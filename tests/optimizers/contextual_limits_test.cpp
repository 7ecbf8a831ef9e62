// Limits on metrics with contexts.

#include "canopy/contextual.hpp"
#include "canopy/random.hpp"

#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::line;
using testing::load;

Objective p99_at_most(double most) {
  Objective objective;
  objective.limits = {{.metric = "p99", .max = most}};
  return objective;
}

struct LimitedSystem {
  std::function<double(double z, double x)> reward;
  std::function<double(double z, double x)> p99;
};

/// Reward and latency increase with x; the load adds to the latency equally for all x.
LimitedSystem with_load() {
  return {[](double, double x) { return 0.5 * x; },
          [](double z, double x) { return 100.0 * x + 40.0 * z; }};
}

struct LimitedRun {
  std::vector<double> arms;
  double beyond = 0.0;  // fraction of pulls of the second half whose mean breaks the limit
};

LimitedRun play_limited(Optimizer& optimizer, const LimitedSystem& system, double most, int pulls,
                        std::uint64_t seed) {
  RandomStream random({.seed = seed});
  LimitedRun run;
  for (int i = 0; i < pulls; ++i) {
    const std::vector<double> context{random.uniform()};
    const Pull pull = optimizer.ask_in(context, 1);
    const std::vector<double> arm(pull.arm.begin(), pull.arm.end());
    const double p99 = system.p99(context[0], arm[0]);
    run.arms.push_back(arm[0]);
    if (2 * i >= pulls && p99 > most) run.beyond += 2.0 / pulls;
    EXPECT_EQ(optimizer.measure(pull.ticket, arm, {{"p99", p99 + 5.0 * random.normal()}}),
              Status::ok);
    EXPECT_EQ(
        optimizer.tell(pull.ticket, system.reward(context[0], arm[0]) + 0.05 * random.normal()),
        Status::ok);
  }
  return run;
}

TEST(ContextualLimits, AreKeptInEveryContextWhereItMovesTheMetric) {
  Contextual tree(line(), load(), {}, p99_at_most(60.0));
  const double beyond = play_limited(tree, with_load(), 60.0, 2000, 1).beyond;
  EXPECT_LT(beyond, 0.35);  // the best arm is at the limit
  for (const double z : {0.1, 0.5, 0.9}) {
    const auto best = tree.best_in(std::vector{z});
    ASSERT_TRUE(best);
    EXPECT_LE(with_load().p99(z, best->arm[0]), 65.0) << z;
    EXPECT_NEAR(best->arm[0], 0.6 - 0.4 * z, 0.12) << z;
    ASSERT_EQ(best->limits.size(), 1U);
    EXPECT_NEAR(best->limits[0].estimate, with_load().p99(z, best->arm[0]), 5.0) << z;
  }
}

TEST(ContextualLimits, GoBeyondLessOftenThanATreeThatDoesNotSeeTheContext) {
  double with = 0.0;
  double without = 0.0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Contextual tree(line(), load(), {}, p99_at_most(60.0));
    with += play_limited(tree, with_load(), 60.0, 1500, seed).beyond;
    Adaptive blind(line(), {.drift = Drift::none}, p99_at_most(60.0));
    without += play_limited(blind, with_load(), 60.0, 1500, seed).beyond;
  }
  EXPECT_LT(with, 0.7 * without);
}

/// Rewards are the same in all contexts, but which of two peaks keeps the limit differs.
TEST(ContextualLimits, ARegionIsSplitForTheMetricAlone) {
  const LimitedSystem system{
      [](double, double x) { return 1.0 - std::min(std::abs(x - 0.2) + 0.1, std::abs(x - 0.8)); },
      [](double z, double x) { return 100.0 * (z < 0.5 ? x : 1.0 - x); }};
  Contextual tree(line(), load(), {}, p99_at_most(50.0));
  (void)play_limited(tree, system, 50.0, 2000, 2);
  EXPECT_GT(tree.regions(), 1U);
  EXPECT_NEAR(tree.best_in(std::vector{0.2})->arm[0], 0.2, 0.1);
  EXPECT_NEAR(tree.best_in(std::vector{0.8})->arm[0], 0.8, 0.1);
}

TEST(ContextualLimits, DistantLimitsChangeNothing) {
  Contextual with(line(), load(), {}, p99_at_most(1e6));
  Contextual without(line(), load());
  const LimitedSystem system{[](double z, double x) { return -std::pow(x - 0.2 - 0.6 * z, 2); },
                             [](double, double) { return 50.0; }};
  EXPECT_EQ(play_limited(with, system, 1e6, 800, 3).arms,
            play_limited(without, system, 1e6, 800, 3).arms);
  EXPECT_GT(with.regions(), 1U);
  EXPECT_EQ(with.regions(), without.regions());
}

TEST(ContextualLimits, WhereNoArmKeepsThemTheNearestIsReported) {
  const LimitedSystem system{[](double, double x) { return x; },
                             [](double z, double x) { return 100.0 * z + 5.0 * x; }};
  Contextual tree(line(), load(), {}, p99_at_most(50.0));
  (void)play_limited(tree, system, 50.0, 1000, 4);
  EXPECT_TRUE(tree.best_in(std::vector{0.1}));
  EXPECT_FALSE(tree.nearest_in(std::vector{0.1}));
  EXPECT_FALSE(tree.best_in(std::vector{0.95}));
  ASSERT_TRUE(tree.nearest_in(std::vector{0.95}));
  EXPECT_EQ(tree.nearest_in(std::vector{0.95})->limits[0].state, LimitState::broken);
  // A policy has one arm per region: it is judged in the context that is hardest on the limit.
  const auto rows = tree.policy()->rows;
  EXPECT_TRUE(rows.back().breaks_limits);
  ASSERT_EQ(rows.back().limits.size(), 1U);
  EXPECT_GT(rows.back().limits[0].estimate, 50.0);
}

TEST(ContextualLimits, APolicyIsJudgedInItsLeastFavourableContext) {
  Contextual tree(line(), load(), {}, p99_at_most(60.0));
  (void)play_limited(tree, with_load(), 60.0, 1500, 5);
  const auto rows = tree.policy()->rows;
  for (const PolicyRow& row : rows) {
    if (row.arm.empty() || row.breaks_limits) continue;
    const double hardest = row.where[0].is_everything ? 1.0 : row.where[0].ends[1];
    EXPECT_LE(with_load().p99(hardest, row.arm[0]), 66.0);
  }
}

/// Good arms have no errors at all; subtracting a level would hide that.
TEST(ContextualLimits, ALimitAtTheEndOfAllValuesIsKeptByArmsAtTheEnd) {
  const LimitedSystem system{[](double, double x) { return x; },
                             [](double z, double x) { return x > 0.5 ? 3.0 + z : 0.0; }};
  Contextual tree(line(), load(), {}, p99_at_most(0.0));
  RandomStream random({.seed = 6});
  for (int i = 0; i < 600; ++i) {
    const std::vector<double> context{random.uniform()};
    const Pull pull = tree.ask_in(context);
    const std::vector<double> arm(pull.arm.begin(), pull.arm.end());
    ASSERT_EQ(tree.measure(pull.ticket, arm, {{"p99", system.p99(context[0], arm[0])}}),
              Status::ok);
    ASSERT_EQ(tree.tell(pull.ticket, arm[0] + 0.05 * random.normal()), Status::ok);
  }
  const auto best = tree.best_in(std::vector{0.5});
  ASSERT_TRUE(best);
  EXPECT_LE(best->arm[0], 0.5);
  EXPECT_GT(best->arm[0], 0.35);
}

TEST(ContextualLimits, ContinuesExactlyFromItsSavedState) {
  Contextual tree(line(), load(), {}, p99_at_most(60.0));
  (void)play_limited(tree, with_load(), 60.0, 900, 7);
  Contextual restored(line(), load(), {}, p99_at_most(60.0));
  restored.restore(tree.save());
  EXPECT_EQ(restored.save(), tree.save());
  const auto copy = tree.clone();
  const auto arms = play_limited(tree, with_load(), 60.0, 500, 8).arms;
  EXPECT_EQ(play_limited(restored, with_load(), 60.0, 500, 8).arms, arms);
  EXPECT_EQ(play_limited(*copy, with_load(), 60.0, 500, 8).arms, arms);
}

TEST(ContextualLimits, LookingChangesNothing) {
  Contextual tree(line(), load(), {}, p99_at_most(60.0));
  (void)play_limited(tree, with_load(), 60.0, 500, 9);
  const std::string before = tree.save();
  (void)tree.best_in(std::vector{0.9});
  (void)tree.policy();
  (void)tree.nearest_in(std::vector{0.1});
  (void)tree.limit_checks(std::vector{0.5});
  EXPECT_EQ(tree.save(), before);
}

TEST(ContextualLimits, MetricsOfNoTicketNeedAContext) {
  Contextual tree(line(), load(), {}, p99_at_most(60.0));
  const std::vector<double> arm{0.3};
  EXPECT_EQ(tree.measure(0, arm, {{"p99", 10.0}}), Status::needs_context);
  EXPECT_EQ(tree.measure(7, arm, {{"p99", 10.0}}), Status::unknown_ticket);
  EXPECT_EQ(tree.measure_in(std::vector{0.5}, arm, {{"p99", 10.0}}), Status::ok);
  EXPECT_EQ(tree.measure_in(std::vector{0.5}, arm, {{"p99", testing::kNan}}), Status::not_a_reward);
}

TEST(ContextualLimits, CountsMeasurementsOfItsRegions) {
  Contextual tree(line(), load(), {}, p99_at_most(60.0));
  (void)play_limited(tree, with_load(), 60.0, 1500, 10);
  std::uint64_t measured = 0;
  const auto rows = tree.policy()->rows;
  for (const PolicyRow& row : rows) measured += row.pulls;
  EXPECT_EQ(measured, 1500U);
  const auto learnt = tree.learnt();
  ASSERT_TRUE(learnt && learnt->metrics.size() == 1);
  EXPECT_LE(learnt->metrics[0].beyond, learnt->metrics[0].measured);
}

}  // namespace
}  // namespace canopy
