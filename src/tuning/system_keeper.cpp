#include "tuning/system_keeper.hpp"

#include "files/arm_document.hpp"
#include "tuning/system.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr int kRetries = 3;
// Seconds to wait for a system that has never worked: a mistake is likely.
constexpr double kFirstPatience = 5.0;
// Seconds before the first retry; doubled before each further one.
constexpr double kFirstPause = 0.25;
constexpr double kLongestPause = 30.0;  // between probes of a system that is down

}  // namespace

SystemKeeper::SystemKeeper(Study& study, LiveSystem& system, TunerMonitor& monitor)
    : study_(study),
      specification_(*study.specification().system),
      options_(specification_.options),
      settle_(settle_of(study.specification().optimizer)),
      settles_by_distance_(settles_by_distance(study.specification().optimizer)),
      system_(system),
      monitor_(monitor) {}

void SystemKeeper::note_failure(Ticket ticket, const SystemFailure& failure, bool for_good) {
  monitor_.note_failure(failure);
  study_.note(Failed{ticket, failure.what, for_good, failure.errors});
  study_.commit();
}

void SystemKeeper::has_setting(Arm arm, Ticket ticket) {
  setting_.assign(arm.begin(), arm.end());
  monitor_.note_setting(arm_text(study_.specification().space, arm));
  study_.note(Applied{ticket, setting_});
  study_.commit();
}

int SystemKeeper::retries() const {
  return options_.on_failure == OnFailure::retry ? kRetries : 0;
}

/// Retries up to `retries` times, but not after a timeout, because a retry would take as long
/// again.
template <class Try>
SystemKeeper::Outcome SystemKeeper::attempt(Ticket ticket, int retries, Try&& try_once) {
  double pause = kFirstPause;
  for (;; --retries, pause *= 2.0) {
    if (monitor_.is_stopped()) return Outcome::stopped;
    const std::optional<SystemFailure> failure = try_once();
    if (!failure) return Outcome::done;
    if (monitor_.is_stopped()) return Outcome::stopped;  // the failure is due to the stop signal
    if (failure->has_timed_out) retries = 0;
    const bool is_last = retries <= 0 && options_.on_failure != OnFailure::stop;
    note_failure(ticket, *failure, is_last && ticket != 0);
    if (retries <= 0) return Outcome::failed;
    if (!monitor_.sleep(pause)) return Outcome::stopped;
  }
}

SystemKeeper::Outcome SystemKeeper::observe(std::vector<double>& into) {
  const bool was_observed = !state().last_context().empty();
  const double patience =
      was_observed ? options_.outage_seconds : std::min(kFirstPatience, options_.outage_seconds);
  const double until = study_.now() + patience;
  for (double pause = kFirstPause;; pause = std::min(2.0 * pause, kLongestPause)) {
    const Outcome outcome = attempt(0, 0, [&]() -> std::optional<SystemFailure> {
      auto result = system_.observe();
      if (auto* failure = std::get_if<SystemFailure>(&result)) return std::move(*failure);
      into = std::get<std::vector<double>>(std::move(result));
      return std::nullopt;
    });
    if (outcome != Outcome::failed) return outcome;
    const double left = until - study_.now();
    if (options_.on_failure == OnFailure::stop || left <= 0.0) break;
    monitor_.report(TunerMonitor::Phase::no_context);
    if (!monitor_.sleep(std::min(pause, left))) return Outcome::stopped;
  }
  monitor_.end({TuneEnd::Why::failure, "the context cannot be observed: " + monitor_.failure()});
  return Outcome::failed;
}

void SystemKeeper::enter(Context context) {
  if (system_.enter(context)) setting_.clear();
  monitor_.note_context(context);
}

void SystemKeeper::return_to_context() {
  if (!state().last_context().empty()) enter(state().last_context());
}

std::string SystemKeeper::crash_text() const {
  const std::uint64_t crashes = state().crashes();
  if (options_.max_crashes == 0 || crashes < options_.max_crashes) return "";
  return fmt::format(
      "canopy was killed {} times in a row while the system had this setting, before it could be "
      "measured",
      crashes);
}

/// Rarely has to wait, because rewards are held back to avoid changes; but it may after a failure,
/// for example.
void SystemKeeper::wait_until_change_is_allowed(Arm arm) {
  if (!options_.max_changes_per_hour) return;
  const std::vector<double>& now = state().setting();
  if (std::equal(arm.begin(), arm.end(), now.begin(), now.end())) return;
  while (!monitor_.is_interrupted() &&
         state().changes_after(study_.now() - kHour) + 1 > *options_.max_changes_per_hour) {
    monitor_.poll_commands();
    monitor_.report(TunerMonitor::Phase::holding);
    (void)monitor_.sleep(1.0);
  }
}

/// The number of pulls after a change that are measured and not told to the optimizer. An optimizer
/// with settle options skips them itself for its own tickets; with settling by distance, it must
/// know the previous setting.
std::uint64_t SystemKeeper::warmup_to(Ticket ticket) const {
  if (settle_ == 0) return options_.warmup_pulls;
  if (ticket == 0) return settle_;
  return settles_by_distance_ && state().comes_from_elsewhere() ? settle_ : 0;
}

