#pragma once
// Rebuilding the state of a study from its journal.
#include "canopy/study.hpp"

#include "journal/ticket_leases.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace canopy {

/// The states, besides the optimizer, that are folded from a journal.
struct Folds {
  std::unique_ptr<TicketLeases> leases = nullptr;
  std::unique_ptr<JournalFold> fold = nullptr;  ///< null: not requested

  void apply(const JournalEntry& entry) const;
};

/// Both states as one text, for snapshots.
[[nodiscard]] std::string saved_folds(TicketLeases& leases, JournalFold* fold);

/// The seed for a study's random choices.
[[nodiscard]] std::uint64_t seed_of(const StudyRecord& record,
                                    const StudySpecification& specification);

/// The state of a study after the last event of its journal.
struct Loaded {
  std::unique_ptr<Optimizer> optimizer = nullptr;
  Folds folds = {};
  std::uint64_t events = 0;
  std::uint64_t snapshot_events = 0;
  std::uint64_t snapshot_bytes = 0;
  double last_at = 0.0;
};

/// Loads the last snapshot and replays the events after it. Throws StudyError, which names the
/// event, if an event differs from what the optimizer would do.
[[nodiscard]] Loaded load_all(Store& store, const StudyRecord& record,
                              const StudySpecification& specification, const MakeFold& fold);

/// Whether this version of canopy has the optimizer revision that the study was created with.
[[nodiscard]] bool has_current_revision(const StudySpecification& specification);
/// The message if it does not.
[[nodiscard]] std::string revision_text(const std::string& study,
                                        const StudySpecification& specification);

}  // namespace canopy
