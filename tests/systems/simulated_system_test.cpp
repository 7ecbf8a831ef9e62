#include "systems/simulated_system.hpp"

#include "support/slope.hpp"

#include <cmath>
#include <cstdint>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// A system with reward x in [0, 1] and the given options.
class SimulatedSystemTest : public ::testing::Test {
 protected:
  SimulatedSystemTest() { std::cout << "seed " << seed_ << "\n"; }

  [[nodiscard]] SimulatedSystem system_with(SimulatedOptions options = {}) {
    return {environment_, clock_, random_, std::move(options)};
  }

  /// The error of a change of setting; empty if none.
  static std::string apply(SimulatedSystem& system, double x) {
    const std::optional<SystemFailure> failure = system.apply({&x, 1});
    return failure ? failure->what : "";
  }

  static Reading measure(SimulatedSystem& system, double x) {
    const auto result = system.measure({&x, 1});
    const auto* reading = std::get_if<Reading>(&result);
    EXPECT_NE(reading, nullptr) << std::get<SystemFailure>(result).what;
    return reading != nullptr ? *reading : Reading{};
  }

  /// The error of a measurement; empty if none.
  static std::string failure_at(SimulatedSystem& system, double x) {
    const auto result = system.measure({&x, 1});
    const auto* failure = std::get_if<SystemFailure>(&result);
    return failure != nullptr ? failure->what : "";
  }

  [[nodiscard]] double now() const { return clock_.steady_time(); }

  static constexpr const char* kIsDown = "measure: the simulated system is down";

  std::uint64_t seed_ = std::random_device{}();
  testing::Slope environment_;
  VirtualClock clock_;
  RandomStream random_{{.seed = seed_}};
};

TEST_F(SimulatedSystemTest, IsSetAndMeasuredInTheTimeOfItsClock) {
  SimulatedSystem system = system_with({.apply_seconds = 2.0, .measure_seconds = 5.0});
  EXPECT_TRUE(system.can_be_set());
  EXPECT_TRUE(system.setting().empty());
  EXPECT_EQ(now(), 0.0);
  EXPECT_EQ(apply(system, 0.25), "");
  EXPECT_EQ(system.setting(), std::vector{0.25});
  EXPECT_EQ(now(), 2.0);
  EXPECT_EQ(measure(system, 0.25).reward, 0.25);
  EXPECT_TRUE(measure(system, 0.25).metrics.empty());
  EXPECT_EQ(now(), 12.0);
  EXPECT_EQ(system.measurements(), 2U);
}

TEST_F(SimulatedSystemTest, IsLeftWithASetting) {
  SimulatedSystem system = system_with();
  const double x = 0.5;
  EXPECT_FALSE(system.leave_at({&x, 1}));
  EXPECT_EQ(system.setting(), std::vector{0.5});
}

TEST_F(SimulatedSystemTest, SettlesByAFactorWithEveryPull) {
  SimulatedSystem system = system_with({.fade = 0.5});
  (void)apply(system, 0.0);
  EXPECT_EQ(measure(system, 0.0).reward, 0.0) << "there was no setting before";
  (void)apply(system, 1.0);
  EXPECT_EQ(measure(system, 1.0).reward, 0.5);
  EXPECT_EQ(measure(system, 1.0).reward, 0.75);
  (void)apply(system, 0.0);  // before it has settled from 0.75
  EXPECT_EQ(measure(system, 0.0).reward, 0.375);
  (void)apply(system, 0.0);
  EXPECT_EQ(measure(system, 0.0).reward, 0.1875) << "the same setting is no change";
}

TEST_F(SimulatedSystemTest, SettlesAtOnceUnlessAskedTo) {
  SimulatedSystem system = system_with();
  (void)apply(system, 0.0);
  (void)apply(system, 1.0);
  EXPECT_EQ(measure(system, 1.0).reward, 1.0);
}

