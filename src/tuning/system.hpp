#pragma once

#include "canopy/study_specification.hpp"

#include "systems/command_system.hpp"
#include "systems/live_system.hpp"

#include <atomic>
#include <variant>

namespace canopy {

/// The system that the commands of a study set and measure. The study must outlive it; `stop`, if
/// it is given, breaks off what is going on.
[[nodiscard]] CommandSystem command_system_of(const StudySpecification& study,
                                              const std::atomic<bool>* stop);

/// One pull that can be learnt from. Metrics that are too large to be are left out.
[[nodiscard]] std::variant<Reading, SystemFailure> measure(LiveSystem& system, Arm arm);

}  // namespace canopy
