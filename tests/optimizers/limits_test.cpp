#include "canopy/adaptive.hpp"
#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include "support/values.hpp"

#include <algorithm>
#include <cmath>
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

/// The reward and the metrics of an arm.
using Measured = std::pair<double, Metrics>;
using System = std::function<Measured(const std::vector<double>& arm)>;

Objective at_most(double limit, Direction direction = Direction::maximize) {
  return {.direction = direction, .limits = {{.metric = "load", .max = limit}}};
}

/// Plays and returns the arms, in order.
std::vector<std::vector<double>> play(Optimizer& optimizer, const System& system, int pulls) {
  std::vector<std::vector<double>> arms;
  for (int i = 0; i < pulls; ++i) {
    const OwnedPull pull(optimizer.ask(1));
    const auto [reward, metrics] = system(pull.arm);
    EXPECT_EQ(optimizer.measure(pull.ticket, pull.arm, metrics), Status::ok);
    EXPECT_EQ(optimizer.tell(pull.ticket, reward), Status::ok);
    arms.push_back(pull.arm);
  }
  return arms;
}

/// Both the reward and the load increase with x.
System rising(RandomStream& random, double noise_of_reward, double noise_of_load) {
  return [&random, noise_of_reward, noise_of_load](const std::vector<double>& arm) {
    return Measured{arm[0] + noise_of_reward * random.normal(),
                    {{"load", 100.0 * arm[0] + noise_of_load * random.normal()}}};
  };
}

std::size_t beyond(const std::vector<std::vector<double>>& arms, double limit) {
  return static_cast<std::size_t>(
      std::count_if(arms.begin(), arms.end(),
                    [limit](const std::vector<double>& arm) { return arm[0] > limit; }));
}

TEST(AdaptiveWithLimits, DistantLimitsDoNotChangeTheArms) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RandomStream first({.seed = seed});
    RandomStream second({.seed = seed});
    Adaptive limited(line(), {}, at_most(1e9));
    Adaptive free(line());
    EXPECT_EQ(play(limited, rising(first, 0.3, 5.0), 500),
              play(free, rising(second, 0.3, 5.0), 500))
        << "seed " << seed;
    EXPECT_EQ(limited.best()->arm, free.best()->arm);
  }
}

TEST(AdaptiveWithLimits, SearchesAndRecommendsOnlyArmsThatKeepThem) {
  std::size_t beyond_limit = 0;
  int broken = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random({.seed = seed});
    Adaptive adaptive(line(), {}, at_most(60.0));
    beyond_limit += beyond(play(adaptive, rising(random, 0.1, 10.0), 300), 0.6);
    const Best best = adaptive.best().value();
    if (best.arm[0] > 0.6) ++broken;
    EXPECT_GT(best.arm[0], 0.4) << "seed " << seed;
    EXPECT_GE(best.limits.at(0).probability, 0.5);
  }
  EXPECT_LE(broken, 2) << "of 20";
  EXPECT_LT(beyond_limit, 20 * 300 / 4U);
}

TEST(AdaptiveWithLimits, DecidesAtOnceWhereAMetricHasNoNoise) {
  RandomStream random({.seed = 1});
  Adaptive adaptive(line(), {}, at_most(60.0));
  EXPECT_LT(beyond(play(adaptive, rising(random, 0.3, 0.0), 300), 0.6), 20U);
  const Best best = adaptive.best().value();
  EXPECT_LE(best.arm[0], 0.6);
  EXPECT_EQ(best.limits.at(0).state, LimitState::kept);
}

TEST(AdaptiveWithLimits, TakesBothEndsOfAMetric) {
  RandomStream random({.seed = 1});
  Adaptive adaptive(
      line(), {},
      {.direction = Direction::minimize, .limits = {{.metric = "load", .min = 30.0, .max = 60.0}}});
  (void)play(adaptive, rising(random, 0.05, 2.0), 300);
  EXPECT_NEAR(adaptive.best()->arm[0], 0.32, 0.03) << "the least reward is best";
}

TEST(AdaptiveWithLimits, KeepsALimitAtTheEndOfAllValues) {
  RandomStream random({.seed = 1});
  Adaptive adaptive(line(), {}, {.limits = {{.metric = "errors", .max = 0.0}}});
  const auto system = [&](const std::vector<double>& arm) {
    const bool fails = arm[0] > 0.5 && random.uniform() < 0.5;
    return Measured{arm[0] + 0.05 * random.normal(), {{"errors", fails ? 1.0 : 0.0}}};
  };
  (void)play(adaptive, system, 400);
  const Best best = adaptive.best().value();
  EXPECT_LE(best.arm[0], 0.5);
  EXPECT_GE(best.arm[0], 0.3);
  EXPECT_EQ(best.limits.at(0).state, LimitState::kept);
  EXPECT_EQ(best.limits.at(0).estimate, 0.0) << "independent of neighbouring arms";
}

TEST(AdaptiveWithLimits, NamesNoArmWhereNoneKeepsThemButTheNearest) {
  RandomStream random({.seed = 1});
  Adaptive adaptive(line(), {}, at_most(-20.0));
  EXPECT_FALSE(adaptive.nearest()) << "there are no rewards";
  const auto arms = play(adaptive, rising(random, 0.1, 5.0), 200);
  EXPECT_FALSE(adaptive.best());
  const Best nearest = adaptive.nearest().value();
  EXPECT_LT(nearest.arm[0], 0.1);
  EXPECT_EQ(nearest.basis, Best::Basis::least_broken);
  EXPECT_EQ(nearest.limits.at(0).state, LimitState::broken);
  EXPECT_LT(beyond({arms.end() - 50, arms.end()}, 0.2), 15U)
      << "it plays the arms that break it least";
  EXPECT_EQ(adaptive.learnt()->turn->why, Learnt::Why::least_broken);
}