TEST_F(SimulatedSystemTest, CannotBearSomeSettings) {
  SimulatedSystem system = system_with({.fails_at = [](Arm arm) { return arm[0] > 0.5; }});
  EXPECT_EQ(apply(system, 0.75), "") << "only measuring shows it";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(failure_at(system, 0.75), "measure: the simulated system fails at this setting");
  }
  EXPECT_EQ(now(), 4.0);
  (void)apply(system, 0.5);
  EXPECT_EQ(measure(system, 0.5).reward, 0.5);
}

TEST_F(SimulatedSystemTest, FailsNowAndThen) {
  SimulatedSystem system = system_with({.failure_rate = 0.2});
  (void)apply(system, 0.5);
  constexpr int kPulls = 10'000;
  int failures = 0;
  for (int i = 0; i < kPulls; ++i) {
    const std::string failure = failure_at(system, 0.5);
    if (failure.empty()) continue;
    EXPECT_EQ(failure, "measure: simulated failure");
    ++failures;
  }
  EXPECT_NEAR(failures, 0.2 * kPulls, 7.0 * std::sqrt(0.2 * 0.8 * kPulls));
  EXPECT_EQ(now(), 1.0 + kPulls);
}

TEST_F(SimulatedSystemTest, AHangTakesAsLongAsItIsWaitedFor) {
  SimulatedSystem system = system_with({.timeout_seconds = 30.0, .hang_rate = 1.0});
  (void)apply(system, 0.5);
  EXPECT_EQ(failure_at(system, 0.5), "measure: took too long");
  EXPECT_EQ(now(), 31.0);
}

TEST_F(SimulatedSystemTest, HangsNowAndThen) {
  SimulatedSystem system = system_with({.timeout_seconds = 11.0, .hang_rate = 0.1});
  (void)apply(system, 0.5);
  constexpr int kPulls = 10'000;
  for (int i = 0; i < kPulls; ++i) (void)failure_at(system, 0.5);
  const double hangs = (now() - 1.0 - kPulls) / 10.0;
  EXPECT_NEAR(hangs, 0.1 * kPulls, 7.0 * std::sqrt(0.1 * 0.9 * kPulls));
}

TEST_F(SimulatedSystemTest, AnOutageHitsEverythingUntilItIsOver) {
  SimulatedSystem system = system_with({.outage_rate = 0.1, .outage_seconds = 600.0});
  (void)apply(system, 0.25);
  std::string failure;
  while ((failure = failure_at(system, 0.25)).empty()) ASSERT_LT(system.measurements(), 10'000U);
  EXPECT_EQ(failure, kIsDown);
  const double until = now() - 1.0 + 600.0;  // the outage began with the measurement
  EXPECT_EQ(apply(system, 0.75), "apply: the simulated system is down");
  EXPECT_EQ(system.setting(), std::vector{0.25});
  clock_.sleep(until - now() - 1.5);
  EXPECT_NE(apply(system, 0.75), "") << "half a second before it is back";
  EXPECT_EQ(apply(system, 0.75), "");
  EXPECT_EQ(system.setting(), std::vector{0.75});
}

TEST_F(SimulatedSystemTest, AnOutageIsSeenByEveryMeasurement) {
  SimulatedSystem system = system_with({.outage_rate = 1.0, .outage_seconds = 600.0});
  (void)apply(system, 0.25);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(failure_at(system, 0.25), kIsDown);
  EXPECT_EQ(now(), 6.0);
}

TEST_F(SimulatedSystemTest, ReportsMetricsAroundTheirMeans) {
  SimulatedSystem system = system_with({.metrics = {
                                            {"p99_ms", [](Arm arm) { return 100.0 * arm[0]; }},
                                            {"load", [](Arm) { return 3.0; }, 0.5},
                                        }});
  (void)apply(system, 0.25);
  constexpr int kPulls = 10'000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < kPulls; ++i) {
    const Reading reading = measure(system, 0.25);
    ASSERT_EQ(reading.metrics.size(), 2U);
    ASSERT_EQ(reading.metrics.at("p99_ms"), 25.0);
    const double load = reading.metrics.at("load") - 3.0;
    sum += load;
    squares += load * load;
  }
  EXPECT_NEAR(sum / kPulls, 0.0, 7.0 * 0.5 / std::sqrt(kPulls));
  EXPECT_NEAR(std::sqrt(squares / kPulls), 0.5, 7.0 * 0.5 / std::sqrt(2.0 * kPulls));
}

