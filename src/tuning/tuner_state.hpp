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

/// The reason of a stop for a pause; the time until the next start does not count.
inline constexpr std::string_view kPaused = "paused";

/// The reason of a stop by a signal.
inline constexpr std::string_view kWasInterrupted = "interrupted";

/// The result of a comparison.
struct Verdict {
  std::vector<double> arm;  ///< empty: the policy at that time
  bool confirmed = false;
  bool refuted = false;   ///< worse, beyond a limit, or failed: not just unproven
  bool is_worse = false;  ///< according to its rewards
  std::string text;
  double difference = 0.0;  ///< mean over the pairs of the arm's reward minus the baseline's
  Interval interval = {};   ///< confidence interval of the difference
  std::uint64_t pairs = 0;
  double baseline_mean = 0.0;  ///< over these pairs
  bool has_learnt_since = false;
  /// Set if a later change of the system invalidated the verdict: the last pull before the change.
  std::optional<std::uint64_t> before = std::nullopt;

  [[nodiscard]] bool is_of_policy() const { return arm.empty(); }

  void transfer(State& state) {
    state(arm, confirmed, refuted, is_worse, text, difference, interval.lower, interval.upper,
          pairs, baseline_mean, has_learnt_since, before);
  }
};

/// The state of a tuner, folded from the journal, so that after a crash the next tuner has the
/// same. It is saved in snapshots.
class TunerState final : public JournalFold {
 public:
  /// The fold depends on some settings of the specification.
  explicit TunerState(const StudySpecification& study);

  /// Processes the next entry of the journal.
  void apply(const JournalEntry& entry) override;

  [[nodiscard]] std::string save() override;
  /// Throws StateError if the text is damaged, or from a study with other tuner settings.
  void restore(std::string_view saved) override;

  /// The setting that the system was given last; empty: none yet.
  [[nodiscard]] const std::vector<double>& setting() const { return setting_; }
  /// Whether the setting was applied for a reason other than a pull of the search: as the baseline
  /// or a fallback, for example.
  [[nodiscard]] bool is_elsewhere() const { return elsewhere_; }
  /// Whether the search does not know the previous setting of the system: it was not applied by the
  /// search, and nothing has been measured since.
  [[nodiscard]] bool comes_from_elsewhere() const {
    return elsewhere_ || (came_ && pulls_here_ == 0);
  }
  /// The ticket whose arm failed for good and was not applied again since; 0: none.
  [[nodiscard]] Ticket failed() const { return failed_; }
  /// The number of tuners in a row that were killed after they had applied the setting and before
  /// it was measured.
  [[nodiscard]] std::uint64_t crashes() const { return crashes_; }
  /// The last two settings that were measured successfully, the latest first; the last eight in a
  /// study with contexts, where a setting may work in some contexts only.
  [[nodiscard]] const std::vector<std::vector<double>>& good_settings() const { return good_; }
  /// Number of rewards since the setting was applied.
  [[nodiscard]] std::uint64_t pulls_here() const { return pulls_here_; }
  /// Number of changes of the setting.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// The number of changes after `since`, which must be within the last `kHour` seconds of events.
  [[nodiscard]] std::uint64_t changes_after(double since) const;

  /// Rewards that were measured but not told yet, by ticket.
  [[nodiscard]] const std::map<Ticket, double>& held() const { return held_; }

  /// Tickets whose arms failed before the first reward.
  [[nodiscard]] const std::map<Ticket, std::vector<double>>& deferred() const { return deferred_; }
  /// The context of an open ticket; empty if it has none.
  [[nodiscard]] std::vector<double> context_of(Ticket ticket) const;
  /// The context observed last.
  [[nodiscard]] const std::vector<double>& last_context() const { return last_context_; }

  /// Number of failed pulls.
  [[nodiscard]] std::uint64_t failures() const { return failures_; }
  [[nodiscard]] const RecentFailures& recent_failures() const { return recent_failures_; }

  /// The evidence on metrics other than the reward, by name.
  [[nodiscard]] const std::map<std::string, Evidence>& metrics() const { return metrics_; }
  /// Maximum number of metrics; clients choose their names. Further metrics are only in the
  /// journal.
  static constexpr std::size_t kMostMetrics = 64;

  /// The comparison in progress, and the result of the last one.
  [[nodiscard]] const std::optional<Comparison>& comparison() const { return comparison_; }
  [[nodiscard]] const std::optional<Verdict>& verdict() const { return verdict_; }
  /// The result of the last comparison before a change of the system, which invalidated it.
  [[nodiscard]] const std::optional<Verdict>& outdated_verdict() const { return outdated_; }

  /// The last rewards, for the floor.
  [[nodiscard]] const std::deque<double>& window() const { return window_; }

  /// The command in force: pause, hold, baseline or end; none: run.
  [[nodiscard]] std::optional<RunnerCommand> order() const { return order_; }
  /// The user who sent it.
  [[nodiscard]] const std::string& ordered_by() const { return ordered_by_; }
  /// The requested number of pulls of a comparison that has not begun yet; 0: the default; none: no
  /// comparison was requested.
  [[nodiscard]] std::optional<std::uint64_t> wanted_comparison() const {
    return comparison_wanted_;
  }
  /// The number of the last command accepted.
  [[nodiscard]] std::uint64_t last_command() const { return last_command_; }
  /// Whether a tuner was running at the end of the journal.
  [[nodiscard]] bool is_running() const { return running_; }

  /// Tuning time of earlier runs, in seconds, up to their last event.
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
  void note_working();
  void remember(double reward);
  void transfer(State& state);
  void transfer_metrics(State& state);

  std::vector<double> baseline_;   // empty: no baseline
  std::uint64_t window_size_ = 0;  // 0: no floor

  std::size_t dimension_;
  std::size_t variables_;  // number of context variables
  double level_;
  Direction direction_ = Direction::maximize;

  std::vector<double> setting_;
  bool elsewhere_ = true;
  bool came_ = true;      // the previous setting was not one of the search
  bool measured_ = true;  // whether the setting was measured since it was applied
  std::uint64_t crashes_ = 0;
  Ticket failed_ = 0;
  std::vector<std::vector<double>> good_;
  std::uint64_t pulls_here_ = 0;
  std::uint64_t changes_ = 0;
  std::deque<double> change_times_;  // within the last hour
  std::map<Ticket, double> held_;
  std::deque<double> window_;
  std::map<Ticket, std::vector<double>> deferred_;
  std::map<Ticket, std::vector<double>> contexts_;  // by open ticket
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
  bool ended_ = true;  // finished, or not begun yet
  double earlier_seconds_ = 0.0;
  double started_at_ = 0.0;
  double last_at_ = 0.0;
};

/// Creates the state of a study's tuner: for OpenOptions::fold and load_optimizer.
[[nodiscard]] std::unique_ptr<JournalFold> tuner_fold(const StudySpecification& study);

/// The tuner state of a study that was opened with `tuner_fold`.
[[nodiscard]] const TunerState& tuner_state_of(const Study& study);
[[nodiscard]] const TunerState& tuner_state_of(const LoadedOptimizer& study);

}  // namespace canopy
