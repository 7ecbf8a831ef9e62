#include "studies/tuner.hpp"

#include "core/text.hpp"
#include "studies/act_text.hpp"
#include "studies/answers.hpp"
#include "studies/tuner_state.hpp"
#include "systems/excerpt.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::chrono::seconds kBetweenLooks{1};  // for what people want

std::string broken_text(const Limit& limit, double value) {
  return fmt::format("{} is {:.4g}, and must be {}", limit.metric, value, limit.text());
}

}  // namespace

Tuner::Tuner(Study& study, const TunerSignals& signals,
             std::function<void(const TuneProgress&)> on_progress)
    : study_(study),
      system_specification_(*study.specification().system),
      options_(system_specification_.options),
      settle_(settle_of(study.specification().optimizer)),
      signals_(signals),
      stop_(signals.stop),
      on_progress_(std::move(on_progress)),
      keeper_(study, signals.stop, [this] {
        look_for_acts();
        report(phase_);
        return !is_called_away();
      }) {}

std::string Tuner::text_of(Arm arm) const {
  return arm_text(study_.specification().space, arm);
}

// --- from the beginning to the end ------------------------------------------------------------

TuneEnd Tuner::run() {
  return safely([&] {
    TuneEnd end = search();
    const auto& confirm_pulls = study_.specification().budget.confirm_pulls;
    const bool is_ended = state().order() == Act::end;  // then nothing more is tried
    if (end.why == TuneEnd::Why::budget && confirm_pulls && !is_ended) {
      const std::optional<Best> best = study_.best();
      const auto& verdict = state().verdict();
      const bool is_known = verdict && best && verdict->arm == best->arm;
      if (!is_known || state().comparison()) compare(*confirm_pulls);
      if (const auto sooner = over_early()) end = *sooner;
    }
    return end;
  });
}

TuneEnd Tuner::confirm(std::uint64_t pulls) {
  return safely([&]() -> TuneEnd {
    compare(pulls);
    if (const auto end = over_early()) return *end;
    return {TuneEnd::Why::budget, "compared with the baseline"};
  });
}

/// Everything around the work itself, so that the system is never left alone.
TuneEnd Tuner::safely(const std::function<TuneEnd()>& work) {
  try {
    resume();
    TuneEnd end = going_on(work);
    end.pulls = pulls();
    if (const auto& verdict = state().verdict()) end.verdict = verdict->text;
    leave(end, end.why == TuneEnd::Why::failure || end.why == TuneEnd::Why::floor);
    const bool at_limit = end.why == TuneEnd::Why::floor || end.why == TuneEnd::Why::failure;
    end = going_on([&] {
      study_.note(TunerStopped{end.text, at_limit});
      study_.commit();
      return end;
    });
    study_.snapshot();
    return end;
  } catch (const StoreError& error) {
    // Whoever has taken over the study is setting the system by now.
    const bool theirs = error.fault() == StoreError::Fault::taken_over;
    throw TuneError(error.what() + (theirs ? "; the system is theirs" : put_baseline_back()));
  } catch (const std::exception& error) {
    throw TuneError(error.what() + put_baseline_back());
  }
}

/// Somebody may have written to the study while we slept, or were cut off: a server that took note
/// of an act, say. The study is ours again and knows of it; what we had not written is lost, and
/// the system may have been set.
TuneEnd Tuner::going_on(const std::function<TuneEnd()>& work) {
  for (;;) {
    try {
      return work();
    } catch (const StoreError& error) {
      if (error.fault() != StoreError::Fault::moved_on) throw;
      keeper_.forget_setting();
      find_pull();
      acts_seen_ = 0;
    }
  }
}

std::string Tuner::put_baseline_back() {
  const auto& baseline = system_specification_.baseline;
  if (!baseline || !keeper_.system().can_be_set()) return "";
  const auto failure = keeper_.set_at_the_end(*baseline);
  return failure ? "; the baseline could not be restored: " + failure->what
                 : "; the baseline was restored";
}

