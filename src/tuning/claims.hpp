#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "tuning/tuner_state.hpp"

#include <optional>

namespace canopy {

/// Of the arms that pairs have proven to be better than the baseline, the first one that no later
/// comparison has refuted; none if there is none.
[[nodiscard]] std::optional<Uplift> proven_uplift(const Optimizer& optimizer,
                                                  const TunerState& tuner);

/// The strongest claim about an arm beside the baseline: what the last comparison has confirmed, as
/// long as it keeps its limits; else what pairs have proven while the search ran; else what is
/// known of the arm that is being compared. None before the baseline was measured.
[[nodiscard]] std::optional<Uplift> strongest_uplift(const Optimizer& optimizer,
                                                     const StudySpecification& specification,
                                                     const TunerState& tuner);

}  // namespace canopy
