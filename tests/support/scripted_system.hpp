#pragma once

#include "canopy/clock.hpp"

#include "systems/live_system.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace canopy::testing {

/// A system with one parameter x, controlled by the test, in virtual time. By default its reward is
/// x and nothing fails.
class ScriptedSystem final : public LiveSystem {
 public:
  using Measured = std::variant<Reading, SystemFailure>;

  // Hooks for the operations. They may have other effects, such as setting a flag.
  std::function<std::optional<SystemFailure>(double x)> on_apply = {};
  std::function<Measured(double x)> on_measure = {};
  std::function<std::optional<SystemFailure>(double x)> on_leave = {};

  using Observed = std::variant<std::vector<double>, SystemFailure>;
  std::function<Observed()> on_observe = {};
  bool sets_by_context = false;  ///< whether the setting must be applied again in another context

  double apply_seconds = 1.0;
  double measure_seconds = 1.0;
  bool settable = true;

  /// Every setting that was applied, including failed attempts.
  std::vector<double> applied = {};
  /// The settings applied with leave_at.
  std::vector<double> left_at = {};
  std::uint64_t measurements = 0;
  /// The current context, and all contexts so far.
  std::vector<double> context = {};
  std::vector<std::vector<double>> contexts = {};

  /// `clock` must outlive it.
  explicit ScriptedSystem(VirtualClock& clock) : clock_(clock) {}

  [[nodiscard]] bool can_be_set() const override { return settable; }

  [[nodiscard]] Observed observe() override {
    return on_observe ? on_observe() : Observed(std::vector<double>());
  }

  bool enter(Context now) override {
    const bool has_changed = !std::equal(now.begin(), now.end(), context.begin(), context.end());
    context.assign(now.begin(), now.end());
    contexts.push_back(context);
    return sets_by_context && has_changed;
  }

  [[nodiscard]] std::optional<SystemFailure> apply(Arm arm) override {
    clock_.sleep(apply_seconds);
    applied.push_back(arm[0]);
    return on_apply ? on_apply(arm[0]) : std::nullopt;
  }

  [[nodiscard]] std::variant<Reading, SystemFailure> measure(Arm arm) override {
    clock_.sleep(measure_seconds);
    ++measurements;
    return on_measure ? on_measure(arm[0]) : Measured(Reading{arm[0]});
  }

  [[nodiscard]] std::optional<SystemFailure> leave_at(Arm arm) override {
    clock_.sleep(apply_seconds);
    applied.push_back(arm[0]);
    left_at.push_back(arm[0]);
    return on_leave ? on_leave(arm[0]) : std::nullopt;
  }

 private:
  VirtualClock& clock_;
};

}  // namespace canopy::testing