TuneEnd Tuner::search() {
  for (;;) {
    wait_if_asked();
    if (!over_early() && comparison_is_due()) {
      const auto& usual = study_.specification().budget.confirm_pulls;
      const std::uint64_t wanted = state().wanted_comparison().value_or(0);
      compare(wanted != 0 ? wanted : usual.value_or(kConfirmPulls));
      continue;
    }
    if (auto end = over()) {
      // Rewards that are held back stay so as long as the arm must not change: the next run of the
      // tuner has them from the journal.
      if (!must_hold(state().pulls_here())) release();
      return *end;
    }
    report(Phase::searching);
    step();
  }
}

// --- where an earlier tuner was -----------------------------------------------------------------

/// Of the tickets that are open, some wait for their rewards to be told, or for the first reward of
/// all; one is to be answered.
void Tuner::find_pull() {
  pull_.reset();
  suspect_ = 0;
  forgiven_ = 0;
  for (const Pull& pull : study_.in_flight()) {
    const bool waits =
        state().held().contains(pull.ticket) || state().put_off().contains(pull.ticket);
    if (!pull_ && !waits) pull_.emplace(pull);
  }
}

void Tuner::resume() {
  look_for_acts();  // an end that was wanted while nobody was at work is no end of what begins now
  find_pull();
  earlier_seconds_ = state().seconds_so_far();
  started_ = study_.now();
  study_.note(TunerStarted{earlier_seconds_});
  study_.commit();
  blame_deadly_arm();
}

/// An arm that takes us down with it would do so for ever.
void Tuner::blame_deadly_arm() {
  const bool is_deadly = options_.max_crashes != 0 && state().crashes() >= options_.max_crashes;
  if (!is_deadly || !pull_ || !is_in_visit()) return;
  keeper_.fail_for_good(pull_->ticket,
                        fmt::format("canopy was killed {} times in a row while the system had this "
                                    "setting, before it could be measured",
                                    state().crashes()));
}

double Tuner::seconds() const {
  if (clock_is_stopped_) return state().seconds_so_far();
  return earlier_seconds_ + (study_.now() - started_);
}

std::uint64_t Tuner::pulls() const {
  return study_.summary().t - 1 + state().held().size() + state().put_off().size();
}

/// Whatever is left of the budget.
std::optional<TuneEnd> Tuner::over_early() const {
  if (end_) return end_;
  if (stop_) return TuneEnd{TuneEnd::Why::interrupted, std::string(kWasInterrupted)};
  if (state().order() != Act::end) return std::nullopt;
  return TuneEnd{TuneEnd::Why::budget, "ended by " + excerpt(state().ordered_by())};
}

std::optional<TuneEnd> Tuner::over() const {
  const Budget& budget = study_.specification().budget;
  if (auto end = over_early()) return end;
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

void Tuner::report(Phase phase) {
  phase_ = phase;
  if (!on_progress_) return;
  on_progress_({phase, seconds(), pulls(), state().changes(), state().failures(),
                keeper_.setting().empty() ? "" : text_of(keeper_.setting()), keeper_.failure(),
                reward_, state().order(), state().ordered_by()});
}

// --- what people want ---------------------------------------------------------------------------

/// Takes note of what was posted since the last time. A store that cannot be read now can be read
/// later.
void Tuner::look_for_acts() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + kBetweenLooks;
  std::vector<PostedAct> posted;
  try {
    posted = study_.store().acts(study_.record().id, std::max(acts_seen_, state().last_act()));
  } catch (const StoreError&) {
    return;
  }
  for (const PostedAct& each : posted) take(each);
  if (!posted.empty()) study_.commit();
}

void Tuner::take(const PostedAct& posted) {
  acts_seen_ = posted.number;
  try {
    const WantedAct wanted = act_from(posted.text);
    study_.note(ActTaken{posted.number, wanted.act, wanted.pulls, wanted.by});
    const bool needs_baseline = wanted.act == Act::baseline || wanted.act == Act::confirm;
    if (needs_baseline && !system_specification_.baseline) {
      study_.note(Failed{0, fmt::format("{}, as {} wants: the study has no baseline",
                                        name_of(wanted.act), excerpt(wanted.by))});
    }
  } catch (const SpecificationError& error) {
    study_.note(Failed{0, fmt::format("act {}, which somebody posted, cannot be understood: {}",
                                      posted.number, excerpt(error.what(), 200))});
  }
}

