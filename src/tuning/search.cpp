#include "tuning/search.hpp"

#include "canopy/random.hpp"

#include "studies/answers.hpp"
#include "studies/load.hpp"
#include "tuning/limits.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace canopy {

Search::Search(Study& study, SystemKeeper& keeper, TunerMonitor& monitor)
    : study_(study),
      specification_(study.specification()),
      options_(specification_.system->options),
      keeper_(keeper),
      monitor_(monitor) {}

/// Finds the open ticket to continue with. All other open tickets have held-back rewards, or are
/// deferred until the first reward.
void Search::resume() {
  pull_.reset();
  suspect_ = 0;
  retried_ = 0;
  for (const Pull& pull : study_.in_flight()) {
    const bool waits =
        state().held().contains(pull.ticket) || state().deferred().contains(pull.ticket);
    if (!pull_ && !waits) pull_.emplace(pull);
  }
  if (!pull_) return;
  const std::vector<double> context = state().context_of(pull_->ticket);
  if (!context.empty()) keeper_.enter(context);
}

void Search::fail_crashing_arm() {
  const std::string why = keeper_.crash_text();
  if (why.empty() || !pull_ || state().setting() != pull_->arm) return;
  if (is_in_visit()) {
    keeper_.fail_for_good(pull_->ticket, why);
  } else if (pull_->purpose != Purpose::search && !specification_.is_baseline(pull_->arm)) {
    keeper_.fail_for_good(pull_->ticket, why);
    const SystemKeeper::Return back = keeper_.return_to(specification_.baseline->setting);
    if (back == SystemKeeper::Return::works || back == SystemKeeper::Return::works_again) {
      penalize_challenger();
    }
  }
}

// --- one pull -----------------------------------------------------------------------------------

void Search::step() {
  monitor_.report(TunerMonitor::Phase::searching);
  if (is_new_ && drop_outdated_pull() != Outcome::done) return;
  is_new_ = false;
  if (!pull_ && !ask()) return;
  if (pull_->purpose != Purpose::search) {
    compare();
    return;
  }
  if (state().failed() == pull_->ticket && retried_ != pull_->ticket) {
    diagnose_failure();
    return;
  }
  // The arm was barred after it was asked for, so it is neither applied nor measured.
  if (study_.is_barred(pull_->arm)) {
    (void)study_.bar(pull_->arm, failure_reward().value_or(0.0));
    penalize();
    return;
  }
  if (!is_in_visit()) {
    keeper_.wait_until_change_is_allowed(pull_->arm);
    if (monitor_.is_interrupted()) return;
  }
  Outcome outcome = Outcome::done;
  if (keeper_.setting() != pull_->arm || !is_in_visit()) {
    outcome = keeper_.set(pull_->arm, pull_->ticket);
  }
  Reading reading;
  if (outcome == Outcome::done) outcome = keeper_.measure(pull_->ticket, reading);
  if (outcome == Outcome::failed) attempt_failed();
  if (outcome != Outcome::done) return;
  suspect_ = 0;
  monitor_.note_reward(reading.reward);
  learn(reading);
}

/// Asks for the next pull. Returns false if the context cannot be observed.
bool Search::ask() {
  if (specification_.contexts.empty()) {
    pull_.emplace(study_.ask());
  } else {
    std::vector<double> context;
    if (keeper_.observe(context) != Outcome::done) return false;
    pull_.emplace(study_.ask_in(context));
    keeper_.enter(context);
  }
  study_.commit();
  return true;
}

