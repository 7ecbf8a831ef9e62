#pragma once

#include "canopy/event.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"
#include "canopy/store.hpp"

#include <vector>

namespace canopy {

/// Replays an event that concerns the optimizer; returns false for other events. Throws StudyError
/// (`damaged`) if the optimizer would have done something else.
[[nodiscard]] bool replay_event(Optimizer& optimizer, const Event& event);

/// Applies events that are not pulls of the search but affect the optimizer: measurements of the
/// baseline count for `best` and `estimate`, and the system may have had another setting.
void replay_tuner_event(Optimizer& optimizer, const Event& event);

/// Returns the rewards of a journal as observations: those of arms that are in the space, with
/// their contexts if `keeps_contexts`.
[[nodiscard]] std::vector<JournalEntry> observations_of(Store& store, const StudyRecord& record,
                                                        const Space& space, bool keeps_contexts);

}  // namespace canopy
