#pragma once

#include "canopy/study.hpp"

#include "systems/live_system.hpp"

namespace canopy {

/// Whether an arm may be chosen as far as its limits are concerned: as far as is known, it keeps
/// them.
[[nodiscard]] bool may_keep_limits(const Optimizer& optimizer, Arm arm);

/// Whether an arm probably breaks a limit by what was measured there, not by what is known around
/// it alone.
[[nodiscard]] bool is_measured_beyond_limit(const Optimizer& optimizer, Arm arm);

/// Whether a reading is beyond a limit by its `factor`.
[[nodiscard]] bool is_far_beyond_limit(const StudySpecification& study, const Reading& reading);

}  // namespace canopy