/// Drops a pull that an earlier tuner left open if the context has changed; otherwise, a
/// measurement in the current context would be recorded for the earlier one.
Search::Outcome Search::drop_outdated_pull() {
  if (!pull_ || state().failed() == pull_->ticket) return Outcome::done;
  const std::vector<double> context = state().context_of(pull_->ticket);
  if (context.empty()) return Outcome::done;
  std::vector<double> now;
  if (const Outcome outcome = keeper_.observe(now); outcome != Outcome::done) return outcome;
  const ContextSpace& contexts = specification_.contexts;
  const auto bins = [&](const std::vector<double>& at) {
    bool is_moved = false;
    return contexts.bins_of(contexts.within(at, is_moved));
  };
  if (bins(now) == bins(context)) return Outcome::done;
  (void)study_.drop(pull_->ticket);
  pull_.reset();
  study_.commit();
  return Outcome::done;
}

/// Whether the search has already applied the arm to be pulled. A restart does not end a visit.
bool Search::is_in_visit() const {
  return !state().is_elsewhere() && state().setting() == pull_->arm;
}

// --- comparing with the baseline ----------------------------------------------------------------

/// Performs one pull of the baseline or of either side of a pair.
void Search::compare() {
  monitor_.report(TunerMonitor::Phase::baseline);
  keeper_.wait_until_change_is_allowed(pull_->arm);
  monitor_.poll_commands();
  if (monitor_.is_interrupted()) return;
  const auto is_out = [this](const std::vector<double>& arm) {
    return !arm.empty() && !specification_.is_baseline(arm) && study_.is_barred(arm);
  };
  if (is_out(pull_->arm) || is_out(pull_->then)) {
    (void)study_.drop(pull_->ticket);
    pull_.reset();
    study_.commit();
    return;
  }
  lead_in();
  if (monitor_.is_interrupted()) return;
  Reading reading;
  const Outcome outcome = keeper_.measure_at(pull_->arm, reading);
  if (outcome == Outcome::failed) comparison_failed();
  if (outcome != Outcome::done) return;
  monitor_.note_reward(reading.reward);
  tell(pull_->ticket, reading.reward);
  const std::optional<Pull> rest = study_.pull_of(pull_->ticket);
  if (rest) {
    pull_.emplace(*rest);
  } else {
    pull_.reset();
  }
  study_.commit();
}

/// If the search has just played the challenger, a first visit to it would begin without a change
/// of setting, unlike a first visit to the baseline. To avoid this bias, a visit to one of them,
/// chosen at random, comes first.
void Search::lead_in() {
  const bool is_first = !pull_->then.empty() && pull_->length == 2 * pull_->then_length;
  if (!is_first || led_in_ == pull_->ticket) return;
  led_in_ = pull_->ticket;
  if (state().is_elsewhere() || state().setting().empty()) return;
  if (state().setting() != pull_->arm && state().setting() != pull_->then) return;
  RandomStream coin({.seed = seed_of(study_.record(), study_.specification()),
                     .purpose = "lead in",
                     .run = pull_->ticket});
  const std::vector<double>& arm = coin.coin() ? pull_->arm : pull_->then;
  keeper_.wait_until_change_is_allowed(arm);
  Reading reading;
  for (std::uint64_t i = 0; i < pull_->then_length && !monitor_.is_interrupted(); ++i) {
    if (keeper_.measure_at(arm, reading) != Outcome::done) return;
    study_.note(Observed{arm, reading.reward, Role::warm_up});
    study_.commit();
  }
}

/// The challenger has failed if the baseline works; otherwise the pair is discarded.
void Search::comparison_failed() {
  if (options_.on_failure == OnFailure::stop) {
    monitor_.end({TuneEnd::Why::failure, monitor_.failure()});
    return;
  }
  const bool is_challenger = !specification_.is_baseline(pull_->arm);
  const SystemKeeper::Return back = keeper_.return_to(specification_.baseline->setting);
  if (back == SystemKeeper::Return::down || back == SystemKeeper::Return::stopped) return;
  // If the system went down, the challenger is penalized only when it happens a second time.
  const bool system_went_down =
      back == SystemKeeper::Return::works_again && suspected_challenger_ != pull_->arm;
  if (is_challenger && system_went_down) suspected_challenger_ = pull_->arm;
  const bool is_to_blame = is_challenger && !system_went_down;
  if (is_to_blame) {
    penalize_challenger();
    return;
  }
  (void)study_.drop(pull_->ticket);
  pull_.reset();
  study_.commit();
}

