#pragma once

#include "canopy/clock.hpp"
#include "canopy/study_specification.hpp"

#include "systems/command_system.hpp"
#include "systems/context_reader.hpp"
#include "systems/live_system.hpp"

#include <atomic>
#include <variant>

namespace canopy {

/// Creates the system that the commands and requests of a study set and measure. The study and the
/// clock must outlive it; `stop`, if given, interrupts running commands and requests. The clock is
/// used for waiting, and for context variables whose source is a clock.
[[nodiscard]] CommandSystem command_system_of(const StudySpecification& study,
                                              const std::atomic<bool>* stop,
                                              Clock& clock = machine_clock());

/// The source of a context variable.
[[nodiscard]] ContextInput context_input(const ContextSource& source);

/// Measures one pull. A reward that is too large to be learnt is a failure; a metric that is too
/// large is omitted.
[[nodiscard]] std::variant<Reading, SystemFailure> measure(LiveSystem& system, Arm arm);

}  // namespace canopy
