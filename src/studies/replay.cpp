#include "studies/replay.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/state.hpp"

#include "studies/journal.hpp"
#include "studies/told.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

using Fault = StudyError::Fault;

void require(bool fits, std::string_view what) {
  if (!fits) throw StudyError(Fault::damaged, std::string(what));
}

void require(Status status) {
  require(status == Status::ok, describe(status));
}

template <class Asked>
void require_the_same(const Pull& pull, const Asked& event) {
  require(pull.ticket == event.ticket, "the next ticket has another number");
  require(std::equal(pull.arm.begin(), pull.arm.end(), event.arm.begin(), event.arm.end()),
          "the optimizer would play another arm");
}

/// Does again what an event says was done, and checks that the same arm is played.
struct DoAgain {
  Optimizer& optimizer;
  bool& concerns_optimizer;

  void operator()(const Asked& event) const {
    const Pull pull = optimizer.ask(event.pulls == 0 ? UINT64_MAX : event.pulls);
    require_the_same(pull, event);
    require(pull.length == event.length, "the optimizer would play it for another number of pulls");
  }
  void operator()(const AskedAgain& event) const { require_the_same(optimizer.ask_again(), event); }
  void operator()(const Told& event) const { require(optimizer.tell(event.ticket, event.reward)); }
  void operator()(const ToldList& event) const {
    require(optimizer.tell(event.ticket, std::span<const double>(event.rewards)));
  }
  void operator()(const ToldSums& event) const {
    require(optimizer.tell(event.ticket, event.rewards));
  }
  void operator()(const PassedOver& event) const {
    require(optimizer.tell(event.ticket, event.rewards));
  }
  void operator()(const Penalized& event) const {
    require(optimizer.penalize(event.ticket, event.reward));
  }
  void operator()(const Barred& event) const { require(optimizer.bar(event.arm, event.reward)); }
  void operator()(const Observed& event) const {
    require(optimizer.observe(event.arm, event.rewards));
  }
  void operator()(const Remembered& event) const {
    require(optimizer.remember(event.arm, event.rewards));
  }
  void operator()(const RangeSet& event) const { optimizer.set_reward_range(event.range); }
  void operator()(const Dropped& event) const { require(optimizer.drop(event.ticket)); }
  void operator()(const Finished& /*event*/) const { optimizer.finish(); }
  template <class OfTheTuner>
  void operator()(const OfTheTuner& /*event*/) const {
    concerns_optimizer = false;
  }
};

/// The last snapshot, or the very beginning if there is none or it is damaged. The tuner's part of
/// it may be useless, since its settings may change; then the tuner is folded from the start.
Loaded from_snapshot(Store& store, const StudyRecord& record,
                     const StudySpecification& specification, std::uint64_t& tuner_events) {
  Loaded loaded{make_optimizer(specification), std::make_unique<TunerState>(specification)};
  const std::optional<Snapshot> snapshot = store.snapshot(record.id);
  if (!snapshot || snapshot->events > record.events) return loaded;
  try {
    loaded.optimizer->restore(snapshot->optimizer);
    loaded.events = loaded.snapshot_events = snapshot->events;
    loaded.snapshot_bytes = snapshot->optimizer.size() + snapshot->tuner.size();
  } catch (const NewerStateError& error) {
    throw StudyError(Fault::damaged, record.name + ": " + error.what());
  } catch (const StateError&) {
    loaded.optimizer = make_optimizer(specification);  // the journal has it all
    return loaded;
  }
  try {
    loaded.tuner->restore(snapshot->tuner);
    tuner_events = snapshot->events;
  } catch (const StateError&) {
    loaded.tuner = std::make_unique<TunerState>(specification);
  }
  return loaded;
}

}  // namespace

bool do_again(Optimizer& optimizer, const Event& event) {
  bool concerns_optimizer = true;
  std::visit(DoAgain{optimizer, concerns_optimizer}, event);
  return concerns_optimizer;
}

void remember_baseline(Optimizer& optimizer, Arm setting, const Event& event) {
  const auto* measured = std::get_if<BaselineMeasured>(&event);
  // A baseline outside the space is one that no optimizer knows.
  if (measured != nullptr) (void)optimizer.remember(setting, Rewards::one(measured->reward));
}

Loaded load_all(Store& store, const StudyRecord& record, const StudySpecification& specification) {
  std::uint64_t tuner_events = 0;
  Loaded loaded = from_snapshot(store, record, specification, tuner_events);
  loaded.last_at = record.updated;
  std::uint64_t number = std::min(tuner_events, loaded.events);
  const auto take = [&](const JournalEntry& entry) {
    require(entry.number == ++number, "an event is missing before it");
    if (number > tuner_events) loaded.tuner->apply(entry);
    if (number > loaded.events) {
      (void)do_again(*loaded.optimizer, entry.event);
      remember_baseline(*loaded.optimizer, loaded.tuner->setting(), entry.event);
      loaded.events = number;
    }
    loaded.last_at = std::max(loaded.last_at, entry.at);
  };
  read_entries(store, record, number, [&](const JournalEntry& entry) {
    try {
      take(entry);
    } catch (const StudyError& error) {
      throw StudyError(Fault::damaged, fmt::format("event {} of its journal does not match: {}",
                                                   entry.number, error.what()));
    }
  });
  if (loaded.events < record.events) {
    throw StudyError(Fault::damaged, fmt::format("{}: its journal ends after event {} of {}",
                                                 record.name, loaded.events, record.events));
  }
  return loaded;
}

std::string revision_text(const std::string& study, const StudySpecification& specification) {
  const std::string& name = specification.optimizer.name;
  return fmt::format(
      "the study {} was begun with revision {} of {}, and this canopy has revision {}, which "
      "decides differently",
      study, specification.revision, name, optimizers().at(name).revision);
}

bool has_own_revision(const StudySpecification& specification) {
  return specification.revision == optimizers().at(specification.optimizer.name).revision;
}

std::vector<JournalEntry> observations_of(Store& store, const StudyRecord& record,
                                          const Space& space) {
  std::vector<JournalEntry> entries;
  read_journal(store, record, [&](const JournalEntry& entry, std::optional<Arm> arm) {
    const std::optional<Rewards> rewards = rewards_of(entry.event);
    if (!rewards || !arm || !space.contains(*arm)) return;
    entries.push_back(
        {entries.size() + 1, entry.at, Observed{{arm->begin(), arm->end()}, *rewards}});
  });
  return entries;
}

LoadedOptimizer load_optimizer(Store& store, const StudyRecord& record,
                               const StudySpecification& specification) {
  if (has_own_revision(specification)) {
    Loaded loaded = load_all(store, record, specification);
    return {std::move(loaded.optimizer), std::move(loaded.tuner), ""};
  }
  std::unique_ptr<Optimizer> optimizer = make_optimizer(specification);
  for (const JournalEntry& entry : observations_of(store, record, specification.space)) {
    (void)do_again(*optimizer, entry.event);
  }
  auto tuner = std::make_shared<TunerState>(specification);
  read_journal(store, record, [&](const JournalEntry& entry, std::optional<Arm> arm) {
    tuner->apply(entry);
    if (arm) remember_baseline(*optimizer, *arm, entry.event);
    if (const auto* barred = std::get_if<Barred>(&entry.event)) {
      (void)optimizer->bar(barred->arm, barred->reward);
    }
  });
  return {
      std::move(optimizer), std::move(tuner),
      revision_text(record.name, specification) + ": this shows what it makes of the same rewards"};
}

}  // namespace canopy