void Search::penalize_challenger() {
  (void)study_.penalize(pull_->ticket, failure_reward().value_or(0.0));
  pull_.reset();
  study_.commit();
  end_if_too_many_failed();
}

// --- learning and holding back rewards ----------------------------------------------------------

void Search::learn(const Reading& reading) {
  const bool leaves = is_far_beyond_limit(specification_, reading);
  if (pull_->length == 1 && !leaves && must_keep_arm(state().pulls_here() + 1)) {
    study_.note(Held{pull_->ticket, reading.reward});
    pull_.emplace(study_.ask_again());
  } else {
    release();
    tell(pull_->ticket, reading.reward);
    if (--pull_->length == 0) pull_.reset();
  }
  penalize_deferred();
  study_.commit();
  check_floor();
}

bool Search::must_keep_arm(std::uint64_t pulls_here) const {
  if (pulls_here < options_.min_pulls_per_change) return true;
  if (!options_.max_changes_per_hour) return false;
  const std::uint64_t most = *options_.max_changes_per_hour;
  const bool is_round_next = study_.is_round_due(state().held().size() + 1);
  const std::uint64_t wanted =
      is_round_next ? std::min(changes_of_round(pairs_of_round(specification_)), most) : 1;
  return state().changes_after(study_.now() - kHour) + wanted > most;
}

void Search::finish() {
  if (!must_keep_arm(state().pulls_here())) release();
}

/// Tells the rewards that were held back.
void Search::release() {
  const std::map<Ticket, double> held = state().held();
  for (const auto& [ticket, reward] : held) tell(ticket, reward);
}

void Search::tell(Ticket ticket, double reward) {
  const Status status = study_.tell(ticket, reward);
  if (is_taken(status)) return;
  (void)study_.drop(ticket);  // otherwise it would be retried forever
  monitor_.end(
      {TuneEnd::Why::failure, fmt::format("the reward {:g}: {}", reward, describe(status))});
}

void Search::check_floor() {
  const std::deque<double>& window = state().window();
  if (!options_.floor || window.size() < options_.floor_window) return;
  const double mean =
      std::accumulate(window.begin(), window.end(), 0.0) / static_cast<double>(window.size());
  const bool maximizes = specification_.objective.direction == Direction::maximize;
  if (maximizes ? mean >= *options_.floor : mean <= *options_.floor) return;
  monitor_.end({TuneEnd::Why::floor,
                fmt::format("the last {} rewards are {:.4g} on average, {} the floor of {:g}",
                            window.size(), mean, maximizes ? "below" : "above", *options_.floor)});
}

// --- failures -----------------------------------------------------------------------------------

void Search::attempt_failed() {
  if (options_.on_failure == OnFailure::stop) {
    monitor_.end({TuneEnd::Why::failure, monitor_.failure()});
  } else {
    diagnose_failure();
  }
}

/// Determines whether the arm or the system is the cause of a failure.
void Search::diagnose_failure() {
  using Return = SystemKeeper::Return;
  retried_ = 0;
  std::vector<std::vector<double>> others = settings_to_probe();
  if (others.empty() && !has_worked(pull_->arm))
    return penalize();  // there is no other setting to test

  const bool is_only_setting = others.empty() || others.front() == pull_->arm;
  if (is_only_setting) others = {pull_->arm};
  const Return back = keeper_.return_to(others);
  if (back == Return::down || back == Return::stopped) return;

  // If another setting works immediately, the arm has failed. An arm that worked before, or that
  // failed when the whole system went down, gets one retry.
  const bool system_went_down = back == Return::works_again && suspect_ != pull_->ticket;
  if (back == Return::works_again) suspect_ = pull_->ticket;
  if (is_only_setting || system_went_down) {
    retried_ = pull_->ticket;
  } else {
    penalize();
  }
}

