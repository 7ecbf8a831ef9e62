#pragma once

#include "canopy/study.hpp"

#include "systems/live_system.hpp"
#include "tuning/tune_progress.hpp"
#include "tuning/tuner_state.hpp"

#include <cstdint>
#include <optional>

namespace canopy {

/// What a tuner keeps an eye on while it works and while it waits: what people want of it, the
/// signals, the time it has taken, and whether something has ended it. It says how far it is.
class Lookout {
 public:
  using Phase = TuneProgress::Phase;

  /// All must outlive it.
  Lookout(Study& study, const TunerSignals& signals, OnProgress on_progress);

  /// Takes note of what people want (Mailbox::post_command), at most once a second.
  void look();
  /// Looks at everything from the start again: the study was read anew.
  void start_over() { commands_seen_ = 0; }

  /// Something that ends the tuning.
  void end(TuneEnd end) { end_ = std::move(end); }
  /// Why it ends, if it does, whatever is left of the budget; or with the budget.
  [[nodiscard]] std::optional<TuneEnd> over_early() const;
  [[nodiscard]] std::optional<TuneEnd> over() const;

  /// The command that pauses the search, while one is in force.
  [[nodiscard]] std::optional<RunnerCommand> wanted_wait() const;
  /// Whether to leave the work as it is, for a pause or the end.
  [[nodiscard]] bool is_called_away() const { return over_early() || wanted_wait(); }
  [[nodiscard]] bool is_stopped() const { return signals_.stop; }

  /// Sleeps so long, looking and reporting now and then. False if there was no reason to go on, at
  /// the end or before.
  [[nodiscard]] bool sleep(double seconds);

  /// What is done now, for people; and what is known of the system.
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
  /// What its command has written to its standard error, and whether it took too long.
  [[nodiscard]] const std::string& errors() const { return errors_; }
  [[nodiscard]] bool has_timed_out() const { return has_timed_out_; }

  // The time of tuning, without pauses.
  void start_clock();
  void stop_clock();  ///< for a pause
  [[nodiscard]] double seconds() const;
  /// Rewards, those that are held back included.
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
  std::uint64_t commands_seen_ = 0;  // those included that could not be understood
};

}  // namespace canopy
