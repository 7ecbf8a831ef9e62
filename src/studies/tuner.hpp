#pragma once

#include "canopy/study.hpp"

#include "studies/exit_choice.hpp"
#include "studies/system_keeper.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace canopy {

/// Pulls of a comparison, where nobody says how many.
inline constexpr std::uint64_t kConfirmPulls = 100;

/// Where the tuning is.
struct TuneProgress {
  /// What the tuner is doing.
  enum class Phase { searching, baseline, waiting, down, paused, confirming };

  Phase phase = Phase::searching;
  double seconds = 0.0;  ///< of tuning, earlier runs included
  std::uint64_t pulls = 0;
  std::uint64_t changes = 0;                    ///< of the setting
  std::uint64_t failures = 0;                   ///< pulls that failed
  std::string setting = {};                     ///< that the system has now
  std::string failure = {};                     ///< the last one, if any
  std::optional<double> reward = std::nullopt;  ///< the last one that was measured
  std::optional<Act> order = std::nullopt;      ///< that people gave and that is being obeyed
  std::string ordered_by = {};
};

template <>
struct EnumNames<TuneProgress::Phase> {
  static constexpr std::array<std::string_view, 6> names{"searching", "baseline", "waiting",
                                                         "down",      "paused",   "confirming"};
};

/// Thrown when tuning cannot continue; the message says what state the system is in.
class TuneError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Why the tuning ended.
struct TuneEnd {
  enum class Why { budget, interrupted, failure, floor };

  Why why = Why::budget;
  std::string text;          ///< for people
  std::string setting = {};  ///< that the system was left with; empty: the one it had
  std::string left_at = {};  ///< what that is, and why it was chosen
  std::string verdict = {};  ///< of the comparison with the baseline, if there was one
  std::uint64_t pulls = 0;   ///< rewards, those that are held back included
};

/// What a tuner looks at while it works; a signal may raise both.
struct TunerSignals {
  const std::atomic<bool>& stop;
  const std::atomic<bool>* pause = nullptr;  ///< waits at the best-known setting as long as it is
};

/// Tunes a live system: sets it, measures it, tells the study, one pull after the other. Everything
/// that happens is in the journal before the next thing is begun, so that the next tuner continues
/// where one was killed: the same ticket, the same arm, applied and warmed up again. What a tuner
/// knows of the past is the study's TunerState, which follows from the journal.
///
/// An arm that fails is penalized and the system goes back to a setting that works. If that fails
/// as well, it is the system that is down: nothing is learnt until it is back.
///
/// What people want of it (Store::post_act) it looks up about once a second, notes, and obeys. That
/// follows from the journal as well: who was paused is still paused after a restart.
class Tuner {
 public:
  /// The study must have a system and outlive the tuner.
  Tuner(Study& study, const TunerSignals& signals,
        std::function<void(const TuneProgress&)> on_progress);

  /// Throws TuneError when the journal cannot be written, or the like; the system is then left with
  /// the baseline, where there is one.
  [[nodiscard]] TuneEnd run();

  /// Compares the best arm with the baseline, or goes on with that, for at most so many pulls; the
  /// study must have a baseline. Throws as `run` does.
  [[nodiscard]] TuneEnd confirm(std::uint64_t pulls);

 private:
  using Outcome = SystemKeeper::Outcome;
  using Phase = TuneProgress::Phase;

  [[nodiscard]] TuneEnd safely(const std::function<TuneEnd()>& work);
  [[nodiscard]] TuneEnd going_on(const std::function<TuneEnd()>& work);
  void resume();
  void find_pull();
  void blame_deadly_arm();
  [[nodiscard]] TuneEnd search();
  [[nodiscard]] std::string put_baseline_back();
  [[nodiscard]] std::optional<TuneEnd> over() const;
  [[nodiscard]] std::optional<TuneEnd> over_early() const;

  void step();
  [[nodiscard]] bool is_in_visit() const;
  void wait_until_it_may_change(Arm arm);
  [[nodiscard]] std::uint64_t warmup_to(Ticket ticket) const;
  void measure_baseline();
  [[nodiscard]] bool baseline_is_due() const;

  void stop_or_blame();
  void arm_failed();
  [[nodiscard]] bool go_back(const std::vector<double>& arm);
  [[nodiscard]] std::optional<std::vector<double>> setting_that_works() const;
  void penalize();
  [[nodiscard]] std::optional<double> failure_reward() const;
  void bar_broken_arms();
  void penalize_put_off();
  void check_failures();
  void note_metrics(Ticket ticket, const Reading& reading);
  [[nodiscard]] std::string surely_broken_limit(const std::vector<double>& arm) const;
  [[nodiscard]] bool breaks_limit(const Reading& reading);

  void learn(double reward);
  [[nodiscard]] bool must_hold(std::uint64_t pulls_here) const;
  void release();
  void tell(Ticket ticket, double reward);
  void check_floor();

  [[nodiscard]] bool comparison_is_due() const;
  void compare(std::uint64_t pulls);
  void compare_once();
  void end_comparison(bool confirmed, const std::string& verdict);
  [[nodiscard]] std::string verdict_text() const;

  void look_for_acts();
  void take(const PostedAct& posted);
  [[nodiscard]] bool is_called_away() const;
  [[nodiscard]] std::optional<Act> wait_that_is_wanted() const;
  void wait_if_asked();
  void go_to_wait(Act act);
  void stop_clock();
  void start_clock();
  void leave(TuneEnd& end, bool in_need);
  void report(Phase phase);
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::uint64_t pulls() const;
  [[nodiscard]] const TunerState& state() const { return study_.tuner_state(); }
  [[nodiscard]] std::string text_of(Arm arm) const;
  [[nodiscard]] Direction direction() const { return study_.specification().objective.direction; }

  Study& study_;
  const SystemSpecification& system_specification_;
  const SystemOptions& options_;
  std::uint64_t settle_;  // pulls that the optimizer was told the system takes to settle
  TunerSignals signals_;
  const std::atomic<bool>& stop_;
  std::function<void(const TuneProgress&)> on_progress_;
  Phase phase_ = Phase::searching;
  SystemKeeper keeper_;

  std::optional<OwnedPull> pull_;  // the ticket that is being answered
  Ticket suspect_ = 0;             // whose arm failed when the system went down
  Ticket forgiven_ = 0;            // whose arm failed and gets another try
  std::string broken_limit_;       // what was last found, for people
  std::optional<double> reward_;   // the last one
  std::optional<TuneEnd> end_;     // when something has ended it
  double earlier_seconds_ = 0.0;
  double started_ = 0.0;
  bool clock_is_stopped_ = false;                      // in a pause, which is not time of tuning
  std::chrono::steady_clock::time_point next_look_{};  // for acts
  std::uint64_t acts_seen_ = 0;  // those included that could not be understood
};

}  // namespace canopy
