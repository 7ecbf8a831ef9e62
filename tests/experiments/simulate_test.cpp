#include "experiments/simulate.hpp"

#include "canopy/errors.hpp"

#include <atomic>
#include <cmath>

#include <gtest/gtest.h>

namespace canopy {
namespace {

const SimulationOptions kShort{.steps = 2000, .runs = 6, .seed = 3};

constexpr HctOptions kTuned{.nu1 = 1.0, .rho = 0.7071, .confidence_scale = 0.05};

TEST(Simulate, GivesTheSameNumbersOnOneThreadAndOnMany) {
  SimulationOptions one = kShort;
  one.threads = 1;
  SimulationOptions many = kShort;
  many.threads = 4;
  for (const EnvironmentOptions& environment :
       {EnvironmentOptions(GarlandOptions{}), EnvironmentOptions(GarlandMdpOptions{})}) {
    const SimulationResult a = simulate(environment, kTuned, one).value();
    const SimulationResult b = simulate(environment, kTuned, many).value();
    for (std::size_t i = 0; i < a.runs.size(); ++i) {
      EXPECT_EQ(a.runs[i].per_step_regret, b.runs[i].per_step_regret);
      EXPECT_EQ(a.runs[i].per_step_realised_regret, b.runs[i].per_step_realised_regret);
      EXPECT_EQ(a.runs[i].best_arm, b.runs[i].best_arm);
      EXPECT_EQ(a.runs[i].summary.switches, b.runs[i].summary.switches);
    }
  }
}

TEST(Simulate, GivesTheSameNumbersHoweverOftenARunIsLookedAt) {
  SimulationOptions watched = kShort;
  for (std::uint64_t steps = 1; steps <= watched.steps; steps += 7) {
    watched.checkpoints.push_back(steps);
  }
  const SimulationResult a = simulate(GarlandMdpOptions{}, kTuned, kShort).value();
  const SimulationResult b = simulate(GarlandMdpOptions{}, kTuned, watched).value();
  for (std::size_t i = 0; i < a.runs.size(); ++i) {
    EXPECT_EQ(a.runs[i].per_step_regret, b.runs[i].per_step_regret);
    EXPECT_EQ(b.runs[i].checkpoints.size(), watched.checkpoints.size());
  }
}

TEST(Simulate, SeedsAndRunsDiffer) {
  SimulationOptions other = kShort;
  other.seed = 4;
  const SimulationResult a = simulate(GarlandOptions{}, kTuned, kShort).value();
  const SimulationResult b = simulate(GarlandOptions{}, kTuned, other).value();
  EXPECT_NE(a.runs[0].per_step_realised_regret, b.runs[0].per_step_realised_regret);
  EXPECT_NE(a.runs[0].per_step_realised_regret, a.runs[1].per_step_realised_regret);
}

TEST(Simulate, RealisedRegretIsPseudoRegretPlusTheNoise) {
  const SimulationResult noisy =
      simulate(GarlandOptions{}, kTuned, {.steps = 20'000, .runs = 4, .seed = 1}).value();
  for (const RunResult& run : noisy.runs) {
    // The mean of 20 000 draws of width 1: standard deviation 0.002.
    EXPECT_NEAR(run.per_step_regret, run.per_step_realised_regret, 0.01);
    EXPECT_NE(run.per_step_regret, run.per_step_realised_regret);
  }
  const SimulationResult exact =
      simulate(GarlandOptions{.noise_width = 0.0}, kTuned, kShort).value();
  EXPECT_NEAR(exact.per_step_regret.mean, exact.per_step_realised_regret.mean, 1e-12);
}

TEST(Simulate, CountsRefreshesAndAllSteps) {
  const SimulationResult result =
      simulate(GarlandMdpOptions{}, HctOptions{.feedback = Feedback::correlated},
               {.steps = 100'000, .runs = 2, .seed = 1})
          .value();
  EXPECT_EQ(result.refreshes.mean, 17.0) << "floor(log2 1e5) + 1";
  for (const RunResult& run : result.runs) EXPECT_EQ(run.summary.t, 100'001U);
  EXPECT_GT(result.ns_per_step, 0.0);
}

TEST(Simulate, TellsOfEveryStepAndStopsWhenAsked) {
  std::atomic<std::uint64_t> steps{0};
  std::atomic<bool> stop{false};
  const SimulationOptions options{.steps = 300'000, .runs = 3, .seed = 1};
  const Watch watch{[&](std::uint64_t done) { steps += done; }, &stop};
  EXPECT_TRUE(simulate(GarlandOptions{}, kTuned, options, watch).has_value());
  EXPECT_EQ(steps, 900'000U);
  stop = true;
  EXPECT_FALSE(simulate(GarlandOptions{}, kTuned, options, watch).has_value());
}

TEST(Simulate, RefusesWrongOptions) {
  EXPECT_THROW((void)simulate(GarlandOptions{}, HctOptions{.rho = 2.0}, kShort),
               ConfigurationError);
  EXPECT_THROW((void)simulate(GarlandMdpOptions{.beta = 0.0}, kTuned, kShort), ConfigurationError);
}

TEST(Simulate, KnowsTheEnvironmentItself) {
  const auto environment = make_environment(GarlandMdpOptions{});
  EXPECT_NEAR(environment->optimum().value, 0.9977723911610445, 1e-15);
  EXPECT_EQ(environment->space().dimension(), 1U);
}

}  // namespace
}  // namespace canopy
