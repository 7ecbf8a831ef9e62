#pragma once

#include "canopy/study.hpp"

#include "tuning/system_keeper.hpp"
#include "tuning/tuner_monitor.hpp"

#include <string>
#include <vector>

namespace canopy {

/// The setting that the system is left with, and why.
struct ExitChoice {
  std::vector<double> arm = {};  ///< empty: the current one
  std::string why = {};          ///< reason for users: `the best setting: ...`
};

/// The facts on which that choice depends. An empty arm means that there is none.
struct ExitFacts {
  struct Candidate {
    std::vector<double> arm = {};
    bool keeps_limits = true;  ///< as far as known

    [[nodiscard]] bool exists() const { return !arm.empty(); }
    [[nodiscard]] bool is_eligible() const { return exists() && keeps_limits; }
  };

  Candidate confirmed = {};  ///< by the last comparison
  Candidate proven = {};     ///< by pairs during the search; keeps its limits
  Candidate baseline = {};
  Candidate best = {};               ///< keeps its limits
  Candidate nearest = {};            ///< only if there is no best arm
  std::string proof = {};            ///< `better than the baseline at 95 %, after 24 pairs`
  std::string why_none_better = {};  ///< why no setting is known to be better
  /// In a study with contexts: the context for which `best` is the best arm, as text.
  std::string context = {};
};

/// Chooses the setting for `on_exit = "best"` or, with `only_confirmed`, for `"confirmed"`. Limits
/// take precedence over rewards. docs/tune.md has the table.
[[nodiscard]] ExitChoice best_exit(const ExitFacts& facts, bool only_confirmed = false);

/// Chooses the setting according to `on_exit` and the rewards.
[[nodiscard]] ExitChoice exit_choice(const Study& study);

/// The fallback if tuning ended with a failure: the baseline, else a setting that worked.
[[nodiscard]] ExitChoice fallback_setting(const Study& study);

/// The best setting known, independent of `on_exit`: for a pause.
[[nodiscard]] ExitChoice best_known_setting(const Study& study);

/// Applies the exit setting, or a fallback after a failure, and describes it in `end`.
void leave(Study& study, SystemKeeper& keeper, TuneEnd& end);

/// Restores the baseline as a last resort. Returns the result as the rest of a sentence; empty if
/// there is no baseline.
[[nodiscard]] std::string restore_baseline(const Study& study, SystemKeeper& keeper);

/// Waits while a pause is in force, with the system at the setting that was requested: the best one
/// known, the baseline, or the current one. The time does not count as tuning.
void wait_while_paused(Study& study, SystemKeeper& keeper, TunerMonitor& monitor);

}  // namespace canopy
