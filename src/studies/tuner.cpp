#include "studies/tuner.hpp"

#include "studies/arm_json.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr int kRetries = 3;
constexpr double kFirstPause = 0.25;  // seconds before the first retry; doubled before the others
constexpr std::uint64_t kMostFailures = 10;  // in a row, when failures are skipped
constexpr double kHour = 3600.0;
constexpr double kFloorStop = 1.0;  // the value of a stop because of the floor

}  // namespace

Tuner::Tuner(Study& study, const std::atomic<bool>& stop,
             std::function<void(const TuneProgress&)> on_progress)
    : study_(study),
      system_specification_(*study.specification().system),
      options_(system_specification_.options),
      stop_(stop),
      on_progress_(std::move(on_progress)),
      system_(system_specification_, study.specification().space, &stop),
      map_(study.specification().objective) {
  if (system_specification_.baseline) {
    baseline_text_ = arm_text(study.specification().space, *system_specification_.baseline);
  }
}

// --- from the beginning to the end ------------------------------------------------------------

TuneEnd Tuner::run() {
  try {
    resume();
    TuneEnd end = run_to_the_end();
    end.pulls = pulls();
    leave(end, end.why == TuneEnd::Why::failure || end.why == TuneEnd::Why::floor);
    study_.note({.kind = EventKind::stop,
                 .value = end.why == TuneEnd::Why::floor ? kFloorStop : 0.0,
                 .text = end.text});
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
  return failure ? "; the baseline could not be put back: " + failure->what
                 : "; the baseline was put back";
}

TuneEnd Tuner::run_to_the_end() {
  for (;;) {
    if (auto end = over()) {
      // Rewards that are held back stay so as long as the arm must not change: the next run of the
      // tuner has them from the journal.
      if (!held_.empty() && !must_hold()) release();
      return *end;
    }
    report();
    step();
  }
}

// --- where an earlier tuner was -----------------------------------------------------------------

void Tuner::resume() {
  static constexpr std::array kKinds{EventKind::start, EventKind::stop, EventKind::apply,
                                     EventKind::hold, EventKind::baseline};
  double last_at = study_.record().updated;
  double last_start = last_at;
  std::uint64_t last_change = 0;
  std::uint64_t baseline_pulls = 0;
  std::vector<Held> all_held;
  const auto learn_from = [&](const Event& event) {
    if (event.kind == EventKind::start) {
      earlier_seconds_ = event.value;
      last_start = event.at;
      last_at = study_.record().updated;
    } else if (event.kind == EventKind::stop) {
      last_at = event.at;
    } else if (event.kind == EventKind::hold) {
      all_held.push_back({event.ticket, event.value});
    } else if (event.kind == EventKind::baseline) {
      if (earlier_setting_ == baseline_text_ && ++baseline_pulls >= options_.baseline_pulls) {
        baseline_known_ = true;
        changes_since_baseline_ = 0;
      }
    } else {
      if (event.text != earlier_setting_) {
        last_change = event.number;
        count_change(event.text, event.at);
      }
      baseline_pulls = 0;
    }
  };
  study_.store().for_each_event(study_.record(), 0, learn_from, kKinds);
  earlier_seconds_ += last_at - last_start;
  resume_rewards(last_change);
  resume_tickets(all_held);
  started_ = study_.now();
  study_.note({.kind = EventKind::start, .value = earlier_seconds_});
  study_.commit();
}

/// How many pulls the present setting has had, and the last rewards for the floor, unless they have
/// ended a tuner already.
void Tuner::resume_rewards(std::uint64_t last_change) {
  const std::uint64_t events = study_.record().events;
  const std::uint64_t far_enough = options_.floor ? 10 * options_.floor_window + 1000 : 0;
  const std::uint64_t for_floor = events - std::min(events, far_enough);
  std::set<Ticket> held;  // which are told later
  const auto learn_from = [&](const Event& event) {
    if (event.kind == EventKind::hold) held.insert(event.ticket);
    const bool told_first = event.kind == EventKind::tell && !held.contains(event.ticket);
    if (event.kind == EventKind::hold || told_first) {
      if (event.number > last_change) ++pulls_here_;
      remember_for_floor(event.value);
    }
    if (event.kind == EventKind::stop && event.value == kFloorStop) window_.clear();
  };
  study_.store().for_each_event(study_.record(), std::min(last_change, for_floor), learn_from);
}

/// The tickets that are open: those that wait for their rewards to be told, and one to go on with.
void Tuner::resume_tickets(const std::vector<Held>& all_held) {
  for (const Pull& pull : study_.in_flight()) {
    const auto held = std::find_if(all_held.begin(), all_held.end(),
                                   [&](const Held& each) { return each.ticket == pull.ticket; });
    if (held != all_held.end()) {
      held_.push_back(*held);
    } else if (!pull_) {
      pull_ = pull;
    }
  }
}

void Tuner::count_change(const std::string& setting, double at) {
  ++changes_;
  if (setting != baseline_text_) ++changes_since_baseline_;
  change_times_.push_back(at);
  while (change_times_.front() < at - kHour) change_times_.pop_front();
  earlier_setting_ = setting;
}

double Tuner::seconds() const {
  return earlier_seconds_ + (study_.now() - started_);
}

std::uint64_t Tuner::pulls() const {
  return study_.summary().t - 1 + held_.size();
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
  if (on_progress_) on_progress_({seconds(), pulls(), changes_, setting_});
}

// --- one pull ---------------------------------------------------------------------------------

void Tuner::step() {
  if (!pull_) {
    pull_ = study_.ask();
    study_.commit();
  }
  arm_.assign(pull_->arm.begin(), pull_->arm.end());
  const std::string wanted = arm_text(study_.specification().space, arm_);
  if (setting_ != wanted) {
    if (baseline_is_due()) measure_baseline();
    if (end_ || stop_) return;
    if (setting_ != wanted && !set_system(arm_, pull_->ticket)) return;
  }
  if (const auto reward = measured(arm_, pull_->ticket)) learn(*reward);
}

/// Gives the system a setting and lets it settle.
bool Tuner::set_system(Arm arm, Ticket ticket) {
  const std::string wanted = arm_text(study_.specification().space, arm);
  setting_.clear();
  if (!attempt(ticket, [&] { return system_.apply(arm); })) return false;
  study_.note({.kind = EventKind::apply, .ticket = ticket, .text = wanted});
  study_.commit();
  if (wanted != earlier_setting_) {  // else it was only put back after a restart
    count_change(wanted, study_.now());
    pulls_here_ = 0;
  }
  for (std::uint64_t i = 0; i < options_.warmup_pulls && !stop_; ++i) {
    const auto reward = measured(arm, ticket);
    if (end_) return false;
    if (!reward) continue;
    study_.note({.kind = EventKind::warm_up, .ticket = ticket, .value = *reward});
    study_.commit();
  }
  setting_ = wanted;
  return !stop_;
}

bool Tuner::baseline_is_due() const {
  if (options_.baseline_every == 0) return false;
  return !baseline_known_ || changes_since_baseline_ >= options_.baseline_every;
}

/// The control: how the system does at the baseline these days.
void Tuner::measure_baseline() {
  const std::vector<double>& baseline = *system_specification_.baseline;
  if (!set_system(baseline, 0)) return;
  report();
  for (std::uint64_t i = 0; i < options_.baseline_pulls && !stop_ && !end_; ++i) {
    const auto reward = measured(baseline, 0);
    if (!reward) continue;
    study_.note({.kind = EventKind::baseline, .value = *reward});
    study_.commit();
  }
  if (stop_ || end_) return;
  baseline_known_ = true;
  changes_since_baseline_ = 0;
}

std::optional<double> Tuner::measured(Arm arm, Ticket ticket) {
  std::optional<double> reward;
  const bool went_well = attempt(ticket, [&]() -> std::optional<SystemFailure> {
    const auto result = system_.measure(arm);
    if (const auto* failure = std::get_if<SystemFailure>(&result)) return *failure;
    reward = std::get<double>(result);
    if (RewardMap::usable(map_.to_mapped(*reward))) return std::nullopt;
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
    study_.note({.kind = EventKind::failure, .ticket = ticket, .text = failure->what});
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
  ++pulls_here_;
  held_.push_back({pull_->ticket, reward});
  if (pull_->length == 1 && must_hold()) {
    // Until its last reward is told the episode goes on: the next ask is for the same arm.
    study_.note({.kind = EventKind::hold, .ticket = pull_->ticket, .value = reward});
    pull_ = study_.ask(1);
    study_.commit();
  } else {
    release();
    if (--pull_->length == 0) pull_.reset();
  }
  remember_for_floor(reward);
  check_floor();
}

bool Tuner::must_hold() const {
  if (pulls_here_ < options_.min_pulls_per_change) return true;
  if (!options_.max_changes_per_hour) return false;
  const double since = study_.now() - kHour;
  const auto recent = std::count_if(change_times_.begin(), change_times_.end(),
                                    [since](double at) { return at > since; });
  const std::uint64_t wanted = baseline_is_due() ? 2 : 1;  // there, and on to the next arm
  return static_cast<std::uint64_t>(recent) + wanted > *options_.max_changes_per_hour;
}

/// Tells what was measured and not told yet.
void Tuner::release() {
  for (const Held& each : held_) {
    const Status status = study_.tell(each.ticket, each.reward);
    if (status == Status::ok) continue;
    (void)study_.drop(each.ticket);  // or it would be tried again for ever
    end_ = TuneEnd{TuneEnd::Why::failure,
                   fmt::format("the reward {:g}: {}", each.reward, describe(status))};
  }
  held_.clear();
  study_.commit();
}

void Tuner::remember_for_floor(double reward) {
  if (!options_.floor) return;
  window_.push_back(reward);
  if (window_.size() > options_.floor_window) window_.pop_front();
}

void Tuner::check_floor() {
  if (!options_.floor || window_.size() < options_.floor_window) return;
  const double mean =
      std::accumulate(window_.begin(), window_.end(), 0.0) / static_cast<double>(window_.size());
  const bool maximizes = study_.specification().objective.direction == Direction::maximize;
  if (maximizes ? mean >= *options_.floor : mean <= *options_.floor) return;
  end_ = TuneEnd{TuneEnd::Why::floor,
                 fmt::format("the last {} rewards are {:.4g} on average, {} the floor of {:g}",
                             window_.size(), mean, maximizes ? "below" : "above", *options_.floor)};
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
    end.setting = setting_;
    return;
  }
  const std::string wanted = arm_text(study_.specification().space, arm);
  if (wanted != setting_) {
    if (const auto failure = system_.apply_at_the_end(arm)) {
      study_.note({.kind = EventKind::failure, .text = failure->what});
      end.text += "; the system could not be set to " + wanted + ": " + failure->what;
      end.why = TuneEnd::Why::failure;
      return;
    }
    study_.note({.kind = EventKind::apply, .text = wanted});
  }
  end.setting = wanted;
}

}  // namespace canopy
