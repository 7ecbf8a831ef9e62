#pragma once

#include "canopy/study.hpp"

#include "systems/live_system.hpp"

namespace canopy {

/// Whether an arm may be chosen: it keeps its limits, as far as known.
[[nodiscard]] bool may_keep_limits(const Optimizer& optimizer, Arm arm);

/// Whether an arm probably breaks a limit according to its own measurements, not only by inference
/// from nearby arms.
[[nodiscard]] bool is_measured_beyond_limit(const Optimizer& optimizer, Arm arm);

/// Whether a reading exceeds a limit by more than the limit's `factor`.
[[nodiscard]] bool is_far_beyond_limit(const StudySpecification& study, const Reading& reading);

}  // namespace canopy