/// What the system is to wait at, as long as somebody wants that.
std::optional<Act> Tuner::wait_that_is_wanted() const {
  if (over_early()) return std::nullopt;
  if (state().order()) return state().order();
  const bool by_signal = signals_.pause != nullptr && *signals_.pause;
  return by_signal ? std::optional(Act::pause) : std::nullopt;
}

/// Whether the search is to be left as it is: somebody wants the system, or the end.
bool Tuner::is_called_away() const {
  return over_early() || wait_that_is_wanted();
}

/// Somebody wants the system for a while. That is not time of tuning.
void Tuner::wait_if_asked() {
  look_for_acts();
  std::optional<Act> obeyed;
  while (const std::optional<Act> wanted = wait_that_is_wanted()) {
    if (wanted != obeyed) go_to_wait(*wanted);
    obeyed = wanted;
    stop_clock();
    report(Phase::paused);
    (void)keeper_.pause(0.1);
    look_for_acts();
  }
  start_clock();
}

/// Sets what the system waits at: the best setting that is known, the baseline, or what it has.
void Tuner::go_to_wait(Act act) {
  if (act == Act::hold || !keeper_.system().can_be_set()) return;
  const std::vector<double> arm =
      act == Act::baseline ? *system_specification_.baseline : best_known_setting(study_).arm;
  if (arm.empty() || arm == keeper_.setting()) return;
  if (const auto failure = keeper_.set_at_the_end(arm)) {
    study_.note(Failed{0, failure->what});
  } else {
    study_.note(Applied{0, arm});
  }
  study_.commit();
}

void Tuner::stop_clock() {
  if (clock_is_stopped_) return;
  study_.note(TunerStopped{std::string(kPaused)});
  study_.commit();
  clock_is_stopped_ = true;
}

void Tuner::start_clock() {
  if (!clock_is_stopped_) return;
  earlier_seconds_ = state().seconds_so_far();
  started_ = study_.now();
  study_.note(TunerStarted{earlier_seconds_});
  study_.commit();
  clock_is_stopped_ = false;
}

// --- one pull ---------------------------------------------------------------------------------

void Tuner::step() {
  if (!pull_) {
    pull_.emplace(study_.ask());
    study_.commit();
  }
  if (state().failed() == pull_->ticket && forgiven_ != pull_->ticket) {
    arm_failed();
    return;
  }
  if (study_.is_barred(pull_->arm)) {  // it has been found out; nothing need be set or measured
    (void)study_.bar(pull_->arm, failure_reward().value_or(0.0));
    penalize();
    return;
  }
  if (!is_in_visit()) {
    if (baseline_is_due()) measure_baseline();
    if (is_called_away()) return;
    wait_until_it_may_change(pull_->arm);
    if (is_called_away()) return;
  }
  if (keeper_.setting() != pull_->arm || !is_in_visit()) {
    const Outcome outcome = keeper_.set(pull_->arm, pull_->ticket, warmup_to(pull_->ticket));
    if (outcome == Outcome::failed) stop_or_blame();
    if (outcome != Outcome::done) return;
  }
  Reading reading;
  const Outcome outcome = keeper_.measure(pull_->ticket, reading);
  if (outcome == Outcome::failed) stop_or_blame();
  if (outcome != Outcome::done) return;
  suspect_ = 0;
  reward_ = reading.reward;
  note_metrics(pull_->ticket, reading);
  if (!breaks_limit(reading)) learn(reading.reward);
}

/// Whether the system has the arm that is to be pulled, and the search has put it there: a restart
/// does not end a visit.
bool Tuner::is_in_visit() const {
  return !state().is_elsewhere() && state().setting() == pull_->arm;
}