TEST(AdaptiveWithLimits, LooksForTheBestOfSeveralKnobsAndLimits) {
  const Space box{{"x", Real{0.0, 1.0}}, {"threads", Integer{1, 64, Scale::log}}};
  RandomStream random({.seed = 3});
  Adaptive adaptive(
      box, {}, {.limits = {{.metric = "load", .max = 60.0}, {.metric = "memory", .max = 30.0}}});
  const auto system = [&](const std::vector<double>& arm) {
    return Measured{arm[0] + 0.2 * std::log2(arm[1]) + 0.05 * random.normal(),
                    {{"load", 100.0 * arm[0] + 3.0 * random.normal()}, {"memory", 2.0 * arm[1]}}};
  };
  (void)play(adaptive, system, 600);
  const Best best = adaptive.best().value();
  EXPECT_LE(best.arm[0], 0.62);
  EXPECT_GE(best.arm[0], 0.45);
  EXPECT_LE(best.arm[1], 15.0);
  EXPECT_GE(best.arm[1], 10.0);
  const Learnt learnt = adaptive.learnt().value();
  ASSERT_EQ(learnt.metrics.size(), 2U);
  EXPECT_EQ(learnt.metrics[0].measured, 600U);
  EXPECT_GT(learnt.metrics[1].kept, 0.5);
  EXPECT_GT(learnt.metrics[1].broken, 0.1);
}

TEST(AdaptiveWithLimits, DoesWithoutAMetricThatIsMissingNowAndThen) {
  RandomStream random({.seed = 1});
  RandomStream missing({.seed = 2});
  Adaptive adaptive(line(), {}, at_most(60.0));
  const System whole = rising(random, 0.1, 5.0);
  const auto system = [&](const std::vector<double>& arm) {
    Measured measured = whole(arm);
    if (missing.coin()) measured.second.clear();
    return measured;
  };
  (void)play(adaptive, system, 300);
  EXPECT_NEAR(adaptive.best()->arm[0], 0.55, 0.06);
}

TEST(AdaptiveWithLimits, ContinuesFromASavedStateAsIfUninterrupted) {
  RandomStream random({.seed = 5});
  Adaptive adaptive(line(), {}, at_most(60.0));
  (void)play(adaptive, rising(random, 0.1, 10.0), 137);
  Adaptive restored(line(), {}, at_most(60.0));
  restored.restore(adaptive.save());
  RandomStream first({.seed = 6});
  RandomStream second({.seed = 6});
  EXPECT_EQ(play(adaptive, rising(first, 0.1, 10.0), 300),
            play(restored, rising(second, 0.1, 10.0), 300));
}

TEST(AdaptiveWithLimits, KeepsManyPullsInFlightApart) {
  RandomStream random({.seed = 1});
  Adaptive adaptive(line(), {}, at_most(60.0));
  const System system = rising(random, 0.1, 5.0);
  std::vector<OwnedPull> open;
  for (int i = 0; i < 600; ++i) {
    open.emplace_back(adaptive.ask());
    if (open.size() < 8) continue;
    const auto at = open.begin() + static_cast<std::ptrdiff_t>(random.uniform() * 8.0);
    const auto [reward, metrics] = system(at->arm);
    ASSERT_EQ(adaptive.measure(at->ticket, at->arm, metrics), Status::ok);
    ASSERT_EQ(adaptive.tell(at->ticket, reward), Status::ok);
    open.erase(at);
  }
  EXPECT_NEAR(adaptive.best()->arm[0], 0.56, 0.05);
}

TEST(OptimizerWithLimits, WithoutAModelOfMetricsBarsArmsThatBreakThem) {
  RandomStream random({.seed = 1});
  Hct hct(line(), {.confidence_scale = 0.01}, at_most(60.0));
  std::size_t barred = 0;
  for (const std::vector<double>& arm : play(hct, rising(random, 0.1, 5.0), 600)) {
    if (!hct.is_barred(arm)) continue;
    ++barred;
    EXPECT_GT(arm[0], 0.6);
    EXPECT_EQ(hct.limit_checks(arm).at(0).state, LimitState::broken);
  }
  EXPECT_GT(barred, 10U);
  EXPECT_LE(hct.best()->arm[0], 0.6);
  EXPECT_GE(hct.best()->limits.at(0).probability, 0.5);
  EXPECT_FALSE(hct.nearest());
}

TEST(OptimizerWithLimits, WithoutAModelOfMetricsNamesTheNearestArmToo) {
  RandomStream random({.seed = 1});
  Hct hct(line(), {}, at_most(-20.0));
  (void)play(hct, rising(random, 0.1, 0.0), 200);
  EXPECT_FALSE(hct.best());
  EXPECT_LT(hct.nearest()->arm[0], 0.2);
}

TEST(OptimizerWithLimits, RefusesWhatIsNoMetric) {
  Adaptive adaptive(line(), {}, at_most(60.0));
  const std::vector<double> arm{0.25};
  EXPECT_EQ(adaptive.measure(0, arm, {{"load", std::nan("")}}), Status::not_a_reward);
  EXPECT_EQ(adaptive.measure(0, arm, {{"other", 1e200}}), Status::not_a_reward);
  EXPECT_EQ(adaptive.measure(0, std::vector{7.0}, {{"load", 1.0}}), Status::not_an_arm);
  EXPECT_EQ(adaptive.measure(0, arm, {{"other", 1.0}}), Status::ok) << "it has no limit";
  EXPECT_THROW(Adaptive(line(), {}, {.limits = {{.metric = "load", .min = 2.0, .max = 1.0}}}),
               ConfigurationError);
}

}  // namespace
}  // namespace canopy
