#pragma once
// What a study knows, made again from its journal.
#include "canopy/study.hpp"

#include "studies/tuner_state.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace canopy {

/// A study as it was after the last event of its journal.
struct Loaded {
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<TunerState> tuner;
  std::uint64_t events = 0;
  std::uint64_t snapshot_events = 0;
  std::uint64_t snapshot_bytes = 0;
  double last_at = 0.0;
};

/// Does again what an event says was done, if it concerns the optimizer; false if it does not.
/// Throws StudyError (`damaged`) if the optimizer would do anything else.
[[nodiscard]] bool do_again(Optimizer& optimizer, const Event& event);

/// Starts at the last snapshot and does again what came after it. An event that does not match what
/// the optimizer would do is an error that names it.
Loaded load_all(Store& store, const StudyRecord& record, const StudySpecification& specification);

/// A measurement of the baseline, which the system has as its setting, counts for `best` and
/// `estimate` as any other.
void remember_baseline(Optimizer& optimizer, Arm setting, const Event& event);

/// The rewards of a journal as observations, those alone whose arm the space has.
std::vector<JournalEntry> observations_of(Store& store, const StudyRecord& record,
                                          const Space& space);

/// Whether this canopy decides as the one did that began the study.
bool has_own_revision(const StudySpecification& specification);
/// That it does not.
std::string revision_text(const std::string& study, const StudySpecification& specification);

}  // namespace canopy
