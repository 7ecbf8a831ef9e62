#pragma once

#include "canopy/event.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"
#include "canopy/store.hpp"

#include <vector>

namespace canopy {

/// Does again what an event says was done, if it concerns the optimizer; false if it does not.
/// Throws StudyError (`damaged`) if the optimizer would do anything else.
[[nodiscard]] bool do_again(Optimizer& optimizer, const Event& event);

/// What the optimizer learns from events that are not of its own pulls: a measurement of the
/// baseline counts for `best` and `estimate` as any other, and the system may have been elsewhere.
void take_aside(Optimizer& optimizer, const Event& event);

/// The rewards of a journal as observations, those alone whose arm the space has; in the contexts
/// in which they were earned, or in none.
[[nodiscard]] std::vector<JournalEntry> observations_of(Store& store, const StudyRecord& record,
                                                        const Space& space, bool keeps_contexts);

}  // namespace canopy
