#include "canopy/contextual_function.hpp"

#include "canopy/errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

constexpr std::uint64_t kArrivalSpan = 1'000;

ContextualFunction problem_without_noise(ContextProblem problem) {
  return ContextualFunction({.problem = problem, .span = kArrivalSpan, .noise_width = 0.0});
}

ContextualFunction contexts_that_come(ContextArrival arrival) {
  ContextualFunction function({.arrival = arrival, .span = kArrivalSpan});
  RandomStream random({.seed = 4});
  function.start(random);
  return function;
}

double mean_in(const ContextualFunction& function, std::vector<double> context,
               std::vector<double> arm) {
  return function.mean_reward_in(context, arm);
}

// --- problems ------------------------------------------------------------------------------------

class EachContextProblem : public ::testing::TestWithParam<ContextProblem> {
 protected:
  EachContextProblem() { function_.start(random_); }

  ContextualFunction function_ = problem_without_noise(GetParam());
  RandomStream random_{{.seed = 3, .environment = "contextual"}};
};

TEST_P(EachContextProblem, NoArmIsBetterThanTheOptimumInItsContext) {
  const std::size_t dimension = function_.space().dimension();
  for (std::uint64_t t = 1; t <= 300; ++t) {
    const std::vector<double> context = function_.context_at(t);
    const Optimum optimum = function_.optimum_in(context);
    ASSERT_TRUE(function_.space().contains(optimum.arm)) << function_.contexts().describe(context);
    EXPECT_NEAR(function_.mean_reward_in(context, optimum.arm), optimum.value, 1e-9);
    EXPECT_LE(optimum.value, 1.0);
    const auto check = [&](const std::vector<double>& arm) {
      const double mean = function_.mean_reward_in(context, arm);
      ASSERT_LE(mean, optimum.value + 1e-12) << function_.contexts().describe(context);
      ASSERT_GE(mean, 0.0);
    };
    for (std::size_t i = 0; i < dimension; ++i) {  // along each parameter through the optimum
      for (int step = 0; step <= 1'000; ++step) {
        std::vector<double> arm = optimum.arm;
        arm[i] = step / 1'000.0;
        check(arm);
      }
    }
    for (int i = 0; i < 200; ++i) {
      std::vector<double> arm(dimension);
      for (double& each : arm) each = random_.uniform();
      check(arm);
    }
  }
}

TEST_P(EachContextProblem, EveryPullIsInTheContextOfItsStep) {
  for (int run = 0; run < 2; ++run) {
    function_.start(random_);
    for (std::uint64_t t = 1; t <= 200; ++t) {
      std::vector<double> arm(function_.space().dimension());
      for (double& each : arm) each = random_.uniform();
      const double expected = function_.mean_reward_at(arm, t);
      ASSERT_EQ(expected, function_.mean_reward_in(function_.context_at(t), arm));
      ASSERT_DOUBLE_EQ(function_.pull(arm, random_), expected);
    }
  }
}

TEST_P(EachContextProblem, ContextsAreInTheirRangesHoweverTheyCome) {
  for (std::size_t arrival = 0; arrival < EnumNames<ContextArrival>::names.size(); ++arrival) {
    ContextualFunction function({.problem = GetParam(),
                                 .arrival = static_cast<ContextArrival>(arrival),
                                 .span = kArrivalSpan});
    function.start(random_);
    for (std::uint64_t t = 1; t <= 3 * kArrivalSpan; ++t) {
      const std::vector<double> context = function.context_at(t);
      ASSERT_EQ(context.size(), function.contexts().size());
      for (std::size_t k = 0; k < context.size(); ++k) {
        ASSERT_TRUE(function.contexts()[k].domain.contains(context[k])) << context[k];
      }
    }
  }
}

std::vector<ContextProblem> all_context_problems() {
  std::vector<ContextProblem> all;
  for (std::size_t i = 0; i < EnumNames<ContextProblem>::names.size(); ++i) {
    all.push_back(static_cast<ContextProblem>(i));
  }
  return all;
}

std::string problem_name(const ::testing::TestParamInfo<ContextProblem>& which) {
  return std::string(name_of(which.param));
}

INSTANTIATE_TEST_SUITE_P(All, EachContextProblem, ::testing::ValuesIn(all_context_problems()),
                         problem_name);

