#pragma once
// What a study knows, made again from its journal.
#include "canopy/study.hpp"

#include "journal/ticket_leases.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace canopy {

/// What follows from a journal beside the optimizer.
struct Folds {
  std::unique_ptr<TicketLeases> leases = nullptr;
  std::unique_ptr<JournalFold> fold = nullptr;  ///< null: there is none

  void apply(const JournalEntry& entry) const;
};

/// Both as one text, for snapshots.
[[nodiscard]] std::string saved_folds(TicketLeases& leases, JournalFold* fold);

/// Of the coin that a study tosses.
[[nodiscard]] std::uint64_t seed_of(const StudyRecord& record,
                                    const StudySpecification& specification);

/// A study as it was after the last event of its journal.
struct Loaded {
  std::unique_ptr<Optimizer> optimizer = nullptr;
  Folds folds = {};
  std::uint64_t events = 0;
  std::uint64_t snapshot_events = 0;
  std::uint64_t snapshot_bytes = 0;
  double last_at = 0.0;
};

/// Starts at the last snapshot and does again what came after it. An event that does not match what
/// the optimizer would do is an error that names it.
[[nodiscard]] Loaded load_all(Store& store, const StudyRecord& record,
                              const StudySpecification& specification, const MakeFold& fold);

/// Whether this canopy decides as the one did that began the study.
[[nodiscard]] bool has_own_revision(const StudySpecification& specification);
/// That it does not.
[[nodiscard]] std::string revision_text(const std::string& study,
                                        const StudySpecification& specification);

}  // namespace canopy