TEST_F(SimulatedSystemTest, RegretIsWhatTheMeansOfAllThatWasMeasuredLackToTheBest) {
  SimulatedSystem system =
      system_with({.fade = 0.9, .fails_at = [](Arm arm) { return arm[0] == 0.25; }});
  EXPECT_EQ(system.regret(), 0.0);
  (void)apply(system, 1.0);
  EXPECT_EQ(system.regret(), 0.0) << "settings cost nothing until they are measured";
  (void)measure(system, 1.0);
  EXPECT_EQ(system.regret(), 0.0);
  (void)apply(system, 0.5);
  (void)measure(system, 0.5);
  EXPECT_EQ(system.regret(), 0.5) << "of the setting itself, however slowly it settles";
  (void)apply(system, 0.25);
  (void)failure_at(system, 0.25);
  EXPECT_EQ(system.regret(), 1.25) << "failures count";
}

/// The reward is x if the context is 1, else -x; the context changes with every pull.
class Alternating final : public ContextualEnvironment {
 public:
  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] const ContextSpace& contexts() const override { return contexts_; }
  [[nodiscard]] std::vector<double> context_at(std::uint64_t t) const override {
    return {static_cast<double>(t % 2)};
  }
  [[nodiscard]] double mean_reward_in(Context context, Arm arm) const override {
    return context[0] == 1.0 ? arm[0] : -arm[0];
  }
  [[nodiscard]] Optimum optimum_in(Context context) const override {
    return context[0] == 1.0 ? Optimum{{1.0}, 1.0} : Optimum{{0.0}, 0.0};
  }
  void start(RandomStream& /*random*/) override { t_ = 0; }
  double pull(Arm arm, RandomStream& /*random*/) override { return mean_reward_at(arm, ++t_); }

 private:
  Space space_{{"x", Real{0.0, 1.0}}};
  ContextSpace contexts_{{{"side", Integer{0, 1}}}};
  std::uint64_t t_ = 0;
};

TEST_F(SimulatedSystemTest, ObservesTheContextInWhichItIsMeasuredNext) {
  Alternating environment;
  SimulatedSystem system(environment, clock_, random_, {.observe_seconds = 3.0});
  for (const double side : {1.0, 0.0, 1.0, 0.0}) {
    const auto observed = system.observe();
    EXPECT_EQ(std::get<std::vector<double>>(observed), std::vector{side});
    (void)apply(system, 0.5);
    EXPECT_EQ(measure(system, 0.5).reward, side == 1.0 ? 0.5 : -0.5);
  }
  EXPECT_EQ(system.regret(), 4 * 0.5);
  EXPECT_EQ(now(), 4 * (3.0 + 1.0 + 1.0));
}

TEST_F(SimulatedSystemTest, StaysInAContextUntilAPullSucceeds) {
  Alternating environment;
  SimulatedSystem system(environment, clock_, random_,
                         {.fails_at = [](Arm arm) { return arm[0] > 0.9; }});
  (void)apply(system, 1.0);
  EXPECT_NE(failure_at(system, 1.0), "");
  EXPECT_EQ(std::get<std::vector<double>>(system.observe()), std::vector{1.0});
  (void)apply(system, 0.5);
  EXPECT_EQ(measure(system, 0.5).reward, 0.5);
  EXPECT_EQ(std::get<std::vector<double>>(system.observe()), std::vector{0.0});
}

TEST_F(SimulatedSystemTest, CannotAlwaysBeObserved) {
  SimulatedSystem system = system_with({.blind_rate = 1.0});
  EXPECT_EQ(std::get<SystemFailure>(system.observe()).what, "context: simulated failure");
}

}  // namespace
}  // namespace canopy