TEST(ContextProblems, AreThoseWorkedByHand) {
  const ContextualFunction smooth = problem_without_noise(ContextProblem::smooth);
  EXPECT_EQ(smooth.optimum_in(std::vector{0.5}).arm, (std::vector{0.85 - 0.7 * 0.25}));
  EXPECT_DOUBLE_EQ(mean_in(smooth, {0.5}, {0.675 - 0.25}), 0.85 - 0.6 * 0.125);
  EXPECT_DOUBLE_EQ(mean_in(smooth, {0.5}, {0.675 + 0.25}), 0.85 - 1.5 * 0.125);
  const ContextualFunction jump = problem_without_noise(ContextProblem::jump);
  EXPECT_EQ(jump.optimum_in(std::vector{0.2}).arm, std::vector{0.6});
  EXPECT_EQ(jump.optimum_in(std::vector{0.5}).arm, std::vector{0.15});
  EXPECT_EQ(jump.optimum_in(std::vector{0.9}).arm, std::vector{0.85});
  EXPECT_EQ(jump.optimum_in(std::vector{0.9}).value, 0.8);
  const ContextualFunction choice = problem_without_noise(ContextProblem::choice);
  EXPECT_DOUBLE_EQ(mean_in(choice, {3.0}, {0.4}), 0.8 - 0.8 * 0.25);
  EXPECT_EQ(mean_in(choice, {4.0}, {0.1}), 0.0) << "0.5 - 0.64 is below";
  const ContextualFunction wave = problem_without_noise(ContextProblem::wave);
  EXPECT_NEAR(wave.optimum_in(std::vector{6.0, 0.1}).arm[0], 0.8, 1e-12);
  EXPECT_NEAR(wave.optimum_in(std::vector{18.0, 0.9}).arm[0], 0.2, 1e-12);
  EXPECT_EQ(wave.contexts()[0].period, 24.0);
  const ContextualFunction additive = problem_without_noise(ContextProblem::additive_two);
  EXPECT_NEAR(mean_in(additive, {0.5, 3.0}, {0.25}), 0.55 - 0.2 + 0.08 * 1.5, 1e-12);
  const ContextualFunction two = problem_without_noise(ContextProblem::two_by_two);
  EXPECT_NEAR(mean_in(two, {0.5, 0.2}, {0.6, 0.6}), 0.9 - 0.9 * 0.01 - 0.7 * 0.01, 1e-12);
}

TEST(ContextProblems, LoadIsWhatACapacityEarnsLessItsCost) {
  const ContextualFunction function = problem_without_noise(ContextProblem::load);
  RandomStream random({.seed = 5});
  for (int i = 0; i < 1'000; ++i) {
    const double load = std::pow(10.0, random.uniform() - 1.0);
    const double x = random.uniform();
    const double capacity = 0.05 + x;
    const double slack = capacity > load ? load / capacity : 1.0 - 0.5 * (load / capacity - 1.0);
    const double earned =
        0.9 * std::min(1.0, slack + 0.15) * std::min(1.0, capacity / load) - 0.25 * x;
    EXPECT_NEAR(mean_in(function, {load}, {x}), std::max(0.0, earned), 1e-12);
  }
}

TEST(ContextProblems, RewardsOfZeroAndOneHaveTheMeanF) {
  ContextualFunction function({.noise = Noise::bernoulli});
  RandomStream random({.seed = 6});
  function.start(random);
  const std::vector<double> arm{0.4};
  constexpr std::uint64_t kPulls = 100'000;
  double difference = 0.0;
  for (std::uint64_t t = 1; t <= kPulls; ++t) {
    const double reward = function.pull(arm, random);
    ASSERT_TRUE(reward == 0.0 || reward == 1.0);
    difference += (reward - function.mean_reward_at(arm, t)) / kPulls;
  }
  EXPECT_NEAR(difference, 0.0, 5.0 * 0.5 / std::sqrt(static_cast<double>(kPulls)));
}

// --- contexts ------------------------------------------------------------------------------------

TEST(ContextArrivals, TheContextsOfARunCanBeReadInAnyOrder) {
  ContextualFunction function({.problem = ContextProblem::one_of_three});
  const auto contexts_of = [&](std::uint64_t seed) {
    RandomStream random({.seed = seed});
    function.start(random);
    std::vector<std::vector<double>> contexts;
    for (std::uint64_t t = 100; t > 0; --t) contexts.push_back(function.context_at(t));
    std::reverse(contexts.begin(), contexts.end());
    for (std::uint64_t t = 1; t <= 100; ++t) {
      EXPECT_EQ(function.context_at(t), contexts[t - 1]);
      (void)function.pull(std::vector{0.5}, random);
    }
    return contexts;
  };
  EXPECT_EQ(contexts_of(1), contexts_of(1));
  EXPECT_NE(contexts_of(1), contexts_of(2));
}

