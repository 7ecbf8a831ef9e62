#include "studies/tuner.hpp"

#include "studies/answers.hpp"
#include "studies/tuner_state.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr int kRetries = 3;
constexpr double kFirstPause = 0.25;  // seconds before the first retry; doubled before the others
constexpr std::uint64_t kMostFailures = 10;  // in a row, when failures are skipped

}  // namespace

Tuner::Tuner(Study& study, const std::atomic<bool>& stop,
             std::function<void(const TuneProgress&)> on_progress)
    : study_(study),
      system_specification_(*study.specification().system),
      options_(system_specification_.options),
      settle_(settle_of(study.specification().optimizer)),
      stop_(stop),
      on_progress_(std::move(on_progress)),
      system_(system_specification_, study.specification().space, &stop) {}

std::string Tuner::text_of(Arm arm) const {
  return arm_text(study_.specification().space, arm);
}

// --- from the beginning to the end ------------------------------------------------------------

TuneEnd Tuner::run() {
  try {
    resume();
    TuneEnd end = run_to_the_end();
    end.pulls = pulls();
    leave(end, end.why == TuneEnd::Why::failure || end.why == TuneEnd::Why::floor);
    study_.note(TunerStopped{end.text, end.why == TuneEnd::Why::floor});
    study_.commit();
    study_.snapshot();
    return end;
  } catch (const std::exception& error) {
    throw TuneError(error.what() + put_baseline_back());
  }
}

std::string Tuner::put_baseline_back() {
  const auto& baseline = system_specification_.baseline;
  if (!baseline || !system_.can_be_set()) return "";
  const auto failure = system_.apply_at_the_end(*baseline);
  return failure ? "; the baseline could not be restored: " + failure->what
                 : "; the baseline was restored";
}

TuneEnd Tuner::run_to_the_end() {
  for (;;) {
    if (auto end = over()) {
      // Rewards that are held back stay so as long as the arm must not change: the next run of the
      // tuner has them from the journal.
      if (!must_hold(state().pulls_here())) release();
      return *end;
    }
    report();
    step();
  }
}

// --- where an earlier tuner was -----------------------------------------------------------------

/// Of the tickets that are open, some wait for their rewards to be told; one is to be answered.
void Tuner::resume() {
  for (const Pull& pull : study_.in_flight()) {
    if (!pull_ && !state().held().contains(pull.ticket)) pull_.emplace(pull);
  }
  earlier_seconds_ = state().seconds_so_far();
  started_ = study_.now();
  study_.note(TunerStarted{earlier_seconds_});
  study_.commit();
}

double Tuner::seconds() const {
  return earlier_seconds_ + (study_.now() - started_);
}

std::uint64_t Tuner::pulls() const {
  return study_.summary().t - 1 + state().held().size();
}

