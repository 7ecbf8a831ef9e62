#pragma once

#include "canopy/study.hpp"

#include "tuning/lookout.hpp"
#include "tuning/system_keeper.hpp"

#include <string>
#include <vector>

namespace canopy {

/// The setting that a system is to be left with, and why.
struct ExitChoice {
  std::vector<double> arm = {};  ///< empty: the one that it has
  std::string why = {};          ///< for people: `the best arm: ...`
};

/// What the choice of that setting depends on; an empty arm: there is none.
struct ExitFacts {
  struct Candidate {
    std::vector<double> arm = {};
    bool keeps_limits = true;  ///< as far as is known

    [[nodiscard]] bool exists() const { return !arm.empty(); }
    [[nodiscard]] bool is_eligible() const { return exists() && keeps_limits; }
  };

  Candidate confirmed = {};  ///< by the last comparison
  Candidate proven = {};     ///< by pairs while the search ran; keeps its limits
  Candidate baseline = {};
  Candidate best = {};     ///< keeps its limits
  Candidate nearest = {};  ///< where there is no best arm
  std::string proof = {};  ///< `better than the baseline at 95 %, after 24 pairs`
  std::string doubt = {};  ///< why nothing is known to be better
  /// Where the best setting depends on it: the context that `best` is the best one in, for people.
  std::string context = {};
};

/// The setting for `on_exit = "best"`; with `only_confirmed`, for `"confirmed"`. Limits come before
/// rewards. docs/tune.md has the table.
[[nodiscard]] ExitChoice best_exit(const ExitFacts& facts, bool only_confirmed = false);

/// What `on_exit` says, as far as the rewards bear it out.
[[nodiscard]] ExitChoice exit_choice(const Study& study);

/// When something is wrong: the baseline, else a setting that worked.
[[nodiscard]] ExitChoice exit_choice_in_need(const Study& study);

/// The best setting that is known, whatever `on_exit` says: for a pause.
[[nodiscard]] ExitChoice best_known_setting(const Study& study);

/// Leaves the system with the setting that was asked for, or one that works, and says so in `end`.
void leave(Study& study, SystemKeeper& keeper, TuneEnd& end);

/// Puts the baseline back when nothing else can be done. What came of that, as the rest of a
/// sentence; empty where there is none.
[[nodiscard]] std::string put_baseline_back(const Study& study, SystemKeeper& keeper);

/// Waits while a pause is in force, with the system at the setting that was requested: the best one
/// known, the baseline, or the current one. The time does not count as tuning.
void wait_if_asked(Study& study, SystemKeeper& keeper, Lookout& lookout);

}  // namespace canopy
