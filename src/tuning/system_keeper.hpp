#pragma once

#include "canopy/study.hpp"

#include "systems/live_system.hpp"
#include "tuning/tuner_monitor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// Sets and measures the system with the retries, warm-up and fallback that the study specifies.
/// Each step is in the journal before the next one begins.
class SystemKeeper {
 public:
  enum class Outcome {
    done,
    failed,   ///< after all retries; see TunerMonitor::failure
    stopped,  ///< interrupted: see TunerMonitor
  };

  /// All arguments must outlive this object.
  SystemKeeper(Study& study, LiveSystem& system, TunerMonitor& monitor);

  [[nodiscard]] bool can_be_set() const { return system_.can_be_set(); }

  /// The current setting of the system; empty if unknown.
  [[nodiscard]] const std::vector<double>& setting() const { return setting_; }

  /// Another process may have changed the setting.
  void forget_setting() { setting_.clear(); }

  /// Observes the context before a setting is chosen. Retries with growing pauses for up to
  /// `outage_seconds`; then tuning ends.
  [[nodiscard]] Outcome observe(std::vector<double>& into);

  /// Sets the context in which settings are applied and measured from now on.
  void enter(Context context);
  /// Enters the context that was observed last, by this tuner or an earlier one, if any.
  void return_to_context();

  /// Waits until `max_changes_per_hour` allows the change to a setting.
  void wait_until_change_is_allowed(Arm arm);

  /// Applies a setting and waits for the system to settle.
  [[nodiscard]] Outcome set(Arm arm, Ticket ticket);

  /// Measures one pull of the current setting and records its metrics.
  [[nodiscard]] Outcome measure(Ticket ticket, Reading& into);

  /// Applies and measures a setting without a ticket: the baseline, for example.
  [[nodiscard]] Outcome measure_at(const std::vector<double>& arm, Reading& into);

  /// The result of returning to a setting that is known to work.
  enum class Return {
    works,
    works_again,  ///< after some retries
    down,         ///< for longer than the study allows, which ends tuning
    stopped,
  };
  /// Applies and measures the setting. While that fails, the system is considered down, and it is
  /// retried with growing pauses.
  [[nodiscard]] Return return_to(const std::vector<double>& arm);
  /// Returns to the first of these settings that works.
  [[nodiscard]] Return return_to(const std::vector<std::vector<double>>& arms);

  /// Applies a setting even after a stop signal. Returns the failure, if any.
  [[nodiscard]] std::optional<SystemFailure> leave_at(const std::vector<double>& arm);

  /// Records that an arm failed for a reason other than its commands.
  void fail_for_good(Ticket ticket, const std::string& what) {
    note_failure(ticket, {.what = what}, true);
  }

  /// Whether any measurement has ever succeeded.
  [[nodiscard]] bool has_ever_worked() const { return !state().good_settings().empty(); }

  /// A message if canopy was killed too many times in a row at the current setting, else empty.
  [[nodiscard]] std::string crash_text() const;

 private:
  template <class Try>
  [[nodiscard]] Outcome attempt(Ticket ticket, int retries, Try&& try_once);
  [[nodiscard]] Outcome set_and_probe(const std::vector<double>& arm);
  [[nodiscard]] Outcome set_and_probe(const std::vector<std::vector<double>>& arms);
  [[nodiscard]] Outcome measure_with_retries(Ticket ticket, Reading& into);
  [[nodiscard]] std::uint64_t warmup_to(Ticket ticket) const;
  void has_setting(Arm arm, Ticket ticket);
  void note_failure(Ticket ticket, const SystemFailure& failure, bool for_good);
  [[nodiscard]] int retries() const;
  [[nodiscard]] const TunerState& state() const { return tuner_state_of(study_); }

  Study& study_;
  const SystemSpecification& specification_;
  const SystemOptions& options_;
  std::uint64_t
      settle_;  // pulls that the system takes to settle, according to the optimizer's options
  bool settles_by_distance_;
  LiveSystem& system_;
  TunerMonitor& monitor_;
  std::vector<double> setting_;
};

}  // namespace canopy
