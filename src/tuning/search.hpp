#pragma once

#include "canopy/study.hpp"

#include "tuning/system_keeper.hpp"
#include "tuning/tuner_monitor.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// The search of a tuner: asks the study for an arm, applies and measures that setting, and tells
/// the study the reward, pull by pull. From time to time the study asks for pairs of its best arm
/// and the baseline: see WithBaseline.
///
/// An arm that fails is penalized, and the system is set to a setting that works. If that fails,
/// too, the system is considered down: nothing is learnt until it works again.
class Search {
 public:
  /// All arguments must outlive this object.
  Search(Study& study, SystemKeeper& keeper, TunerMonitor& monitor);

  /// Finds the pull that was in progress, in this tuner or an earlier one.
  void resume();
  /// Fails an arm that repeatedly crashed the tuner; otherwise it would do so forever.
  void fail_crashing_arm();

  /// Performs one pull, or a step that is needed before it.
  void step();

  /// Tells the remaining rewards at the end of the search. Rewards stay held back while the arm
  /// must not change; the next tuner finds them in the journal.
  void finish();

 private:
  using Outcome = SystemKeeper::Outcome;

  [[nodiscard]] bool ask();
  [[nodiscard]] Outcome drop_outdated_pull();
  [[nodiscard]] bool is_in_visit() const;

  void compare();
  void lead_in();
  void comparison_failed();
  void penalize_challenger();
  void end_if_too_many_failed();

  void learn(const Reading& reading);
  [[nodiscard]] bool must_keep_arm(std::uint64_t pulls_here) const;
  void release();
  void tell(Ticket ticket, double reward);
  void check_floor();

  void attempt_failed();
  void diagnose_failure();
  [[nodiscard]] std::optional<std::vector<double>> setting_that_works() const;
  [[nodiscard]] std::vector<std::vector<double>> settings_to_probe() const;
  [[nodiscard]] bool has_worked(const std::vector<double>& arm) const;
  [[nodiscard]] std::optional<double> failure_reward() const;
  void penalize();
  void penalize_deferred();

  [[nodiscard]] const TunerState& state() const { return tuner_state_of(study_); }

  Study& study_;
  const StudySpecification& specification_;
  const SystemOptions& options_;
  SystemKeeper& keeper_;
  TunerMonitor& monitor_;
  bool is_new_ = true;                        // no step has been made yet
  std::optional<OwnedPull> pull_;             // the ticket in progress
  Ticket suspect_ = 0;                        // ticket whose arm failed when the system went down
  Ticket retried_ = 0;                        // ticket whose arm failed and gets a retry
  Ticket led_in_ = 0;                         // the last duel with a lead-in visit
  std::vector<double> suspected_challenger_;  // the challenger at which the system went down
};

}  // namespace canopy
