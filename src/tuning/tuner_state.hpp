#pragma once

#include "canopy/event.hpp"
#include "canopy/journal_fold.hpp"
#include "canopy/state.hpp"
#include "canopy/study.hpp"
#include "canopy/study_specification.hpp"

#include "tuning/comparison.hpp"
#include "tuning/recent_failures.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

inline constexpr double kHour = 3600.0;  ///< seconds

/// Why a tuner has stopped that will go on: its time does not count meanwhile.
inline constexpr std::string_view kPaused = "paused";

/// Why one has stopped that people or the machine have asked to.
inline constexpr std::string_view kWasInterrupted = "interrupted";

/// What came of a comparison.
struct Verdict {
  std::vector<double> arm;  ///< empty: the policy, what was best in each context then
  bool confirmed = false;
  bool refuted = false;   ///< by more than a lack of evidence,
  bool is_worse = false;  ///< by its rewards
  std::string text;
  double difference = 0.0;  ///< the arm's rewards less the baseline's, mean over the pairs
  Interval interval = {};   ///< of it
  std::uint64_t pairs = 0;
  double baseline_mean = 0.0;  ///< over these
  bool has_learnt_since = false;
  /// The last pull before the system was seen to change, so that it holds no longer.
  std::optional<std::uint64_t> before = std::nullopt;

  [[nodiscard]] bool is_of_policy() const { return arm.empty(); }

  void transfer(State& state) {
    state(arm, confirmed, refuted, is_worse, text, difference, interval.lower, interval.upper,
          pairs, baseline_mean, has_learnt_since, before);
  }
};

/// The state of a tuner, which follows from the journal alone: after a kill, the next tuner
/// knows the same. It is kept in snapshots, so that the journal need not be read from the
/// start.
class TunerState final : public JournalFold {
 public:
  /// What the fold depends on is taken from the specification.
  explicit TunerState(const StudySpecification& study);

  /// Takes in the next entry of the journal.
  void apply(const JournalEntry& entry) override;

  [[nodiscard]] std::string save() override;
  /// Throws StateError when it is damaged, or of a study with other settings of the tuner.
  void restore(std::string_view saved) override;

  /// The setting that the system was last given; empty: none yet.
  [[nodiscard]] const std::vector<double>& setting() const { return setting_; }
  /// Whether that was not for a pull of the search: the baseline, a setting that works.
  [[nodiscard]] bool is_elsewhere() const { return elsewhere_; }
  /// Whether the search does not know what the system was doing before: it comes from elsewhere,
  /// and nothing was measured since.
  [[nodiscard]] bool comes_from_elsewhere() const {
    return elsewhere_ || (came_ && pulls_here_ == 0);
  }
  /// The ticket whose arm has failed for good and was not set again; 0: none.
  [[nodiscard]] Ticket failed() const { return failed_; }
  /// How many tuners in a row were killed after they had set it, and before it was measured.
  [[nodiscard]] std::uint64_t crashes() const { return crashes_; }
  /// The last two settings at which something was measured, the later one first; in contexts, where
  /// what works may depend on them, the last eight.
  [[nodiscard]] const std::vector<std::vector<double>>& good_settings() const { return good_; }
  /// Rewards since it was given.
  [[nodiscard]] std::uint64_t pulls_here() const { return pulls_here_; }
  /// Of the setting.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// How many of them were after `since`, if that is within the last `kHour` seconds of events.
  [[nodiscard]] std::uint64_t changes_after(double since) const;

  /// Rewards that were measured and not told yet, by ticket.
  [[nodiscard]] const std::map<Ticket, double>& held() const { return held_; }

  /// Tickets whose arms failed before there was a reward.
  [[nodiscard]] const std::map<Ticket, std::vector<double>>& deferred() const { return deferred_; }
  /// The context that an open ticket was asked in; empty: none.
  [[nodiscard]] std::vector<double> context_of(Ticket ticket) const;
  /// That of the last ask in which one was observed.
  [[nodiscard]] const std::vector<double>& last_context() const { return last_context_; }

  /// Pulls that failed.
  [[nodiscard]] std::uint64_t failures() const { return failures_; }
  [[nodiscard]] const RecentFailures& recent_failures() const { return recent_failures_; }