/// Rewards are held back so that this is rarely needed: after a failure, say.
void Tuner::wait_until_it_may_change(Arm arm) {
  if (!options_.max_changes_per_hour) return;
  const bool changes =
      !std::equal(arm.begin(), arm.end(), state().setting().begin(), state().setting().end());
  while (changes && !is_called_away() &&
         state().changes_after(study_.now() - kHour) + 1 > *options_.max_changes_per_hour) {
    look_for_acts();
    report(Phase::waiting);
    (void)keeper_.pause(1.0);
  }
}

/// How many pulls after a change are measured and not told to the optimizer. One that follows how
/// the system settles needs none, except where it does not know where the system comes from: at
/// the beginning, and from a setting that is not among its pulls.
std::uint64_t Tuner::warmup_to(Ticket ticket) const {
  if (settle_ == 0) return options_.warmup_pulls;
  return ticket != 0 && !state().comes_from_elsewhere() ? 0 : settle_;
}

bool Tuner::baseline_is_due() const {
  if (options_.baseline_every == 0) return false;
  return !state().baseline_is_known() ||
         state().changes_since_baseline() >= options_.baseline_every;
}

/// The control: how the system does at the baseline these days.
void Tuner::measure_baseline() {
  const std::vector<double>& baseline = *system_specification_.baseline;
  report(Phase::baseline);
  wait_until_it_may_change(baseline);
  while (baseline_is_due() && !is_called_away()) {
    look_for_acts();
    Outcome outcome = Outcome::done;
    if (keeper_.setting() != baseline) outcome = keeper_.set(baseline, 0, warmup_to(0));
    Reading reading;
    if (outcome == Outcome::done) outcome = keeper_.measure(0, reading);
    if (outcome == Outcome::failed) (void)go_back(baseline);
    if (outcome != Outcome::done) continue;
    note_metrics(0, reading);
    study_.note(BaselineMeasured{reading.reward});
    study_.commit();
  }
}

// --- failures ---------------------------------------------------------------------------------

/// A setting that was measured before, other than the arm that is being pulled.
std::optional<std::vector<double>> Tuner::setting_that_works() const {
  if (system_specification_.baseline) return system_specification_.baseline;
  for (const std::vector<double>& setting : state().good_settings()) {
    if (setting != pull_->arm) return setting;
  }
  return std::nullopt;
}

/// False if the system does not come back, or we were asked to stop.
bool Tuner::go_back(const std::vector<double>& arm) {
  phase_ = Phase::down;
  const SystemKeeper::Return result = keeper_.go_back(arm);
  if (result == SystemKeeper::Return::down) {
    end_ =
        TuneEnd{TuneEnd::Why::failure,
                fmt::format("the system is down: {} no longer works either, for {:g} s by now: {}",
                            text_of(arm), options_.outage_seconds, keeper_.failure())};
  }
  if (result == SystemKeeper::Return::works_again && pull_) suspect_ = pull_->ticket;
  return !end_ && !stop_ && result != SystemKeeper::Return::stopped;
}

void Tuner::stop_or_blame() {
  if (options_.on_failure == OnFailure::stop) {
    end_ = TuneEnd{TuneEnd::Why::failure, keeper_.failure()};
  } else {
    arm_failed();
  }
}

/// The arm cannot be set or measured. Is it the arm, or the system?
void Tuner::arm_failed() {
  forgiven_ = 0;
  const auto was_put_off = [this] {
    return std::any_of(state().put_off().begin(), state().put_off().end(),
                       [this](const auto& each) { return each.second == pull_->arm; });
  };
  const std::optional<std::vector<double>> good = setting_that_works();
  const bool is_own =
      good ? *good == pull_->arm : !state().good_settings().empty() || was_put_off();
  const bool was_suspected = suspect_ == pull_->ticket;
  if (good || is_own) {
    if (!go_back(is_own ? pull_->arm : *good)) return;
  }
  // The system went down with it. If that was a coincidence, the arm deserves another try.
  if (is_own || (suspect_ == pull_->ticket && !was_suspected)) {
    forgiven_ = pull_->ticket;
    return;
  }
  penalize();
}

std::optional<double> Tuner::failure_reward() const {
  return options_.failure_reward ? options_.failure_reward : study_.failure_reward();
}

