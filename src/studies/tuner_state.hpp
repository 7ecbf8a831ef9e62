#pragma once

#include "canopy/event.hpp"
#include "canopy/state.hpp"
#include "canopy/study_specification.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

inline constexpr double kHour = 3600.0;  ///< seconds

/// The state of a tuner, which follows from the journal alone: after a kill, the next tuner
/// knows the same. It is kept in snapshots, so that the journal need not be read from the
/// start.
class TunerState {
 public:
  /// What the fold depends on is taken from the specification.
  explicit TunerState(const StudySpecification& study);

  /// Takes in the next entry of the journal.
  void apply(const JournalEntry& entry);

  [[nodiscard]] std::string save();
  /// Throws StateError when it is damaged, or of a study with other settings of the tuner.
  void restore(std::string_view saved);

  /// The setting that the system was last given; empty: none yet.
  [[nodiscard]] const std::vector<double>& setting() const { return setting_; }
  /// Rewards since it was given.
  [[nodiscard]] std::uint64_t pulls_here() const { return pulls_here_; }
  /// Of the setting.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// How many of them were after `since`, if that is within the last `kHour` seconds of events.
  [[nodiscard]] std::uint64_t changes_after(double since) const;
  /// To arms other than the baseline, since that was last measured.
  [[nodiscard]] std::uint64_t changes_since_baseline() const { return changes_since_baseline_; }
  /// Whether the baseline was ever measured in full.
  [[nodiscard]] bool baseline_is_known() const { return baseline_known_; }
  /// Rewards of the measurement of the baseline that is going on.
  [[nodiscard]] std::uint64_t baseline_pulls() const { return baseline_pulls_; }

  /// Rewards that were measured and not told yet, by ticket.
  [[nodiscard]] const std::map<Ticket, double>& held() const { return held_; }

  /// The last rewards, for the floor.
  [[nodiscard]] const std::deque<double>& window() const { return window_; }

  /// Seconds that earlier runs of the tuner took, up to their last event.
  [[nodiscard]] double seconds_so_far() const;

 private:
  void take(const TunerStarted& event, double at);
  void take(const TunerStopped& event);
  void take(const Applied& event, double at);
  void take(const Held& event);
  void take(const Told& event);
  void take(const PassedOver& event);
  void take_measured(Ticket ticket, double reward);
  void take(const BaselineMeasured& event);
  void remember(double reward);
  void transfer(State& state);

  std::vector<double> baseline_;  // empty: there is none
  std::uint64_t baseline_pulls_wanted_ = 0;
  std::uint64_t window_size_ = 0;  // 0: there is no floor

  std::vector<double> setting_;
  std::uint64_t pulls_here_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t changes_since_baseline_ = 0;
  std::uint64_t baseline_pulls_ = 0;
  bool baseline_known_ = false;
  std::deque<double> change_times_;  // of the last hour
  std::map<Ticket, double> held_;
  std::deque<double> window_;
  bool running_ = false;
  double earlier_seconds_ = 0.0;
  double started_at_ = 0.0;
  double last_at_ = 0.0;
};

}  // namespace canopy
