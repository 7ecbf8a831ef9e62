#pragma once

#include "canopy/study.hpp"

#include "systems/live_system.hpp"
#include "tuning/tune_progress.hpp"
#include "tuning/tuner_state.hpp"

#include <cstdint>
#include <optional>

namespace canopy {

/// Keeps the state of a running tuner apart from the system: commands from users, signals, the time
/// used, and the reason to end. It also reports the progress.
class TunerMonitor {
 public:
  using Phase = TuneProgress::Phase;

  /// All arguments must outlive this object.
  TunerMonitor(Study& study, const TunerSignals& signals, OnProgress on_progress);

  /// Reads and accepts posted commands (Mailbox::post_command), at most once a second.
  void poll_commands();
  /// Reads all commands again, after the study was reloaded.
  void reread_commands() { commands_seen_ = 0; }

  /// Sets the reason to end.
  void end(TuneEnd end) { end_ = std::move(end); }
  /// The reason to end; `early_end_reason` ignores the budget.
  [[nodiscard]] std::optional<TuneEnd> early_end_reason() const;
  [[nodiscard]] std::optional<TuneEnd> end_reason() const;

  /// The pause, hold or baseline command in force, if any.
  [[nodiscard]] std::optional<RunnerCommand> pause_command() const;
  /// Whether to interrupt the work, for a pause or the end.
  [[nodiscard]] bool is_interrupted() const { return early_end_reason() || pause_command(); }
  [[nodiscard]] bool is_stopped() const { return signals_.stop; }

  /// Sleeps, while checking signals and reporting progress. Returns false if there is a reason to
  /// end, before or after the sleep.
  [[nodiscard]] bool sleep(double seconds);

  /// Reports the progress, with the given phase.
  void report(Phase phase);
  void set_phase(Phase phase) { progress_.phase = phase; }
  void note_setting(std::string setting) { progress_.setting = std::move(setting); }
  void note_context(Context context) { progress_.context.assign(context.begin(), context.end()); }
  void note_failure(const SystemFailure& failure) {
    progress_.failure = failure.what;
    errors_ = failure.errors;
    has_timed_out_ = failure.has_timed_out;
  }
  void note_reward(double reward) { progress_.reward = reward; }
  [[nodiscard]] const std::string& failure() const { return progress_.failure; }
  /// The standard error of the command that failed last, and whether it timed out.
  [[nodiscard]] const std::string& errors() const { return errors_; }
  [[nodiscard]] bool has_timed_out() const { return has_timed_out_; }

  // The tuning time, excluding pauses.
  void start_clock();
  void stop_clock();  ///< at the beginning of a pause
  [[nodiscard]] double seconds() const;
  /// The number of rewards, including those that are held back.
  [[nodiscard]] std::uint64_t pulls() const;

 private:
  void take(const PostedCommand& posted);
  [[nodiscard]] const TunerState& state() const { return tuner_state_of(study_); }

  Study& study_;
  TunerSignals signals_;
  OnProgress on_progress_;
  TuneProgress progress_;
  std::string errors_;  // of the last failure
  bool has_timed_out_ = false;
  std::optional<TuneEnd> end_;
  bool clock_runs_ = false;
  double earlier_seconds_ = 0.0;
  double started_ = 0.0;
  double next_look_ = 0.0;
  std::uint64_t commands_seen_ = 0;  // includes invalid ones
};

}  // namespace canopy