/// Returns the baseline or a setting that was measured before, but not the current arm. Settings
/// that keep the limits are preferred.
std::optional<std::vector<double>> Search::setting_that_works() const {
  if (specification_.baseline) return specification_.baseline->setting;
  std::optional<std::vector<double>> broken;
  for (const std::vector<double>& setting : state().good_settings()) {
    if (setting == pull_->arm) continue;
    if (may_keep_limits(study_, setting)) return setting;
    if (!broken) broken = setting;
  }
  const std::optional<Best> best = study_.best();
  return best && best->arm != pull_->arm ? best->arm : broken;
}

/// The settings to test whether the system works, the most likely one first. In a study with
/// contexts, all known settings, because a setting may work in some contexts only.
std::vector<std::vector<double>> Search::settings_to_probe() const {
  const std::optional<std::vector<double>> other = setting_that_works();
  std::vector<std::vector<double>> settings;
  if (specification_.contexts.empty()) {
    if (other) settings.push_back(*other);
    return settings;
  }
  const auto add = [&](const std::vector<double>& setting) {
    const bool is_known = std::find(settings.begin(), settings.end(), setting) != settings.end();
    if (setting != pull_->arm && !is_known) settings.push_back(setting);
  };
  if (specification_.baseline) add(specification_.baseline->setting);
  if (const std::optional<Best> best = study_.best()) add(best->arm);  // in the current context
  for (const std::vector<double>& setting : state().good_settings()) add(setting);
  return settings;
}

/// Whether any arm was measured before, or this arm failed before the first measurement. In these
/// cases it is retried if it is the only arm.
bool Search::has_worked(const std::vector<double>& arm) const {
  return !state().good_settings().empty() ||
         std::any_of(state().deferred().begin(), state().deferred().end(),
                     [&](const auto& each) { return each.second == arm; });
}

std::optional<double> Search::failure_reward() const {
  return options_.failure_reward ? options_.failure_reward : study_.failure_reward();
}

/// Penalizes the pull. Without any reward the size of a penalty is unknown, so it is deferred.
void Search::penalize() {
  release();
  const Ticket ticket = pull_->ticket;
  if (const std::optional<double> reward = failure_reward()) {
    if (study_.penalize(ticket, *reward) != Status::ok) (void)study_.drop(ticket);
  } else {
    study_.note(Deferred{ticket, pull_->arm});
  }
  pull_.reset();
  suspect_ = 0;
  study_.commit();
  end_if_too_many_failed();
}

void Search::end_if_too_many_failed() {
  const RecentFailures& recent = state().recent_failures();
  constexpr std::uint64_t kLongWaits = 3;
  const bool is_slow =
      !keeper_.has_ever_worked() && monitor_.has_timed_out() && recent.count() >= kLongWaits;
  if (!is_slow && !recent.are_too_many(options_.max_failures)) return;
  if (!keeper_.has_ever_worked()) {
    monitor_.end({TuneEnd::Why::failure,
                  fmt::format("nothing could be measured: all of the first {} pulls failed, the "
                              "last one because of: {}",
                              recent.pulls(), monitor_.failure())});
    return;
  }
  monitor_.end({TuneEnd::Why::failure,
                fmt::format("{} of the last {} pulls failed, the last one because of: {}",
                            recent.count(), recent.pulls(), monitor_.failure())});
}

/// Penalizes arms that failed before the first reward.
void Search::penalize_deferred() {
  const std::map<Ticket, std::vector<double>> deferred = state().deferred();
  for (const auto& [ticket, arm] : deferred) {
    const std::optional<double> reward = failure_reward();
    if (!reward) return;
    if (study_.penalize(ticket, *reward) != Status::ok) (void)study_.drop(ticket);
  }
}

}  // namespace canopy