/// Answers the pull with a penalty.
void Tuner::penalize() {
  release();
  const Ticket ticket = pull_->ticket;
  if (const std::optional<double> reward = failure_reward()) {
    if (study_.penalize(ticket, *reward) != Status::ok) (void)study_.drop(ticket);
  } else {
    study_.note(PutOff{ticket, pull_->arm});
  }
  pull_.reset();
  suspect_ = 0;
  study_.commit();
  check_failures();
}

/// What failed before the first reward, now that there is one.
void Tuner::penalize_put_off() {
  const std::map<Ticket, std::vector<double>> put_off = state().put_off();
  for (const auto& [ticket, arm] : put_off) {
    const std::optional<double> reward = study_.failure_reward();
    if (!reward) return;
    if (study_.penalize(ticket, *reward) != Status::ok) (void)study_.drop(ticket);
  }
}

void Tuner::check_failures() {
  if (state().recent_failures() < options_.max_failures) return;
  end_ = TuneEnd{TuneEnd::Why::failure,
                 fmt::format("{} of the last {} pulls failed, the last one because of: {}",
                             state().recent_failures(), kRecentPulls,
                             broken_limit_.empty() ? keeper_.failure() : broken_limit_)};
}

// --- other numbers ----------------------------------------------------------------------------

void Tuner::note_metrics(Ticket ticket, const Reading& reading) {
  if (!reading.metrics.empty()) study_.note(MetricsMeasured{ticket, reading.metrics});
}

/// The limit that an arm breaks beyond doubt, for people; empty: none.
std::string Tuner::surely_broken_limit(const std::vector<double>& arm) const {
  for (const Limit& limit : system_specification_.limits) {
    const Evidence& evidence = state().metrics().at(limit.metric);
    const ArmEstimate known = evidence.estimate(*evidence.find(arm));
    if (limit.is_surely_broken(known.interval)) return broken_text(limit, known.mean);
  }
  return "";
}

/// Leaves the arm if it breaks a limit: for good if that is beyond doubt, or only now if it is by
/// far.
bool Tuner::breaks_limit(const Reading& reading) {
  bar_broken_arms();
  broken_limit_ = surely_broken_limit(pull_->arm);
  for (const Limit& limit : system_specification_.limits) {
    const double value = reading.metrics.at(limit.metric);
    if (broken_limit_.empty() && limit.is_far_broken_by(value)) {
      broken_limit_ = broken_text(limit, value);
    }
  }
  if (broken_limit_.empty()) return false;
  keeper_.fail_for_good(pull_->ticket, broken_limit_);
  const std::optional<std::vector<double>> good = setting_that_works();
  if (good && *good != pull_->arm && !go_back(*good)) return true;
  penalize();
  return true;
}

