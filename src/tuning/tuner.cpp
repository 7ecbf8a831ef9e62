#include "tuning/tuner.hpp"

#include "tuning/leaving.hpp"

#include <optional>
#include <utility>

namespace canopy {

Tuner::Tuner(Study& study, LiveSystem& system, const TunerSignals& signals, OnProgress on_progress)
    : study_(study),
      monitor_(study, signals, std::move(on_progress)),
      keeper_(study, system, monitor_),
      search_(study, keeper_, monitor_),
      comparing_(study, keeper_, monitor_),
      policy_file_(study) {}

TuneEnd Tuner::run() {
  return with_cleanup([&] {
    TuneEnd end = search();
    const auto& confirm_pulls = study_.specification().budget.confirm_pulls;
    const bool is_ended = state().order() == RunnerCommand::end;  // the search has ended
    if (end.why != TuneEnd::Why::budget || !confirm_pulls || is_ended) return end;
    const std::optional<Best> best = study_.best();
    const auto& verdict = state().verdict();
    const bool is_known =
        verdict && best &&
        (verdict->is_of_policy() ? !verdict->has_learnt_since : verdict->arm == best->arm);
    if (!is_known || state().comparison()) compare(*confirm_pulls);
    return monitor_.early_end_reason().value_or(end);
  });
}

TuneEnd Tuner::confirm(std::uint64_t pulls) {
  return with_cleanup([&] {
    compare(pulls);
    const TuneEnd compared{TuneEnd::Why::budget, "compared with the baseline"};
    return monitor_.early_end_reason().value_or(compared);
  });
}

TuneEnd Tuner::search() {
  for (;;) {
    wait_while_paused(study_, keeper_, monitor_);
    if (!monitor_.early_end_reason() && comparing_.is_due()) {
      compare(comparing_.wanted_pulls());
    } else if (auto end = monitor_.end_reason()) {
      search_.finish();
      return *end;
    } else {
      search_.step();
      update_policy_file();
    }
  }
}

/// A file that cannot be written does not end tuning, because the study has all the data.
void Tuner::update_policy_file() {
  const std::string failure = policy_file_.update();
  if (failure.empty()) return;
  monitor_.note_failure({.what = failure});
  study_.note(Failed{0, failure});
  study_.commit();
}

void Tuner::leave_policy_file(TuneEnd& end) {
  const std::string failure = policy_file_.write();
  if (policy_file_.is_written()) end.policy_file = policy_file_.path();
  if (failure.empty()) return;
  study_.note(Failed{0, failure});
  end.policy_file.clear();
  end.text += "; " + failure;
  end.why = TuneEnd::Why::failure;
}

void Tuner::compare(std::uint64_t pulls) {
  comparing_.begin(pulls);
  while (state().comparison()) {
    wait_while_paused(study_, keeper_, monitor_);
    if (monitor_.early_end_reason()) return;
    comparing_.step();
  }
}

/// Runs the work with error handling that leaves the system in a defined state.
TuneEnd Tuner::with_cleanup(const std::function<TuneEnd()>& work) {
  try {
    monitor_.poll_commands();  // an earlier end command does not apply to this run
    keeper_.return_to_context();
    search_.resume();
    monitor_.start_clock();
    search_.fail_crashing_arm();
    TuneEnd end = retry_on_conflict(work);
    end.pulls = monitor_.pulls();
    if (const auto& verdict = state().verdict()) end.verdict = verdict->text;
    const bool at_limit = end.needs_fallback();
    if (end.why == TuneEnd::Why::failure) end.errors = monitor_.errors();
    leave(study_, keeper_, end);
    leave_policy_file(end);
    end = retry_on_conflict([&] {
      study_.note(TunerStopped{end.text, at_limit || end.needs_fallback()});
      study_.commit();
      return end;
    });
    study_.snapshot();
    return end;
  } catch (const StoreError& error) {
    // Another process has taken over the study and controls the system.
    const bool is_taken_over = error.fault() == StoreError::Fault::taken_over;
    throw TuneError(error.what() + (is_taken_over ? "; another process now controls the system"
                                                  : restore_baseline(study_, keeper_)));
  } catch (const std::exception& error) {
    throw TuneError(error.what() + restore_baseline(study_, keeper_));
  }
}

/// Repeats the work if another process has written to the study: a server that accepted a command,
/// for example. The study has been reloaded; uncommitted events are lost, and the setting of the
/// system may have changed.
TuneEnd Tuner::retry_on_conflict(const std::function<TuneEnd()>& work) {
  for (;;) {
    try {
      return work();
    } catch (const StoreError& error) {
      if (error.fault() != StoreError::Fault::moved_on) throw;
      keeper_.forget_setting();
      search_.resume();
      monitor_.reread_commands();
    }
  }
}

}  // namespace canopy