std::optional<TuneEnd> Tuner::over() const {
  const Budget& budget = study_.specification().budget;
  if (end_) return end_;
  if (stop_) return TuneEnd{TuneEnd::Why::interrupted, "interrupted"};
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

void Tuner::report() const {
  if (!on_progress_) return;
  on_progress_({seconds(), pulls(), state().changes(), setting_.empty() ? "" : text_of(setting_)});
}

// --- one pull ---------------------------------------------------------------------------------

void Tuner::step() {
  if (!pull_) {
    pull_.emplace(study_.ask());
    study_.commit();
  }
  if (setting_ != pull_->arm) {
    // A restart in the middle of a visit does not end it.
    if (baseline_is_due() && state().setting() != pull_->arm) measure_baseline();
    if (end_ || stop_) return;
    if (setting_ != pull_->arm && !set_system(pull_->arm, pull_->ticket)) return;
  }
  if (const auto reward = measured(pull_->arm, pull_->ticket)) learn(*reward);
}

/// How many pulls after a change are measured and not told to the optimizer. One that follows how
/// the system settles needs none, except where it does not know where the system comes from: at
/// the beginning and around the baseline, which is not among its pulls.
std::uint64_t Tuner::warmup_to(Ticket ticket) const {
  const std::vector<double>& before = state().setting();
  const bool is_known = ticket != 0 && !before.empty() && before != system_specification_.baseline;
  if (settle_ == 0) return options_.warmup_pulls;
  return is_known ? 0 : settle_;
}

/// Gives the system a setting and lets it settle.
bool Tuner::set_system(Arm arm, Ticket ticket) {
  const std::uint64_t warmup_pulls = warmup_to(ticket);
  setting_.clear();
  if (!attempt(ticket, [&] { return system_.apply(arm); })) return false;
  study_.note(Applied{ticket, {arm.begin(), arm.end()}});
  study_.commit();
  for (std::uint64_t i = 0; i < warmup_pulls && !stop_; ++i) {
    const auto reward = measured(arm, ticket);
    if (end_) return false;
    if (!reward) continue;
    study_.note(WarmedUp{ticket, *reward});
    study_.commit();
  }
  setting_.assign(arm.begin(), arm.end());
  return !stop_;
}

bool Tuner::baseline_is_due() const {
  if (options_.baseline_every == 0) return false;
  return !state().baseline_is_known() ||
         state().changes_since_baseline() >= options_.baseline_every;
}

/// The control: how the system does at the baseline these days.
void Tuner::measure_baseline() {
  const std::vector<double>& baseline = *system_specification_.baseline;
  if (!set_system(baseline, 0)) return;
  report();
  while (state().baseline_pulls() < options_.baseline_pulls && !stop_ && !end_) {
    const auto reward = measured(baseline, 0);
    if (!reward) continue;
    study_.note(BaselineMeasured{*reward});
    study_.commit();
  }
}

std::optional<double> Tuner::measured(Arm arm, Ticket ticket) {
  std::optional<double> reward;
  const bool went_well = attempt(ticket, [&]() -> std::optional<SystemFailure> {
    const auto result = system_.measure(arm);
    if (const auto* failure = std::get_if<SystemFailure>(&result)) return *failure;
    reward = std::get<double>(result);
    if (RewardMap::usable(*reward)) return std::nullopt;
    return SystemFailure{
        fmt::format("the reward {:g}: {}", *reward, describe(Status::not_a_reward))};
  });
  return went_well ? reward : std::nullopt;
}

/// Tries something as often as the study allows. False when it did not go well.
template <class Try>
bool Tuner::attempt(Ticket ticket, Try&& try_once) {
  double wait = kFirstPause;
  for (int retries = 0;; ++retries, wait *= 2.0) {
    const std::optional<SystemFailure> failure = try_once();
    if (!failure) {
      failures_ = 0;
      return true;
    }
    if (stop_) return false;  // which is why it failed
    ++failures_;
    study_.note(Failed{ticket, failure->what});
    study_.commit();
    const bool retry = options_.on_failure == OnFailure::retry && retries < kRetries;
    const bool skip = options_.on_failure == OnFailure::skip && failures_ < kMostFailures;
    if (!retry && !skip) {
      end_ =
          TuneEnd{TuneEnd::Why::failure, fmt::format("{} ({} in a row)", failure->what, failures_)};
    }
    if (!retry) return false;
    pause(wait);
  }
}

void Tuner::pause(double seconds) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!stop_ && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// --- learning, and when not to move ------------------------------------------------------------

void Tuner::learn(double reward) {
  if (pull_->length == 1 && must_hold(state().pulls_here() + 1)) {
    study_.note(Held{pull_->ticket, reward});
    pull_.emplace(study_.ask_again());
  } else {
    release();
    tell(pull_->ticket, reward);
    if (--pull_->length == 0) pull_.reset();
  }
  study_.commit();
  check_floor();
}

bool Tuner::must_hold(std::uint64_t pulls_here) const {
  if (pulls_here < options_.min_pulls_per_change) return true;
  if (!options_.max_changes_per_hour) return false;
  const std::uint64_t wanted = baseline_is_due() ? 2 : 1;  // there, and on to the next arm
  return state().changes_after(study_.now() - kHour) + wanted > *options_.max_changes_per_hour;
}

/// Tells what was measured and not told yet.
void Tuner::release() {
  const std::map<Ticket, double> held = state().held();
  for (const auto& [ticket, reward] : held) tell(ticket, reward);
}

void Tuner::tell(Ticket ticket, double reward) {
  const Status status = study_.tell(ticket, reward);
  if (status == Status::ok) return;
  (void)study_.drop(ticket);  // or it would be tried again and again
  end_ =
      TuneEnd{TuneEnd::Why::failure, fmt::format("the reward {:g}: {}", reward, describe(status))};
}

void Tuner::check_floor() {
  const std::deque<double>& window = state().window();
  if (!options_.floor || window.size() < options_.floor_window) return;
  const double mean =
      std::accumulate(window.begin(), window.end(), 0.0) / static_cast<double>(window.size());
  const bool maximizes = study_.specification().objective.direction == Direction::maximize;
  if (maximizes ? mean >= *options_.floor : mean <= *options_.floor) return;
  end_ = TuneEnd{TuneEnd::Why::floor,
                 fmt::format("the last {} rewards are {:.4g} on average, {} the floor of {:g}",
                             window.size(), mean, maximizes ? "below" : "above", *options_.floor)};
}

/// Leaves the system with the setting that was asked for; in need, with the baseline.
void Tuner::leave(TuneEnd& end, bool in_need) {
  if (!system_.can_be_set()) return;
  const auto best = study_.best();
  const auto& baseline = system_specification_.baseline;
  std::vector<double> arm;
  if ((in_need || options_.on_exit == OnExit::baseline) && baseline) {
    arm = *baseline;
  } else if (!in_need && options_.on_exit == OnExit::best && best) {
    arm.assign(best->arm.begin(), best->arm.end());
  } else {
    if (!setting_.empty()) end.setting = text_of(setting_);
    return;
  }
  const std::string wanted = text_of(arm);
  if (arm != setting_) {
    if (const auto failure = system_.apply_at_the_end(arm)) {
      study_.note(Failed{0, failure->what});
      end.text += "; the system could not be set to " + wanted + ": " + failure->what;
      end.why = TuneEnd::Why::failure;
      return;
    }
    study_.note(Applied{0, arm});
  }
  end.setting = wanted;
}

}  // namespace canopy
