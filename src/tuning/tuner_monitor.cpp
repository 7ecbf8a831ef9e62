#include "tuning/tuner_monitor.hpp"

#include "core/excerpt.hpp"
#include "journal/command_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr double kBetweenLooks = 1.0;  // seconds
// The maximum delay in seconds until a sleep notices a signal.
constexpr double kSlice = 0.02;

}  // namespace

TunerMonitor::TunerMonitor(Study& study, const TunerSignals& signals, OnProgress on_progress)
    : study_(study), signals_(signals), on_progress_(std::move(on_progress)) {}

// --- commands -----------------------------------------------------------------------------------

void TunerMonitor::poll_commands() {
  const double now = study_.clock().steady_time();
  if (now < next_look_) return;
  next_look_ = now + kBetweenLooks;
  std::vector<PostedCommand> posted;
  try {
    posted = study_.store().commands(study_.record().id,
                                     std::max(commands_seen_, state().last_command()));
  } catch (const StoreError&) {
    return;  // the commands are read again later
  }
  for (const PostedCommand& each : posted) take(each);
  if (!posted.empty()) study_.commit();
}

void TunerMonitor::take(const PostedCommand& posted) {
  commands_seen_ = posted.number;
  try {
    const WantedCommand wanted = command_from(posted.text);
    study_.note(CommandAccepted{posted.number, wanted.command, wanted.pulls, wanted.by});
    const bool needs_baseline =
        wanted.command == RunnerCommand::baseline || wanted.command == RunnerCommand::confirm;
    if (needs_baseline && !study_.specification().baseline) {
      study_.note(Failed{0, fmt::format("command {} by {}: the study has no baseline",
                                        name_of(wanted.command), excerpt(wanted.by))});
    }
  } catch (const SpecificationError& error) {
    study_.note(Failed{
        0, fmt::format("command {} is invalid: {}", posted.number, excerpt(error.what(), 200))});
  }
}

std::optional<RunnerCommand> TunerMonitor::pause_command() const {
  if (early_end_reason()) return std::nullopt;
  if (state().order()) return state().order();
  const bool by_signal = signals_.pause != nullptr && *signals_.pause;
  return by_signal ? std::optional(RunnerCommand::pause) : std::nullopt;
}

// --- reasons to end -----------------------------------------------------------------------------

std::optional<TuneEnd> TunerMonitor::early_end_reason() const {
  if (end_) return end_;
  if (signals_.stop) return TuneEnd{TuneEnd::Why::interrupted, std::string(kWasInterrupted)};
  if (state().order() != RunnerCommand::end) return std::nullopt;
  return TuneEnd{TuneEnd::Why::budget, "ended by " + excerpt(state().ordered_by())};
}

std::optional<TuneEnd> TunerMonitor::end_reason() const {
  const Budget& budget = study_.specification().budget;
  if (auto end = early_end_reason()) return end;
  if (budget.pulls && pulls() >= *budget.pulls) {
    return TuneEnd{TuneEnd::Why::budget,
                   fmt::format("the budget of {} pulls is used", *budget.pulls)};
  }
  if (budget.seconds && seconds() >= *budget.seconds) {
    return TuneEnd{TuneEnd::Why::budget,
                   fmt::format("the budget of {:g} seconds is used", *budget.seconds)};
  }
  return std::nullopt;
}

// --- time and progress --------------------------------------------------------------------------

bool TunerMonitor::sleep(double seconds) {
  const Clock& clock = study_.clock();
  const double end = clock.steady_time() + seconds;
  double next_report = clock.steady_time() + kBetweenLooks;
  while (clock.steady_time() < end) {
    const double now = clock.steady_time();
    if (is_stopped()) return false;
    if (now >= next_report) {
      next_report += kBetweenLooks;
      poll_commands();
      report(progress_.phase);
      if (is_interrupted()) return false;
    }
    study_.clock().sleep(std::min(kSlice, end - now));
  }
  return !is_stopped();
}

void TunerMonitor::report(Phase phase) {
  progress_.phase = phase;
  if (!on_progress_) return;
  progress_.seconds = seconds();
  progress_.pulls = pulls();
  progress_.changes = state().changes();
  progress_.failures = state().failures();
  progress_.order = state().order();
  progress_.ordered_by = state().ordered_by();
  on_progress_(progress_);
}

void TunerMonitor::start_clock() {
  if (clock_runs_) return;
  earlier_seconds_ = state().seconds_so_far();
  started_ = study_.now();
  study_.note(TunerStarted{earlier_seconds_});
  study_.commit();
  clock_runs_ = true;
}

void TunerMonitor::stop_clock() {
  if (!clock_runs_) return;
  study_.note(TunerStopped{std::string(kPaused)});
  study_.commit();
  clock_runs_ = false;
}

double TunerMonitor::seconds() const {
  return clock_runs_ ? earlier_seconds_ + (study_.now() - started_) : state().seconds_so_far();
}

std::uint64_t TunerMonitor::pulls() const {
  return study_.summary().t - 1 + state().held().size() + state().deferred().size();
}

}  // namespace canopy
