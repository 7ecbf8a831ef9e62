#pragma once

#include "canopy/detail/reward_map.hpp"
#include "canopy/study.hpp"

#include "studies/system.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace canopy {

/// Where the tuning is.
struct TuneProgress {
  double seconds = 0.0;  ///< of tuning, earlier runs included
  std::uint64_t pulls = 0;
  std::uint64_t changes = 0;  ///< of the setting
  std::string setting;        ///< that the system has now
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
  std::uint64_t pulls = 0;   ///< rewards, those that are held back included
};

/// Tunes a live system: sets it, measures it, tells the study, one pull after the other. Everything
/// that happens is in the journal before the next thing is begun, so that the next tuner continues
/// where one was killed: the same ticket, the same arm, applied and warmed up again. What a tuner
/// knows of the past is the study's TunerState, which follows from the journal.
class Tuner {
 public:
  /// The study must have a system and outlive the tuner. `stop` may be raised by a signal.
  Tuner(Study& study, const std::atomic<bool>& stop,
        std::function<void(const TuneProgress&)> on_progress);

  /// Throws TuneError when the journal cannot be written, or the like; the system is then left with
  /// the baseline, where there is one.
  [[nodiscard]] TuneEnd run();

 private:
  void resume();
  [[nodiscard]] TuneEnd run_to_the_end();
  [[nodiscard]] std::string put_baseline_back();
  [[nodiscard]] std::optional<TuneEnd> over() const;
  void step();
  [[nodiscard]] std::uint64_t warmup_to(Ticket ticket) const;
  [[nodiscard]] bool set_system(Arm arm, Ticket ticket);
  void measure_baseline();
  [[nodiscard]] bool baseline_is_due() const;
  [[nodiscard]] std::optional<double> measured(Arm arm, Ticket ticket);
  template <class Try>
  [[nodiscard]] bool attempt(Ticket ticket, Try&& try_once);
  void learn(double reward);
  [[nodiscard]] bool must_hold(std::uint64_t pulls_here) const;
  void release();
  void tell(Ticket ticket, double reward);
  void check_floor();
  void leave(TuneEnd& end, bool in_need);
  void pause(double seconds) const;
  void report() const;
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::uint64_t pulls() const;
  [[nodiscard]] const TunerState& state() const { return study_.tuner_state(); }
  [[nodiscard]] std::string text_of(Arm arm) const;

  Study& study_;
  const SystemSpecification& system_specification_;
  const SystemOptions& options_;
  std::uint64_t settle_;  // pulls that the optimizer was told the system takes to settle
  const std::atomic<bool>& stop_;
  std::function<void(const TuneProgress&)> on_progress_;
  System system_;

  std::optional<OwnedPull> pull_;  // the ticket that is being answered
  std::vector<double> setting_;    // that the system has, as far as this tuner knows; empty: not
  std::uint64_t failures_ = 0;     // in a row
  std::optional<TuneEnd> end_;     // when something has ended it
  double earlier_seconds_ = 0.0;
  double started_ = 0.0;
};

}  // namespace canopy
