#include "canopy/routing.hpp"

#include "support/long_run.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::long_run;

TEST(Routing, TheOptimumIsTheSquareRootRule) {
  // m1 = 1.2 + 1/3, m2 = 0.6 + 1/3: computed independently.
  const Optimum optimum = Routing().optimum();
  const double m1 = 1.2 + 1.0 / 3.0;
  const double m2 = 0.6 + 1.0 / 3.0;
  // At the optimum both queues improve equally: m1 / (m1 - share)^2 = m2 / (m2 - 1 + share)^2.
  const double share = optimum.arm[0];
  EXPECT_NEAR(m1 / std::pow(m1 - share, 2), m2 / std::pow(m2 - 1.0 + share, 2), 1e-9);
  EXPECT_NEAR(share, 0.7095, 1e-3);
}

TEST(Routing, NoShareOfAFineGridIsBetter) {
  const Routing routing({.arrival_rate = 2.0, .first_rate = 1.5, .second_rate = 1.0});
  const auto& box = *routing.space().parameters()[0].domain.as<Real>();
  for (int i = 0; i <= 10'000; ++i) {
    const double share = std::lerp(box.low, box.high, i / 10'000.0);
    ASSERT_LE(routing.mean_reward({&share, 1}), routing.optimum().value + 1e-12);
  }
}

TEST(Routing, AnUnneededQueueGetsNothing) {
  const Routing routing({.arrival_rate = 0.1, .first_rate = 10.0, .second_rate = 0.1});
  EXPECT_EQ(routing.optimum().arm[0], 1.0);
}

TEST(Routing, OneQueueAloneHasTheDelaysOfMm1) {
  // An M/M/1 queue of load 1/2 with rate 2: delays are exponential with mean 1.
  Routing routing({.arrival_rate = 1.0, .first_rate = 2.0, .second_rate = 2.0, .patience = 1.0});
  const std::vector<double> all{1.0};
  EXPECT_DOUBLE_EQ(routing.mean_reward(all), 0.5);
  const auto [mean, error] = long_run(routing, all, 1'000'000);
  EXPECT_NEAR(mean, 0.5, 5.0 * error);
  EXPECT_LT(error, 0.003);
}

TEST(Routing, WorkWaitsAndIsWorkedOff) {
  const RoutingProcess process;
  RandomStream random({.seed = 1});
  Workloads work;
  double waiting = 0.0;
  for (int i = 0; i < 1'000; ++i) {
    const auto next = process.step(work, Queue::second, random);
    EXPECT_GT(next.reward, 0.0);
    EXPECT_LT(next.reward, 1.0);
    EXPECT_EQ(next.state.first, 0.0);
    EXPECT_GE(next.state.second, 0.0);
    work = next.state;
    waiting += work.second;
  }
  EXPECT_GT(waiting, 1'000.0) << "a queue that gets more than it can serve grows";
}

}  // namespace
}  // namespace canopy
