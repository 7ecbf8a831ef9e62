#include "studies/verify.hpp"

#include "canopy/state.hpp"
#include "canopy/study.hpp"

#include "journal/replay.hpp"
#include "studies/load.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

class Verifier {
 public:
  Verifier(Store& store, const StudyRecord& record) : store_(store), record_(record) {}

  Verification run() {
    try {
      begin_replay();
      take_snapshot();
      read_events();
      check_for_extra_events();
    } catch (const StoreError& error) {
      if (error.fault() != StoreError::Fault::damaged) throw;
      add_fault(error.what());
    }
    return std::move(found_);
  }

 private:
  void add_fault(std::string what) { found_.faults.push_back(std::move(what)); }

  void begin_replay() {
    try {
      const StudySpecification specification = specification_of(record_);
      if (has_current_revision(specification)) {
        optimizer_ = make_optimizer(specification, seed_of(record_, specification));
      } else {
        found_.not_replayed = revision_text(record_.name, specification);
      }
    } catch (const StudyError& error) {
      add_fault(fmt::format("its specification is damaged: {}", error.what()));
    }
  }

  void take_snapshot() {
    snapshot_ = store_.snapshot(record_.id);
    if (!snapshot_) return;
    try {
      for (const std::string& part : {snapshot_->optimizer, snapshot_->tuner}) {
        (void)State(part);  // verifies the checksum
      }
      return;
    } catch (const NewerStateError& error) {
      add_fault(error.what());
    } catch (const StateError&) {
      add_fault("its snapshot is damaged; it is not used, since the journal has everything");
    }
    snapshot_.reset();
  }

  void read_events() {
    try {
      store_.read(record_.id, {.limit = record_.events}, [&](const JournalEntry& entry) {
        if (entry.number != number_ + 1) {
          throw StudyError(StudyError::Fault::damaged,
                           fmt::format("event {} of its journal is missing", number_ + 1));
        }
        number_ = entry.number;
        replay(entry);
        compare_with_snapshot();
      });
      if (number_ < record_.events) {
        add_fault(fmt::format("its journal ends after event {} of {}", number_, record_.events));
      }
    } catch (const StudyError& error) {
      add_fault(error.what());
    }
  }

  /// Replays entries up to the first one that does not match.
  void replay(const JournalEntry& entry) {
    if (!optimizer_) return;
    try {
      (void)replay_event(*optimizer_, entry.event);
      replay_tuner_event(*optimizer_, entry.event);
    } catch (const StudyError& error) {
      add_fault(
          fmt::format("event {} of its journal does not match: {}", entry.number, error.what()));
      optimizer_.reset();
    }
  }

  void compare_with_snapshot() {
    if (!optimizer_ || !snapshot_ || snapshot_->events != number_) return;
    const StudySpecification specification = specification_of(record_);
    const std::unique_ptr<Optimizer> restored =
        make_optimizer(specification, seed_of(record_, specification));
    try {
      restored->restore(snapshot_->optimizer);
      if (restored->save() == optimizer_->save()) return;
    } catch (const StateError&) {
      // The snapshot belongs to another state.
    }
    add_fault(fmt::format("its snapshot is not the state after event {}", number_));
  }

  /// Events and their count in the record are written in one transaction.
  void check_for_extra_events() {
    if (number_ != record_.events) return;
    bool has_more = false;
    try {
      store_.read(record_.id, {record_.events, 1}, [&](const JournalEntry&) { has_more = true; });
    } catch (const StudyError&) {
      has_more = true;
    }
    if (!has_more) return;
    const auto now = store_.find(record_.name);
    if (now && now->id == record_.id && now->events == record_.events) {
      add_fault(
          fmt::format("its journal has more than the {} events in its record", record_.events));
    }
  }

  Store& store_;
  const StudyRecord& record_;
  Verification found_;
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<Snapshot> snapshot_;
  std::uint64_t number_ = 0;  // number of the last event read
};

}  // namespace

std::optional<Verification> verify_study(Store& store, const StudyRecord& record) {
  Verification found = Verifier(store, record).run();
  if (found.faults.empty()) return found;
  const auto now = store.find(record.name);
  return now && now->id == record.id ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace canopy
