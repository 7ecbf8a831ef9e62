#pragma once

#include "canopy/reward_map.hpp"

#include "studies/study.hpp"
#include "studies/system.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
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

/// Thrown when the tuning cannot go on at all; the message says what became of the system.
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
/// that happens is in the journal before the next thing is begun, so that a tuner that was killed
/// is gone on with by the next one: the same ticket, the same arm, applied and warmed up again.
class Tuner {
 public:
  /// The study must have a system and outlive the tuner. `stop` may be raised by a signal.
  Tuner(Study& study, const std::atomic<bool>& stop,
        std::function<void(const TuneProgress&)> on_progress);

  /// Throws TuneError when the journal cannot be written, or the like; the system is then left with
  /// the baseline, where there is one.
  [[nodiscard]] TuneEnd run();

 private:
  /// Measured, but not told yet: the arm must not change too soon.
  struct Held {
    Ticket ticket;
    double reward;
  };

  void resume();
  void resume_rewards(std::uint64_t last_change);
  void resume_tickets(const std::vector<Held>& all_held);
  [[nodiscard]] TuneEnd run_to_the_end();
  [[nodiscard]] std::string put_baseline_back();
  [[nodiscard]] std::optional<TuneEnd> over() const;
  void step();
  [[nodiscard]] bool set_system(Arm arm, Ticket ticket);
  void measure_baseline();
  void count_change(const std::string& setting, double at);
  [[nodiscard]] bool baseline_is_due() const;
  [[nodiscard]] std::optional<double> measured(Arm arm, Ticket ticket);
  template <class Try>
  [[nodiscard]] bool attempt(Ticket ticket, Try&& try_once);
  void learn(double reward);
  [[nodiscard]] bool must_hold() const;
  void release();
  void remember_for_floor(double reward);
  void check_floor();
  void leave(TuneEnd& end, bool in_need);
  void pause(double seconds) const;
  void report() const;
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::uint64_t pulls() const;

  Study& study_;
  const SystemSpecification& system_specification_;
  const SystemOptions& options_;
  const std::atomic<bool>& stop_;
  std::function<void(const TuneProgress&)> on_progress_;
  System system_;
  RewardMap map_;

  std::optional<Pull> pull_;      // the ticket that is being answered
  std::vector<double> arm_;       // its arm
  std::string setting_;           // that the system has, as text; empty: not known
  std::string earlier_setting_;   // that it had when an earlier tuner ended
  std::uint64_t pulls_here_ = 0;  // since the setting changed
  std::uint64_t changes_ = 0;
  std::uint64_t changes_since_baseline_ = 0;
  bool baseline_known_ = false;
  std::string baseline_text_;        // empty: there is none
  std::deque<double> change_times_;  // of the last hour
  std::vector<Held> held_;
  std::deque<double> window_;   // the last rewards, for the floor
  std::uint64_t failures_ = 0;  // in a row
  std::optional<TuneEnd> end_;  // when something has ended it
  double earlier_seconds_ = 0.0;
  double started_ = 0.0;
};

}  // namespace canopy
