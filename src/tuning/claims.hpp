#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "tuning/tuner_state.hpp"

#include <optional>

namespace canopy {

/// Returns the first arm that pairs have proven to be better than the baseline and that no later
/// comparison has refuted; none if there is no such arm.
[[nodiscard]] std::optional<Uplift> proven_uplift(const Optimizer& optimizer,
                                                  const TunerState& tuner);

/// Returns the strongest claim about an arm relative to the baseline: the result of the last
/// comparison if it confirmed the arm and the arm keeps its limits; else what pairs have proven
/// during the search; else what is known about the arm being compared. None if the baseline has not
/// been measured.
[[nodiscard]] std::optional<Uplift> strongest_uplift(const Optimizer& optimizer,
                                                     const StudySpecification& specification,
                                                     const TunerState& tuner);

}  // namespace canopy
