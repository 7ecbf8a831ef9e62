#include "canopy/environments.hpp"
#include "canopy/errors.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/simulation.hpp"

#include "support/drifting.hpp"
#include "support/round_robin.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

const SimulationOptions kShort{.steps = 2000, .runs = 6, .seed = 3};

const Selection kTuned{"hct", {{"nu1", 1.0}, {"rho", 0.7071}, {"confidence_scale", 0.05}}};
const Selection kGarland{"garland"};
const Selection kGarlandMdp{"garland-mdp"};

TEST(Simulate, GivesTheSameNumbersOnOneThreadAndOnMany) {
  SimulationOptions one = kShort;
  one.threads = 1;
  SimulationOptions many = kShort;
  many.threads = 4;
  for (const Selection& environment : {kGarland, kGarlandMdp}) {
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
  const SimulationResult a = simulate(kGarlandMdp, kTuned, kShort).value();
  const SimulationResult b = simulate(kGarlandMdp, kTuned, watched).value();
  for (std::size_t i = 0; i < a.runs.size(); ++i) {
    EXPECT_EQ(a.runs[i].per_step_regret, b.runs[i].per_step_regret);
    EXPECT_EQ(b.runs[i].checkpoints.size(), watched.checkpoints.size());
  }
}

TEST(Simulate, SeedsAndRunsDiffer) {
  SimulationOptions other = kShort;
  other.seed = 4;
  const SimulationResult a = simulate(kGarland, kTuned, kShort).value();
  const SimulationResult b = simulate(kGarland, kTuned, other).value();
  EXPECT_NE(a.runs[0].per_step_realised_regret, b.runs[0].per_step_realised_regret);
  EXPECT_NE(a.runs[0].per_step_realised_regret, a.runs[1].per_step_realised_regret);
}

TEST(Simulate, RealisedRegretIsPseudoRegretPlusTheNoise) {
  const SimulationResult noisy =
      simulate(kGarland, kTuned, {.steps = 20'000, .runs = 4, .seed = 1}).value();
  for (const RunResult& run : noisy.runs) {
    // The mean of 20 000 draws of width 1 has standard deviation 0.002.
    EXPECT_NEAR(run.per_step_regret, run.per_step_realised_regret, 0.01);
    EXPECT_NE(run.per_step_regret, run.per_step_realised_regret);
  }
  const SimulationResult exact =
      simulate({"garland", {{"noise_width", 0.0}}}, kTuned, kShort).value();
  EXPECT_NEAR(exact.per_step_regret.mean, exact.per_step_realised_regret.mean, 1e-12);
}

TEST(Simulate, ALevelThatMovesAddsNothingToRegret) {
  const auto regret = [](const std::string& level) {
    const Selection moving{"moving",
                           {{"optimum", "still"}, {"level", level}, {"noise_width", 0.0}}};
    return simulate(moving, {"random"}, kShort).value();
  };
  const SimulationResult still = regret("still");
  const SimulationResult jumps = regret("jumps");
  EXPECT_GT(still.per_step_regret.mean, 0.1);
  EXPECT_NEAR(jumps.per_step_regret.mean, still.per_step_regret.mean, 1e-12);
  EXPECT_NEAR(jumps.per_step_realised_regret.mean, still.per_step_regret.mean, 1e-12);
}

TEST(Simulate, TellsOfTheOptimumAtTheEndOfTheRun) {
  const Selection walking{"moving", {{"optimum", "walk"}, {"span", std::uint64_t{2000}}}};
  const SimulationResult result = simulate(walking, kTuned, kShort).value();
  EXPECT_NE(result.runs[0].optimum.arm, result.runs[1].optimum.arm) << "they walk on their own";
  EXPECT_EQ(result.runs[0].optimum.value, 1.0);
}

TEST(Simulate, CountsRefreshesAndAllSteps) {
  const SimulationResult result = simulate(kGarlandMdp, {"hct", {{"feedback", "correlated"}}},
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
  EXPECT_TRUE(simulate(kGarland, kTuned, options, watch).has_value());
  EXPECT_EQ(steps, 900'000U);
  stop = true;
  EXPECT_FALSE(simulate(kGarland, kTuned, options, watch).has_value());
}

TEST(Simulate, RefusesWrongOptions) {
  EXPECT_THROW((void)simulate({"garlnd"}, kTuned, kShort), ConfigurationError);
  EXPECT_THROW((void)simulate(kGarland, {"hvt"}, kShort), ConfigurationError);
  EXPECT_THROW((void)simulate(kGarland, {"hct", {{"rho", 2.0}}}, kShort), ConfigurationError);
  EXPECT_THROW((void)simulate({"garland-mdp", {{"beta", 0.0}}}, kTuned, kShort),
               ConfigurationError);
}

TEST(Simulate, NumbersDependOnSeedEnvironmentLabelPurposeAndNumberAlone) {
  const RunOptions plain{.steps = 500, .seed = 3};
  const auto realised = [](const Selection& environment, const Selection& optimizer,
                           const RunOptions& options) {
    return run_once(environment, optimizer, options).per_step_realised_regret;
  };
  // On a grid of one point, realised regret is the noise.
  const Selection point{"grid", {{"points", std::uint64_t{1}}}};
  const double noise = realised(kGarland, point, plain);
  RunOptions named = plain;
  named.label = "grid";
  EXPECT_EQ(realised(kGarland, point, named), noise) << "a label is its name unless it is set";
  EXPECT_EQ(realised(kGarland, {"grid", {{"points", std::uint64_t{1}}, {"confidence_scale", 3.0}}},
                     plain),
            noise)
      << "options are not in the name of a stream";
  std::vector<RunOptions> others(4, plain);
  others[0].seed = 4;
  others[1].label = "another";
  others[2].purpose = "tuning";
  others[3].number = 1;
  for (const RunOptions& other : others) {
    EXPECT_NE(realised(kGarland, point, other), noise);
  }
}

TEST(Simulate, KnowsTheEnvironmentItself) {
  const auto environment = make_environment(kGarlandMdp);
  EXPECT_NEAR(environment->optimum_at(1).value, 0.9977723911610445, 1e-15);
  EXPECT_EQ(environment->space().dimension(), 1U);
}

// --- environments and algorithms of the user's own -------------------------------------------

using testing::Drifting;
using testing::DriftingOptions;
using testing::RoundRobin;
using testing::RoundRobinOptions;

/// Adds both to the catalogues on the first call.
void add_own() {
  if (environments().find("drifting") == nullptr) {
    environments().add(environment_entry<Drifting, DriftingOptions>("drifting", "moves"));
  }
  if (optimizers().find("round-robin") == nullptr) {
    optimizers().add(optimizer_entry<RoundRobin, RoundRobinOptions>("round-robin", "goes round"));
  }
}

TEST(Simulate, ADriftingEnvironmentIsJudgedByTheOptimumOfEachStep) {
  add_own();
  const Drifting judge;
  for (const Selection& optimizer :
       {Selection{"hct"}, Selection{"hct", {{"feedback", "correlated"}}}, Selection{"random"},
        Selection{"power"}, Selection{"round-robin"}}) {
    RunOptions options{.steps = 10'000, .seed = 5, .checkpoints = {1, 10, 777, 5'000}};
    const RunResult run = run_once({"drifting"}, optimizer, options);
    const std::vector<Drifting::Note>& notes = Drifting::notes();
    ASSERT_EQ(notes.size(), options.steps);
    double regret = 0.0;
    double realised = 0.0;
    std::size_t passed = 0;
    for (std::uint64_t t = 1; t <= options.steps; ++t) {
      const auto [arm, reward] = notes[t - 1];
      const double best = judge.optimum_at(t).value;
      regret += best - judge.mean_reward_at({&arm, 1}, t);
      realised += best - reward;
      if (passed == run.checkpoints.size() || run.checkpoints[passed].steps != t) continue;
      const auto n = static_cast<double>(t);
      EXPECT_NEAR(run.checkpoints[passed].per_step_regret, regret / n, 1e-10) << "t " << t;
      EXPECT_NEAR(run.checkpoints[passed].per_step_realised_regret, realised / n, 1e-10);
      ++passed;
    }
    EXPECT_EQ(passed, 4U) << optimizer.name;
    EXPECT_NEAR(run.per_step_regret, regret / 1e4, 1e-10) << optimizer.name;
    EXPECT_NEAR(run.per_step_realised_regret, realised / 1e4, 1e-10) << optimizer.name;
    EXPECT_NEAR(run.simple_regret,
                judge.optimum_at(10'000).value - judge.mean_reward_at(run.best_arm, 10'000), 1e-12)
        << optimizer.name;
    EXPECT_GT(run.per_step_regret, 0.0);
  }
}

TEST(Simulate, WhatStandsStillIsJudgedAsWhatDrifts) {
  add_own();
  const RunOptions options{.steps = 3'000, .seed = 5};
  const RunResult run = run_once({"drifting", {{"speed", 0.0}}}, {"hct"}, options);
  double regret = 0.0;  // the hill is at 0 for ever
  for (const Drifting::Note& note : Drifting::notes()) regret += 0.5 * note.arm;
  EXPECT_NEAR(run.per_step_regret, regret / 3'000.0, 1e-12);
}

TEST(Simulate, AnAlgorithmOfTheUsersOwnIsPlayedAsAnyOther) {
  add_own();
  const Selection round_robin{"round-robin", {{"points", std::uint64_t{10}}}};
  const SimulationResult result = simulate(kGarland, round_robin, kShort).value();
  ASSERT_EQ(result.runs.size(), 6U);
  const auto garland = make_environment(kGarland);
  double mean = 0.0;
  for (int i = 0; i < 10; ++i) {
    mean += garland->mean_reward_at(std::vector{(i + 0.5) / 10.0}, 1) / 10.0;
  }
  EXPECT_NEAR(result.per_step_regret.mean, garland->optimum_at(1).value - mean, 1e-9);
  for (const RunResult& run : result.runs) {
    EXPECT_EQ(run.summary.t, 2'001U);
    EXPECT_EQ(run.summary.switches, 2'000U);
  }
  EXPECT_THROW((void)simulate(kGarland, {"round-robin", {{"points", 0.5}}}, kShort),
               ConfigurationError);
}

TEST(Simulate, AnEnvironmentOfTheCallersOwnIsPlayedUnderItsName) {
  const RunOptions options{.steps = 2'000, .seed = 3, .label = "tree", .number = 2};
  const auto garland = make_environment(kGarland);
  for (const Selection& optimizer : {kTuned, Selection{"random"}}) {
    const RunResult a = run_once(kGarland, optimizer, options);
    const RunResult b = run_once(*garland, "garland", optimizer, options);
    EXPECT_EQ(a.per_step_realised_regret, b.per_step_realised_regret);
    EXPECT_EQ(a.best_arm, b.best_arm);
    const RunResult other = run_once(*garland, "another name", optimizer, options);
    EXPECT_NE(a.per_step_realised_regret, other.per_step_realised_regret);
  }
}

/// Plays one arm, three pulls at a time, and recommends another.
class Stubborn final : public Player {
 public:
  Pull ask(std::uint64_t pulls) override {
    return {++ticket_, arm_, std::min<std::uint64_t>(pulls, 3)};
  }
  Status tell(Ticket ticket, double reward) override {
    EXPECT_EQ(ticket, ticket_);
    sum_ += reward;
    ++pulls_;
    return Status::ok;
  }
  [[nodiscard]] std::optional<Best> best() const override { return Best{.arm = {0.5}}; }
  [[nodiscard]] Summary summary() const override { return {.t = pulls_ + 1}; }

  [[nodiscard]] double sum() const { return sum_; }

 private:
  std::vector<double> arm_{0.25};
  Ticket ticket_ = 0;
  std::uint64_t pulls_ = 0;
  double sum_ = 0.0;
};

TEST(Simulate, APlayerIsJudgedByItsArmsItsRewardsAndItsBest) {
  const auto garland = make_environment(kGarland);
  std::vector<std::uint64_t> seeds;
  Stubborn* playing = nullptr;
  double sum = 0.0;
  const MakePlayer make = [&](std::uint64_t seed) {
    seeds.push_back(seed);
    auto player = std::make_unique<Stubborn>();
    playing = player.get();
    return player;
  };
  const Watch watch{[&](std::uint64_t /*steps*/) { sum = playing->sum(); }};
  for (std::uint64_t number = 0; number < 2; ++number) {
    const RunOptions options{.steps = 1'000, .label = "own", .number = number, .checkpoints = {10}};
    const RunResult run = run_once(*garland, "garland", make, options, watch);
    const double best = garland->optimum_at(1).value;
    const auto f = [&](double x) { return garland->mean_reward_at(std::vector{x}, 1); };
    EXPECT_NEAR(run.per_step_regret, best - f(0.25), 1e-9);
    EXPECT_NEAR(run.per_step_realised_regret, best - sum / 1'000.0, 1e-9);
    EXPECT_NEAR(run.simple_regret, best - f(0.5), 1e-12);
    EXPECT_EQ(run.summary.t, 1'001U);
    ASSERT_EQ(run.checkpoints.size(), 1U);
    EXPECT_NEAR(run.checkpoints[0].per_step_regret, best - f(0.25), 1e-9);
  }
  EXPECT_NE(seeds.at(0), seeds.at(1));
}

// --- contexts ------------------------------------------------------------------------------------

const Selection kContextual{"contextual", {{"noise", "gaussian"}, {"noise_width", 0.1}}};

/// Plays the best arm of the context, plus an offset, and records contexts.
class Informed final : public Player {
 public:
  Informed(const ContextualEnvironment& environment, double offset)
      : environment_(environment), offset_(offset) {}

  Pull ask(std::uint64_t /*pulls*/) override {
    ADD_FAILURE() << "ask_in must be called instead";
    return {};
  }
  Pull ask_in(Context context, std::uint64_t pulls) override {
    contexts_.emplace_back(context.begin(), context.end());
    arm_ = environment_.optimum_in(context).arm;
    arm_[0] -= offset_;
    return {++ticket_, arm_, std::min<std::uint64_t>(pulls, 1)};
  }
  Status tell(Ticket /*ticket*/, double reward) override {
    rewards_ += reward;
    return Status::ok;
  }
  [[nodiscard]] std::optional<Best> best() const override { return Best{.arm = {0.5}}; }
  [[nodiscard]] std::optional<Best> best_in(Context context) const override {
    return Best{.arm = environment_.optimum_in(context).arm};
  }
  [[nodiscard]] Summary summary() const override { return {.t = ticket_ + 1}; }

  [[nodiscard]] const std::vector<std::vector<double>>& contexts() const { return contexts_; }

 private:
  const ContextualEnvironment& environment_;
  double offset_;
  std::vector<double> arm_;
  Ticket ticket_ = 0;
  double rewards_ = 0.0;
  std::vector<std::vector<double>> contexts_;
};

TEST(SimulateInContexts, TheContextOfAPullIsToldBeforeIt) {
  const auto made = make_environment({"contextual", {{"problem", "line"}, {"noise_width", 0.0}}});
  auto& environment = dynamic_cast<ContextualEnvironment&>(*made);
  Informed* playing = nullptr;
  std::vector<std::vector<double>> contexts;
  const MakePlayer make = [&](std::uint64_t /*seed*/) {
    auto player = std::make_unique<Informed>(environment, 0.1);
    playing = player.get();
    return player;
  };
  const Watch watch{[&](std::uint64_t /*steps*/) { contexts = playing->contexts(); }};
  const RunResult run =
      run_once(environment, "contextual", make, {.steps = 500, .label = "informed"}, watch);
  ASSERT_EQ(contexts.size(), 500U);
  for (std::uint64_t t = 1; t <= 500; ++t) {
    EXPECT_EQ(contexts[t - 1], environment.context_at(t)) << "that of this run";
  }
  EXPECT_NEAR(run.per_step_regret, 1.2 * 0.01, 1e-9) << "0.1 from the best arm of every context";
  EXPECT_NEAR(run.per_step_realised_regret, 1.2 * 0.01, 1e-9);
  EXPECT_NEAR(run.simple_regret, 0.0, 1e-12) << "it recommends the best arm of every context";
  EXPECT_EQ(run.context, environment.context_at(500));
  EXPECT_EQ(run.best_arm, environment.optimum_at(500).arm);
  EXPECT_EQ(run.best_arm_mean, 0.9);
}

TEST(SimulateInContexts, AnOptimizerThatSeesTheContextLosesLess) {
  const SimulationOptions options{.steps = 2'000, .runs = 4, .seed = 3};
  SimulationOptions ignoring = options;
  ignoring.ignore_context = true;
  for (const Selection& optimizer :
       {Selection{"adaptive"}, Selection{"grid", {{"points", std::uint64_t{8}}}},
        Selection{"lin-ucb"}}) {
    const SimulationResult with = simulate(kContextual, optimizer, options).value();
    const SimulationResult without = simulate(kContextual, optimizer, ignoring).value();
    EXPECT_LT(with.per_step_regret.mean, 0.6 * without.per_step_regret.mean) << optimizer.name;
    EXPECT_LT(with.simple_regret.mean, 0.6 * without.simple_regret.mean) << optimizer.name;
  }
}

TEST(SimulateInContexts, AnOptimizerThatTakesNoContextPlaysWithoutIt) {
  SimulationOptions ignoring = kShort;
  ignoring.ignore_context = true;
  for (const char* name : {"hct", "thoo", "random"}) {
    const SimulationResult one = simulate(kContextual, {name}, kShort).value();
    const SimulationResult other = simulate(kContextual, {name}, ignoring).value();
    EXPECT_EQ(one.runs[0].per_step_regret, other.runs[0].per_step_regret) << name;
  }
  const auto environment = make_environment(kContextual);
  EXPECT_TRUE(contexts_shown(*environment, "hct", false).empty());
  EXPECT_TRUE(contexts_shown(*environment, "adaptive", true).empty());
  EXPECT_EQ(contexts_shown(*environment, "adaptive", false), environment->contexts());
}

TEST(SimulateInContexts, GivesTheSameNumbersAgainAndHoweverOftenARunIsLookedAt) {
  SimulationOptions watched = kShort;
  for (std::uint64_t steps = 1; steps <= watched.steps; steps += 7) {
    watched.checkpoints.push_back(steps);
  }
  const SimulationResult a = simulate(kContextual, {"adaptive"}, kShort).value();
  const SimulationResult b = simulate(kContextual, {"adaptive"}, watched).value();
  for (std::size_t i = 0; i < a.runs.size(); ++i) {
    EXPECT_NEAR(a.runs[i].per_step_regret, b.runs[i].per_step_regret, 1e-12);
    EXPECT_EQ(a.runs[i].best_arm, b.runs[i].best_arm);
  }
}

}  // namespace
}  // namespace canopy
