#pragma once

#include "canopy/clock.hpp"
#include "canopy/random.hpp"

#include "stores/memory_store.hpp"
#include "support/scripted_system.hpp"
#include "tuning/tuner.hpp"
#include "tuning/tuner_state.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {

using Measured = testing::ScriptedSystem::Measured;

/// A simulated system made of functions, a memory store, and a clock that advances only during
/// waits, so that tests do not wait.
class TunerTest : public ::testing::Test {
 protected:
  using Phase = TuneProgress::Phase;
  using Watch = std::function<void(const TuneProgress&)>;

  static constexpr double kForEver = 1e5;  ///< in seconds; no test takes more than a day

  [[nodiscard]] OpenOptions tuned() {
    return {.name = "a", .fork = {}, .fold = tuner_fold, .clock = &clock_};
  }

  [[nodiscard]] static StudySpecification file_of(const std::string& system,
                                                  const std::string& budget = "pulls = 20",
                                                  const std::string& more = "") {
    return parse_study(more + "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\n" +
                           "apply = \"apply {x}\"\nmeasure = \"measure {x}\"\n" + system +
                           "\n[budget]\n" + budget + "\n",
                       "study.toml");
  }

  TuneEnd tune(Store& store, const StudySpecification& file, const Watch& watch = {}) {
    Study study = Study::open(store, file, tuned());
    return Tuner(study, system_, {stop_},
                 [&](const TuneProgress& progress) {
                   if (now() > kForEver) throw std::logic_error("it goes on for ever");
                   if (watch) watch(progress);
                 })
        .run();
  }
  TuneEnd tune(const StudySpecification& file, const Watch& watch = {}) {
    return tune(store_, file, watch);
  }

  /// All events of these kinds, in order.
  template <class... Kinds>
  [[nodiscard]] std::vector<JournalEntry> entries() {
    std::vector<JournalEntry> found;
    store_.read(find_study(store_, "a").id, {}, [&](const JournalEntry& entry) {
      if ((std::holds_alternative<Kinds>(entry.event) || ...)) found.push_back(entry);
    });
    return found;
  }
  template <class... Kinds>
  [[nodiscard]] std::vector<Event> events() {
    std::vector<Event> found;
    for (const JournalEntry& entry : entries<Kinds...>()) found.push_back(entry.event);
    return found;
  }

  /// The observations with a given role.
  [[nodiscard]] std::vector<Observed> observed(Role role) {
    std::vector<Observed> found;
    for (const Event& event : events<Observed>()) {
      if (std::get<Observed>(event).role == role) found.push_back(std::get<Observed>(event));
    }
    return found;
  }

  [[nodiscard]] std::uint64_t pulls() { return find_study(store_, "a").pulls; }

  [[nodiscard]] double now() const { return clock_.steady_time(); }

  /// The times at which the setting of the system changed.
  [[nodiscard]] std::vector<double> times_of_changes() {
    std::vector<double> times;
    std::vector<double> setting;
    for (const JournalEntry& entry : entries<Applied>()) {
      const std::vector<double>& arm = std::get<Applied>(entry.event).arm;
      if (arm != setting) times.push_back(entry.at);
      setting = arm;
    }
    return times;
  }

  /// A reward of x and a p99 of 100 x, both with noise.
  void measure_both() {
    system_.on_measure = [this](double x) {
      return Reading{x + 0.02 * random_.uniform(), {{"p99_ms", 100.0 * x + random_.uniform()}}};
    };
  }

  /// Rewards that do not depend on the setting.
  void measure_noise() {
    system_.on_measure = [this](double) { return Reading{random_.uniform()}; };
  }

  VirtualClock clock_;
  testing::ScriptedSystem system_{clock_};
  RandomStream random_{{.seed = 1}};
  std::shared_ptr<MemoryStudies> studies_ = std::make_shared<MemoryStudies>();
  MemoryStore store_{studies_};
  std::atomic<bool> stop_{false};
};

/// Simulates a crash: nothing more is written.
struct Killed : std::runtime_error {
  Killed() : std::runtime_error("killed") {}
};

inline SystemFailure apply_fails() {
  return {"apply: ended with status 1"};
}
inline SystemFailure measure_fails() {
  return {"measure: ended with status 1"};
}

}  // namespace canopy
