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

/// A system of one parameter x that does what a test says, in the time of a virtual clock. Its
/// reward is x, and nothing fails, unless a test says otherwise.
class ScriptedSystem final : public LiveSystem {
 public:
  using Measured = std::variant<Reading, SystemFailure>;

  // What comes of a setting. They may do anything else as well: raise a flag, say.
  std::function<std::optional<SystemFailure>(double x)> on_apply = {};
  std::function<Measured(double x)> on_measure = {};
  std::function<std::optional<SystemFailure>(double x)> on_leave = {};

  using Observed = std::variant<std::vector<double>, SystemFailure>;
  std::function<Observed()> on_observe = {};
  bool sets_by_context = false;  ///< whether a setting has to be given again in another context

  double apply_seconds = 1.0;
  double measure_seconds = 1.0;
  bool settable = true;

  /// Every setting that it was to be given, those that failed included.
  std::vector<double> applied = {};
  /// Those of them that it was to keep.
  std::vector<double> left_at = {};
  std::uint64_t measurements = 0;
  /// That it is in; and all of them.
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
