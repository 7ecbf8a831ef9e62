#include "studies/load.hpp"

#include "canopy/journal.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/state.hpp"

#include "journal/replay.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

using Fault = StudyError::Fault;

Folds make_folds(const StudySpecification& specification, const MakeFold& fold) {
  Folds folds{.leases = std::make_unique<TicketLeases>()};
  if (fold) folds.fold = fold(specification);
  return folds;
}

void transfer_folds(State& state, TicketLeases& leases, std::string& fold) {
  state.mark("folds");
  state(leases);
  state.nested(fold);
}

/// Restores both folds. Throws StateError, also if the fold was not saved.
void restore_folds(Folds& folds, const std::string& saved) {
  State state(saved);
  std::string fold;
  transfer_folds(state, *folds.leases, fold);
  state.end();
  if (folds.fold) folds.fold->restore(fold);
}

/// Loads the last snapshot, or the initial state if there is none or it is damaged. If its folds
/// cannot be used, because options that they depend on have changed, the folds start from the
/// beginning.
Loaded from_snapshot(Store& store, const StudyRecord& record,
                     const StudySpecification& specification, const MakeFold& fold,
                     std::uint64_t& folded_events) {
  Loaded loaded{make_optimizer(specification, seed_of(record, specification)),
                make_folds(specification, fold)};
  const std::optional<Snapshot> snapshot = store.snapshot(record.id);
  if (!snapshot || snapshot->events > record.events) return loaded;
  try {
    loaded.optimizer->restore(snapshot->optimizer);
    loaded.events = loaded.snapshot_events = snapshot->events;
    loaded.snapshot_bytes = snapshot->optimizer.size() + snapshot->tuner.size();
  } catch (const NewerStateError& error) {
    throw StudyError(Fault::damaged, record.name + ": " + error.what());
  } catch (const StateError&) {
    loaded.optimizer = make_optimizer(
        specification,
        seed_of(record, specification));  // snapshots can be rebuilt from the journal
    return loaded;
  }
  try {
    restore_folds(loaded.folds, snapshot->tuner);
    folded_events = snapshot->events;
  } catch (const StateError&) {
    loaded.folds = make_folds(specification, fold);
  }
  return loaded;
}

}  // namespace

void Folds::apply(const JournalEntry& entry) const {
  leases->apply(entry);
  if (fold) fold->apply(entry);
}

std::string saved_folds(TicketLeases& leases, JournalFold* fold) {
  State state;
  std::string text = fold != nullptr ? fold->save() : "";
  transfer_folds(state, leases, text);
  return state.text();
}

std::uint64_t seed_of(const StudyRecord& record, const StudySpecification& specification) {
  const auto& baseline = specification.baseline;
  if (baseline && baseline->seed) return *baseline->seed;
  return static_cast<std::uint64_t>(record.id) ^ std::bit_cast<std::uint64_t>(record.created);
}

Loaded load_all(Store& store, const StudyRecord& record, const StudySpecification& specification,
                const MakeFold& fold) {
  std::uint64_t folded_events = 0;
  Loaded loaded = from_snapshot(store, record, specification, fold, folded_events);
  loaded.last_at = record.updated;
  std::uint64_t number = std::min(folded_events, loaded.events);
  const auto take = [&](const JournalEntry& entry) {
    ++number;
    if (number > folded_events) loaded.folds.apply(entry);
    if (number > loaded.events) {
      (void)replay_event(*loaded.optimizer, entry.event);
      replay_tuner_event(*loaded.optimizer, entry.event);
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
  return loaded;
}

std::string revision_text(const std::string& study, const StudySpecification& specification) {
  const std::string& name = specification.optimizer.name;
  return fmt::format(
      "the study {} was created with revision {} of {}, and this canopy has revision {}, which "
      "decides differently",
      study, specification.revision, name, optimizers().at(name).revision);
}

bool has_current_revision(const StudySpecification& specification) {
  return specification.revision == optimizers().at(specification.optimizer.name).revision;
}

LoadedOptimizer load_optimizer(Store& store, const StudyRecord& record,
                               const StudySpecification& specification, const MakeFold& fold) {
  if (has_current_revision(specification)) {
    Loaded loaded = load_all(store, record, specification, fold);
    return {std::move(loaded.optimizer), std::move(loaded.folds.fold),
            std::move(loaded.folds.leases), ""};
  }
  std::unique_ptr<Optimizer> optimizer =
      make_optimizer(specification, seed_of(record, specification));
  for (const JournalEntry& entry :
       observations_of(store, record, specification.space, !specification.contexts.empty())) {
    (void)replay_event(*optimizer, entry.event);
  }
  std::unique_ptr<JournalFold> state = fold ? fold(specification) : nullptr;
  read_entries(store, record, 0, [&](const JournalEntry& entry) {
    if (state) state->apply(entry);
    replay_tuner_event(*optimizer, entry.event);
    if (const auto* barred = std::get_if<Barred>(&entry.event)) {
      (void)optimizer->bar(barred->arm, barred->reward);
    }
  });
  return {std::move(optimizer), std::move(state), std::make_shared<TicketLeases>(),
          revision_text(record.name, specification) +
              "; this is what the current revision learns from the same rewards"};
}

}  // namespace canopy