SystemKeeper::Outcome SystemKeeper::set(Arm arm, Ticket ticket) {
  const std::uint64_t warmup = warmup_to(ticket);
  setting_.clear();
  const Outcome outcome = attempt(ticket, retries(), [&] { return system_.apply(arm); });
  if (outcome != Outcome::done) return outcome;
  has_setting(arm, ticket);
  for (std::uint64_t i = 0; i < warmup; ++i) {
    Reading reading;
    const Outcome measured = measure_with_retries(ticket, reading);
    if (measured != Outcome::done) {
      setting_.clear();  // not settled: apply it again next time
      return measured;
    }
    study_.note(Observed{setting_, reading.reward, Role::warm_up});
    study_.commit();
  }
  return Outcome::done;
}

SystemKeeper::Outcome SystemKeeper::measure_with_retries(Ticket ticket, Reading& into) {
  return attempt(ticket, retries(), [&]() -> std::optional<SystemFailure> {
    auto result = canopy::measure(system_, setting_);
    if (auto* failure = std::get_if<SystemFailure>(&result)) return std::move(*failure);
    into = std::get<Reading>(std::move(result));
    return std::nullopt;
  });
}

SystemKeeper::Outcome SystemKeeper::measure(Ticket ticket, Reading& into) {
  const Outcome outcome = measure_with_retries(ticket, into);
  if (outcome == Outcome::done && !into.metrics.empty()) {
    (void)(ticket != 0 ? study_.measure(ticket, setting_, into.metrics)
                       : study_.measure_in(state().last_context(), setting_, into.metrics));
  }
  return outcome;
}

SystemKeeper::Outcome SystemKeeper::measure_at(const std::vector<double>& arm, Reading& into) {
  Outcome outcome = monitor_.is_interrupted() ? Outcome::stopped : Outcome::done;
  if (outcome == Outcome::done && setting_ != arm) outcome = set(arm, 0);
  return outcome == Outcome::done ? measure(0, into) : outcome;
}

// --- recovery -----------------------------------------------------------------------------------

SystemKeeper::Outcome SystemKeeper::set_and_probe(const std::vector<double>& arm) {
  setting_.clear();
  const Outcome outcome = attempt(0, 0, [&] { return system_.apply(arm); });
  if (outcome != Outcome::done) return outcome;
  has_setting(arm, 0);
  return attempt(0, 0, [&]() -> std::optional<SystemFailure> {
    const auto result = canopy::measure(system_, arm);
    if (const auto* failure = std::get_if<SystemFailure>(&result)) return *failure;
    study_.note(Observed{arm, std::get<Reading>(result).reward, Role::warm_up});
    study_.commit();
    return std::nullopt;
  });
}

SystemKeeper::Outcome SystemKeeper::set_and_probe(const std::vector<std::vector<double>>& arms) {
  Outcome outcome = Outcome::failed;
  for (std::size_t i = 0; i < arms.size() && outcome == Outcome::failed; ++i) {
    outcome = set_and_probe(arms[i]);
  }
  return outcome;
}

SystemKeeper::Return SystemKeeper::return_to(const std::vector<double>& arm) {
  return return_to(std::vector<std::vector<double>>(1, arm));
}

SystemKeeper::Return SystemKeeper::return_to(const std::vector<std::vector<double>>& arms) {
  monitor_.set_phase(TunerMonitor::Phase::down);
  const double patience = has_ever_worked() ? options_.outage_seconds
                                            : std::min(kFirstPatience, options_.outage_seconds);
  const double until = study_.now() + patience;
  double pause = kFirstPause;
  for (bool was_down = false;; was_down = true) {
    const Outcome outcome = set_and_probe(arms);
    if (outcome == Outcome::stopped) return Return::stopped;
    if (outcome == Outcome::done) return was_down ? Return::works_again : Return::works;
    setting_.clear();
    const double left = until - study_.now();
    if (left <= 0.0) break;
    if (!monitor_.sleep(std::min(pause, left))) return Return::stopped;
    pause = std::min(2.0 * pause, kLongestPause);
  }
  if (!has_ever_worked()) {
    monitor_.end(
        {TuneEnd::Why::failure,
         fmt::format("nothing has been measured yet, and {} fails as well: {}",
                     arm_text(study_.specification().space, arms.front()), monitor_.failure())});
    return Return::down;
  }
  const std::string what = arms.size() == 1 ? arm_text(study_.specification().space, arms.front()) +
                                                  ", which worked before, fails"
                                            : "all settings that worked before fail";
  monitor_.end(
      {TuneEnd::Why::failure, fmt::format("the system has been down for {:g} s: {}: {}",
                                          options_.outage_seconds, what, monitor_.failure())});
  return Return::down;
}

std::optional<SystemFailure> SystemKeeper::leave_at(const std::vector<double>& arm) {
  setting_.clear();
  auto failure = system_.leave_at(arm);
  if (!failure) {
    setting_ = arm;
    monitor_.note_setting(arm_text(study_.specification().space, arm));
  }
  return failure;
}

}  // namespace canopy
