#include "tuning/tuner.hpp"

#include "tuning/leaving.hpp"

#include <optional>
#include <utility>

namespace canopy {

Tuner::Tuner(Study& study, LiveSystem& system, const TunerSignals& signals, OnProgress on_progress)
    : study_(study),
      lookout_(study, signals, std::move(on_progress)),
      keeper_(study, system, lookout_),
      search_(study, keeper_, lookout_),
      comparing_(study, keeper_, lookout_),
      policy_file_(study) {}

TuneEnd Tuner::run() {
  return safely([&] {
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
    return lookout_.over_early().value_or(end);
  });
}

TuneEnd Tuner::confirm(std::uint64_t pulls) {
  return safely([&] {
    compare(pulls);
    const TuneEnd compared{TuneEnd::Why::budget, "compared with the baseline"};
    return lookout_.over_early().value_or(compared);
  });
}

TuneEnd Tuner::search() {
  for (;;) {
    wait_if_asked(study_, keeper_, lookout_);
    if (!lookout_.over_early() && comparing_.is_due()) {
      compare(comparing_.wanted_pulls());
    } else if (auto end = lookout_.over()) {
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
  lookout_.note_failure({.what = failure});
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
    wait_if_asked(study_, keeper_, lookout_);
    if (lookout_.over_early()) return;
    comparing_.step();
  }
}

/// Runs the work with error handling that leaves the system in a defined state.
TuneEnd Tuner::safely(const std::function<TuneEnd()>& work) {
  try {
    lookout_.look();  // an earlier end command does not apply to this run
    keeper_.return_to_context();
    search_.resume();
    lookout_.start_clock();
    search_.blame_deadly_arm();
    TuneEnd end = going_on(work);
    end.pulls = lookout_.pulls();
    if (const auto& verdict = state().verdict()) end.verdict = verdict->text;
    const bool at_limit = end.in_need();
    if (end.why == TuneEnd::Why::failure) end.errors = lookout_.errors();
    leave(study_, keeper_, end);
    leave_policy_file(end);
    end = going_on([&] {
      study_.note(TunerStopped{end.text, at_limit || end.in_need()});
      study_.commit();
      return end;
    });
    study_.snapshot();
    return end;
  } catch (const StoreError& error) {
    // Another process has taken over the study and controls the system.
    const bool theirs = error.fault() == StoreError::Fault::taken_over;
    throw TuneError(error.what() + (theirs ? "; another process now controls the system"
                                           : put_baseline_back(study_, keeper_)));
  } catch (const std::exception& error) {
    throw TuneError(error.what() + put_baseline_back(study_, keeper_));
  }
}

/// Repeats the work if another process has written to the study: a server that accepted a command,
/// for example. The study has been reloaded; uncommitted events are lost, and the setting of the
/// system may have changed.
TuneEnd Tuner::going_on(const std::function<TuneEnd()>& work) {
  for (;;) {
    try {
      return work();
    } catch (const StoreError& error) {
      if (error.fault() != StoreError::Fault::moved_on) throw;
      keeper_.forget_setting();
      search_.resume();
      lookout_.start_over();
    }
  }
}

}  // namespace canopy
