#pragma once

#include "canopy/clock.hpp"
#include "canopy/study_specification.hpp"

#include "systems/command_system.hpp"
#include "systems/context_reader.hpp"
#include "systems/live_system.hpp"

#include <atomic>
#include <variant>

namespace canopy {

/// The system that the commands and requests of a study set and measure. The study must outlive it;
/// `stop`, if it is given, breaks off what is going on. The clock, which must outlive it as well,
/// is that of contexts that are read off one, and of waiting.
[[nodiscard]] CommandSystem command_system_of(const StudySpecification& study,
                                              const std::atomic<bool>* stop,
                                              Clock& clock = machine_clock());

/// Where a variable of the context is from.
[[nodiscard]] ContextInput context_input(const ContextSource& source);

/// One pull that can be learnt from. Metrics that are too large to be are left out.
[[nodiscard]] std::variant<Reading, SystemFailure> measure(LiveSystem& system, Arm arm);

}  // namespace canopy
