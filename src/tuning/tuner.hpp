#pragma once

#include "canopy/study.hpp"

#include "systems/live_system.hpp"
#include "tuning/comparing.hpp"
#include "tuning/policy_file.hpp"
#include "tuning/search.hpp"
#include "tuning/system_keeper.hpp"
#include "tuning/tune_progress.hpp"
#include "tuning/tuner_monitor.hpp"

#include <cstdint>
#include <functional>

namespace canopy {

/// Tunes a live system: runs the search and comparisons with the baseline, and applies the final
/// setting. Every step is in the journal before the next one begins, so that after a crash the next
/// tuner continues with the same ticket and arm, applied and warmed up again. Its state is the
/// study's TunerState, which is folded from the journal.
///
/// About once a second it reads the commands of users (Mailbox::post_command), records and executes
/// them. The journal also keeps commands in force: a paused tuner is still paused after a restart.
class Tuner {
 public:
  /// The study must have been opened with `tuner_fold` and have a system. All arguments must
  /// outlive the tuner.
  Tuner(Study& study, LiveSystem& system, const TunerSignals& signals, OnProgress on_progress);

  /// Throws TuneError if the journal cannot be written; the system is then set to the baseline, if
  /// there is one.
  [[nodiscard]] TuneEnd run();

  /// Begins or continues a comparison of the best arm with the baseline, for at most `pulls` pulls.
  /// The study must have a baseline. Throws like `run`.
  [[nodiscard]] TuneEnd confirm(std::uint64_t pulls);

 private:
  [[nodiscard]] TuneEnd with_cleanup(const std::function<TuneEnd()>& work);
  [[nodiscard]] TuneEnd retry_on_conflict(const std::function<TuneEnd()>& work);
  [[nodiscard]] TuneEnd search();
  void compare(std::uint64_t pulls);
  void update_policy_file();
  void leave_policy_file(TuneEnd& end);
  [[nodiscard]] const TunerState& state() const { return tuner_state_of(study_); }

  Study& study_;
  TunerMonitor monitor_;
  SystemKeeper keeper_;
  Search search_;
  Comparing comparing_;
  PolicyFile policy_file_;
};

}  // namespace canopy
