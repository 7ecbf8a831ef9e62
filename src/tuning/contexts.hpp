#pragma once

#include "canopy/context.hpp"
#include "canopy/study_specification.hpp"

#include "tuning/warnings.hpp"

#include <string>
#include <vector>

namespace canopy {

/// Formats an observed context for users: `load = 0.25, tenant = small`. A number outside the range
/// of its variable is shown as the nearest end of the range, because it is treated as that.
[[nodiscard]] std::string context_text(const ContextSpace& contexts, Context observed);

/// Checks the sources of contexts on this machine without running any commands.
[[nodiscard]] std::vector<Warning> warnings_about_sources(const StudySpecification& study);

/// Warns of values outside the range of their variables.
[[nodiscard]] std::vector<Warning> warnings_about_context(const ContextSpace& contexts,
                                                          Context observed);

}  // namespace canopy