TEST(ContextArrivals, UniformOnesAreUniformAndIndependent) {
  ContextualFunction function({.problem = ContextProblem::one_of_two});
  RandomStream random({.seed = 7});
  function.start(random);
  constexpr std::size_t kPulls = 40'000;
  std::vector<double> counts(10);
  double together = 0.0;
  double after = 0.0;
  double last = 0.5;
  for (std::uint64_t t = 1; t <= kPulls; ++t) {
    const std::vector<double> z = function.context_at(t);
    ++counts[static_cast<std::size_t>(10.0 * z[0])];
    together += 12.0 * (z[0] - 0.5) * (z[1] - 0.5) / kPulls;
    after += 12.0 * (z[0] - 0.5) * (last - 0.5) / kPulls;
    last = z[0];
  }
  for (const double count : counts) EXPECT_NEAR(count, 4'000.0, 5.0 * std::sqrt(3'600.0));
  EXPECT_NEAR(together, 0.0, 0.025) << "five standard errors";
  EXPECT_NEAR(after, 0.0, 0.025);
}

TEST(ContextArrivals, SkewedOnesAreMostlySmall) {
  const ContextualFunction function = contexts_that_come(ContextArrival::skewed);
  double below = 0.0;
  for (std::uint64_t t = 1; t <= 10'000; ++t) {
    below += function.context_at(t)[0] < 0.125 ? 1e-4 : 0.0;
  }
  EXPECT_NEAR(below, 0.5, 0.025) << "u^3 < 1/8";
}

TEST(ContextArrivals, ACycleGoesRoundTenTimesInASpan) {
  const ContextualFunction function = contexts_that_come(ContextArrival::cycle);
  int rounds = 0;
  for (std::uint64_t t = 1; t <= kArrivalSpan; ++t) {
    const double phase = std::fmod(10.0 * static_cast<double>(t - 1) / kArrivalSpan, 1.0);
    const double ahead = function.context_at(t)[0] - phase;
    EXPECT_LE(ahead < -1e-9 ? ahead + 1.0 : ahead, 0.02);
    rounds += function.context_at(t + 1)[0] < function.context_at(t)[0] - 0.5 ? 1 : 0;
  }
  EXPECT_GE(rounds, 10);
}

TEST(ContextArrivals, BurstsAreFiftyPullsLong) {
  const ContextualFunction function = contexts_that_come(ContextArrival::bursts);
  for (std::uint64_t t = 1; t < kArrivalSpan; ++t) {
    EXPECT_EQ(function.context_at(t) == function.context_at(t + 1), t % 50 != 0) << t;
  }
}

TEST(ContextArrivals, SortedOnesRiseInEverySpan) {
  const ContextualFunction function = contexts_that_come(ContextArrival::sorted);
  for (std::uint64_t t = 1; t < kArrivalSpan; ++t) {
    EXPECT_LT(function.context_at(t)[0], function.context_at(t + 1)[0]) << t;
  }
  EXPECT_GT(function.context_at(kArrivalSpan)[0], 0.99);
  EXPECT_LT(function.context_at(kArrivalSpan + 1)[0], 0.01);
}

TEST(ContextArrivals, TheUpperHalfAppearsInTheMiddleOfASpan) {
  const ContextualFunction function = contexts_that_come(ContextArrival::appearing);
  for (std::uint64_t t = 1; t <= kArrivalSpan; ++t) {
    EXPECT_EQ(function.context_at(t)[0] >= 0.5, t > kArrivalSpan / 2) << t;
  }
}

TEST(ContextArrivals, ClustersAreTwo) {
  const ContextualFunction function = contexts_that_come(ContextArrival::clusters);
  int upper = 0;
  for (std::uint64_t t = 1; t <= kArrivalSpan; ++t) {
    const double z = function.context_at(t)[0];
    upper += z > 0.5 ? 1 : 0;
    EXPECT_TRUE((z >= 0.1 && z <= 0.15) || (z >= 0.75 && z <= 0.8)) << z;
  }
  EXPECT_NEAR(upper, 500, 80);
}

}  // namespace
}  // namespace canopy