/// What one arm shows about the noise of a metric may settle the case of others.
void Tuner::bar_broken_arms() {
  for (const Limit& limit : system_specification_.limits) {
    const Evidence& evidence = state().metrics().at(limit.metric);
    for (std::size_t i = 0; i < evidence.size(); ++i) {
      const std::vector<double> arm(evidence.arm(i).begin(), evidence.arm(i).end());
      if (arm == system_specification_.baseline || study_.is_barred(arm)) continue;
      if (!limit.is_surely_broken(evidence.estimate(i).interval)) continue;
      if (const std::optional<double> reward = failure_reward()) (void)study_.bar(arm, *reward);
    }
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
  penalize_put_off();
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
  const bool maximizes = direction() == Direction::maximize;
  if (maximizes ? mean >= *options_.floor : mean <= *options_.floor) return;
  end_ = TuneEnd{TuneEnd::Why::floor,
                 fmt::format("the last {} rewards are {:.4g} on average, {} the floor of {:g}",
                             window.size(), mean, maximizes ? "below" : "above", *options_.floor)};
}

// --- the best arm beside the baseline -----------------------------------------------------------

/// Whether one is going on, or somebody wants one and there is something to compare.
bool Tuner::comparison_is_due() const {
  if (!system_specification_.baseline) return false;
  return state().comparison() || (state().wanted_comparison() && study_.best());
}

void Tuner::compare(std::uint64_t pulls) {
  if (!state().comparison()) {
    const std::optional<Best> best = study_.best();
    if (!best) {
      end_ = TuneEnd{TuneEnd::Why::failure, "there is nothing to confirm: no arm has a reward"};
      return;
    }
    const std::uint64_t visit = Comparison::visit_of(study_.specification());
    study_.note(ComparisonBegun{std::max(pulls, 2 * visit), visit, best->arm});
    study_.commit();
    if (best->arm == *system_specification_.baseline) {
      end_comparison(false, "the best arm is the baseline, there is nothing to confirm");
    }
  }
  while (state().comparison()) {
    wait_if_asked();
    if (over_early()) return;
    if (state().comparison()->is_over(direction())) {
      end_comparison(state().comparison()->is_better(direction()).value_or(false), verdict_text());
      return;
    }
    report(Phase::confirming);
    compare_once();
  }
}

void Tuner::compare_once() {
  const Comparison& comparison = *state().comparison();
  const bool is_baseline = comparison.is_baseline_next();
  const std::vector<double> arm = is_baseline ? *system_specification_.baseline : comparison.arm();
  wait_until_it_may_change(arm);
  Outcome outcome = is_called_away() ? Outcome::stopped : Outcome::done;
  if (outcome == Outcome::done && keeper_.setting() != arm) {
    outcome = keeper_.set(arm, 0, warmup_to(0));
  }
  Reading reading;
  if (outcome == Outcome::done) outcome = keeper_.measure(0, reading);
  if (outcome == Outcome::failed) {
    const std::string what = keeper_.failure();
    if (!go_back(*system_specification_.baseline) || is_baseline) return;
    end_comparison(false, "the best arm failed: " + what);
    return;
  }
  if (outcome != Outcome::done) return;
  note_metrics(0, reading);
  study_.note(Compared{is_baseline, reading.reward});
  study_.commit();
  if (is_baseline) return;
  const std::string broken = surely_broken_limit(arm);
  if (!broken.empty()) end_comparison(false, "the best arm breaks a limit: " + broken);
}

std::string Tuner::verdict_text() const {
  const Comparison& comparison = *state().comparison();
  const Interval known = comparison.interval();
  const std::optional<bool> better = comparison.is_better(direction());
  std::string reach = "rewards do not vary";
  if (known.bounded()) {
    reach = fmt::format("{} at {:.4g} %", range_text(known.lower, known.upper),
                        100.0 * study_.specification().objective.confidence);
  } else if (!better) {
    reach = "too few pairs for an interval";
  }
  const char* word = "neither better nor worse";
  if (better) word = *better ? "better" : "worse";
  return fmt::format("{} than the baseline after {} pulls of both: the difference is {:.4g} ({})",
                     word, comparison.pulls(), comparison.difference(), reach);
}

void Tuner::end_comparison(bool confirmed, const std::string& verdict) {
  study_.note(ComparisonEnded{confirmed, verdict});
  study_.commit();
}

// --- the end ----------------------------------------------------------------------------------

/// Leaves the system with the setting that was asked for; in need, with one that works.
void Tuner::leave(TuneEnd& end, bool in_need) {
  if (!keeper_.system().can_be_set()) return;
  const ExitChoice choice = in_need ? exit_choice_in_need(study_) : exit_choice(study_);
  if (choice.arm.empty()) {
    if (!keeper_.setting().empty()) end.setting = text_of(keeper_.setting());
    return;
  }
  const std::string wanted = text_of(choice.arm);
  if (choice.arm != keeper_.setting()) {
    if (const auto failure = keeper_.set_at_the_end(choice.arm)) {
      study_.note(Failed{0, failure->what});
      end.text += "; the system could not be set to " + wanted + ": " + failure->what;
      end.why = TuneEnd::Why::failure;
      return;
    }
    study_.note(Applied{0, choice.arm});
  }
  end.setting = wanted;
  end.left_at = choice.why;
}

}  // namespace canopy
