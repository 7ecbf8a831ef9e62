#pragma once

#include "canopy/study.hpp"

#include "systems/live_system.hpp"
#include "tuning/comparing.hpp"
#include "tuning/lookout.hpp"
#include "tuning/policy_file.hpp"
#include "tuning/search.hpp"
#include "tuning/system_keeper.hpp"
#include "tuning/tune_progress.hpp"

#include <cstdint>
#include <functional>

namespace canopy {

/// Tunes a live system: a search, comparisons with the baseline, and at the end the setting that
/// the system keeps. Everything that happens is in the journal before the next thing is begun, so
/// that the next tuner continues where one was killed: the same ticket, the same arm, applied and
/// warmed up again. What a tuner knows of the past is the study's TunerState, which follows from
/// the journal.
///
/// What people want of it (Mailbox::post_command) it looks up about once a second, notes, and
/// obeys. That follows from the journal as well: who was paused is still paused after a restart.
class Tuner {
 public:
  /// The study, opened with `tuner_fold`, must have a system; both must outlive the tuner.
  Tuner(Study& study, LiveSystem& system, const TunerSignals& signals, OnProgress on_progress);

  /// Throws TuneError when the journal cannot be written, or the like; the system is then left with
  /// the baseline, where there is one.
  [[nodiscard]] TuneEnd run();

  /// Compares the best arm with the baseline, or goes on with that, for at most `pulls` pulls; the
  /// study must have a baseline. Throws as `run` does.
  [[nodiscard]] TuneEnd confirm(std::uint64_t pulls);

 private:
  [[nodiscard]] TuneEnd safely(const std::function<TuneEnd()>& work);
  [[nodiscard]] TuneEnd going_on(const std::function<TuneEnd()>& work);
  [[nodiscard]] TuneEnd search();
  void compare(std::uint64_t pulls);
  void update_policy_file();
  void leave_policy_file(TuneEnd& end);
  [[nodiscard]] const TunerState& state() const { return tuner_state_of(study_); }

  Study& study_;
  Lookout lookout_;
  SystemKeeper keeper_;
  Search search_;
  Comparing comparing_;
  PolicyFile policy_file_;
};

}  // namespace canopy
