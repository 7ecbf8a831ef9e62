#include "studies/system_keeper.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <variant>

namespace canopy {
namespace {

constexpr int kRetries = 3;
constexpr double kFirstPause = 0.25;    // seconds before the first retry; doubled before the others
constexpr double kLongestPause = 30.0;  // between looks at a system that is down
constexpr double kWaitSlice = 1.0;

}  // namespace

SystemKeeper::SystemKeeper(Study& study, const std::atomic<bool>& stop,
                           std::function<bool()> on_wait)
    : study_(study),
      options_(study.specification().system->options),
      stop_(stop),
      on_wait_(std::move(on_wait)),
      system_(*study.specification().system, study.specification().space, &stop) {}

bool SystemKeeper::pause(double seconds) const {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  auto next_look = Clock::now() + std::chrono::duration<double>(kWaitSlice);
  while (!stop_ && Clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (Clock::now() < next_look) continue;
    next_look +=
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kWaitSlice));
    if (on_wait_ && !on_wait_()) return false;
  }
  return !stop_;
}

void SystemKeeper::note_failure(Ticket ticket, const std::string& what, bool for_good) {
  failure_ = what;
  study_.note(Failed{ticket, what, for_good});
  study_.commit();
}

/// Tries something, and so many times again.
template <class Try>
SystemKeeper::Outcome SystemKeeper::attempt(Ticket ticket, int retries, Try&& try_once) {
  double wait = kFirstPause;
  for (;; --retries, wait *= 2.0) {
    if (stop_) return Outcome::stopped;
    const std::optional<SystemFailure> failure = try_once();
    if (!failure) return Outcome::done;
    if (stop_) return Outcome::stopped;  // which is why it failed
    const bool is_last = retries <= 0 && options_.on_failure != OnFailure::stop;
    note_failure(ticket, failure->what, is_last && ticket != 0);
    if (retries <= 0) return Outcome::failed;
    if (!pause(wait)) return Outcome::stopped;
  }
}

SystemKeeper::Outcome SystemKeeper::set(Arm arm, Ticket ticket, std::uint64_t warmup_pulls) {
  const int retries = options_.on_failure == OnFailure::retry ? kRetries : 0;
  setting_.clear();
  const Outcome outcome = attempt(ticket, retries, [&] { return system_.apply(arm); });
  if (outcome != Outcome::done) return outcome;
  setting_.assign(arm.begin(), arm.end());
  study_.note(Applied{ticket, setting_});
  study_.commit();
  for (std::uint64_t i = 0; i < warmup_pulls; ++i) {
    Reading reading;
    const Outcome measured = measure(ticket, reading);
    if (measured != Outcome::done) {
      setting_.clear();  // it has not settled: next time all over again
      return measured;
    }
    study_.note(WarmedUp{ticket, reading.reward});
    study_.commit();
  }
  return Outcome::done;
}

SystemKeeper::Outcome SystemKeeper::measure(Ticket ticket, Reading& into) {
  const int retries = options_.on_failure == OnFailure::retry ? kRetries : 0;
  return attempt(ticket, retries, [&]() -> std::optional<SystemFailure> {
    auto result = system_.measure(setting_);
    if (auto* failure = std::get_if<SystemFailure>(&result)) return std::move(*failure);
    into = std::get<Reading>(std::move(result));
    return std::nullopt;
  });
}

SystemKeeper::Outcome SystemKeeper::set_and_probe(const std::vector<double>& arm) {
  setting_.clear();
  const Outcome outcome = attempt(0, 0, [&] { return system_.apply(arm); });
  if (outcome != Outcome::done) return outcome;
  setting_ = arm;
  study_.note(Applied{0, arm});
  study_.commit();
  return attempt(0, 0, [&]() -> std::optional<SystemFailure> {
    const auto result = system_.measure(arm);
    if (const auto* failure = std::get_if<SystemFailure>(&result)) return *failure;
    study_.note(WarmedUp{0, std::get<Reading>(result).reward});
    study_.commit();
    return std::nullopt;
  });
}

SystemKeeper::Return SystemKeeper::go_back(const std::vector<double>& arm) {
  const double until = study_.now() + options_.outage_seconds;
  double wait = kFirstPause;
  for (bool was_down = false;; was_down = true) {
    const Outcome outcome = set_and_probe(arm);
    if (outcome == Outcome::stopped) return Return::stopped;
    if (outcome == Outcome::done) return was_down ? Return::works_again : Return::works;
    setting_.clear();
    const double left = until - study_.now();
    if (left <= 0.0) return Return::down;
    if (!pause(std::min(wait, left))) return Return::stopped;
    wait = std::min(2.0 * wait, kLongestPause);
  }
}

std::optional<SystemFailure> SystemKeeper::set_at_the_end(const std::vector<double>& arm) {
  setting_.clear();
  auto failure = system_.apply_at_the_end(arm);
  if (!failure) setting_ = arm;
  return failure;
}

}  // namespace canopy