  /// What was measured beside rewards, by name, and of what arms.
  [[nodiscard]] const std::map<std::string, Evidence>& metrics() const { return metrics_; }
  /// Names beyond this many are in the journal alone: clients choose them.
  static constexpr std::size_t kMostMetrics = 64;

  /// The comparison that is going on, and what came of the last one.
  [[nodiscard]] const std::optional<Comparison>& comparison() const { return comparison_; }
  [[nodiscard]] const std::optional<Verdict>& verdict() const { return verdict_; }
  /// What came of the last one before the system was seen to change: it holds no longer.
  [[nodiscard]] const std::optional<Verdict>& outdated_verdict() const { return outdated_; }

  /// The last rewards, for the floor.
  [[nodiscard]] const std::deque<double>& window() const { return window_; }

  /// What people want now: pause, hold, baseline or end; none: nothing but to go on.
  [[nodiscard]] std::optional<RunnerCommand> order() const { return order_; }
  /// Who wants it.
  [[nodiscard]] const std::string& ordered_by() const { return ordered_by_; }
  /// A comparison that people want and that has not begun; of so many pulls, 0: the usual number.
  [[nodiscard]] std::optional<std::uint64_t> wanted_comparison() const {
    return comparison_wanted_;
  }
  /// The number of the last command that was taken note of.
  [[nodiscard]] std::uint64_t last_command() const { return last_command_; }
  /// Whether a tuner was at work when the journal ended.
  [[nodiscard]] bool is_running() const { return running_; }

  /// Seconds that earlier runs of the tuner took, up to their last event.
  [[nodiscard]] double seconds_so_far() const;

 private:
  void take(const Asked& event);
  void take(const TunerStarted& event, double at);
  void take(const TunerStopped& event);
  void take(const Applied& event, double at);
  void take(const Held& event);
  void take(const Told& event);
  void take(const Observed& event);
  void take(const Penalized& event);
  void take(const Dropped& event);
  void take(const Failed& event);
  void take(const Deferred& event);
  void take(const MetricsMeasured& event);
  void take(const ComparisonBegun& event);
  void take(const Compared& event);
  void take(const ComparisonEnded& event);
  void take(const CommandAccepted& event);
  void take(const Changed& event);
  void it_works();
  void remember(double reward);
  void transfer(State& state);
  void transfer_metrics(State& state);

  std::vector<double> baseline_;   // empty: there is none
  std::uint64_t window_size_ = 0;  // 0: there is no floor

  std::size_t dimension_;
  std::size_t variables_;  // of the context
  double level_;
  Direction direction_ = Direction::maximize;

  std::vector<double> setting_;
  bool elsewhere_ = true;
  bool came_ = true;      // from elsewhere
  bool measured_ = true;  // since it was given, or put back
  std::uint64_t crashes_ = 0;
  Ticket failed_ = 0;
  std::vector<std::vector<double>> good_;
  std::uint64_t pulls_here_ = 0;
  std::uint64_t changes_ = 0;
  std::deque<double> change_times_;  // of the last hour
  std::map<Ticket, double> held_;
  std::deque<double> window_;
  std::map<Ticket, std::vector<double>> deferred_;
  std::map<Ticket, std::vector<double>> contexts_;  // of open tickets
  std::vector<double> last_context_;
  std::uint64_t failures_ = 0;
  RecentFailures recent_failures_;
  std::map<std::string, Evidence> metrics_;
  std::optional<Comparison> comparison_;
  std::optional<Verdict> verdict_;
  std::optional<Verdict> outdated_;
  std::optional<RunnerCommand> order_;
  std::string ordered_by_;
  std::optional<std::uint64_t> comparison_wanted_;
  std::uint64_t last_command_ = 0;
  bool running_ = false;
  bool ended_ = true;  // for good, or not begun yet
  double earlier_seconds_ = 0.0;
  double started_at_ = 0.0;
  double last_at_ = 0.0;
};

/// Makes the state of a study's tuner: for OpenOptions::fold and load_optimizer.
[[nodiscard]] std::unique_ptr<JournalFold> tuner_fold(const StudySpecification& study);

/// The state of the tuner of a study that was opened with `tuner_fold`.
[[nodiscard]] const TunerState& tuner_state_of(const Study& study);
[[nodiscard]] const TunerState& tuner_state_of(const LoadedOptimizer& study);

}  // namespace canopy
