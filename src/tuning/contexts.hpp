#pragma once

#include "canopy/context.hpp"
#include "canopy/study_specification.hpp"

#include "tuning/warnings.hpp"

#include <string>
#include <vector>

namespace canopy {

/// A context that was observed, for people: `load = 0.25, tenant = small`. A number beyond the
/// range of its variable is shown as what it counts as.
[[nodiscard]] std::string context_text(const ContextSpace& contexts, Context observed);

/// What is wrong with where a tuner has the contexts from, on this machine, without running
/// anything.
[[nodiscard]] std::vector<Warning> warnings_about_sources(const StudySpecification& study);

/// What is odd about a context that was observed: a number beyond the range of its variable.
[[nodiscard]] std::vector<Warning> warnings_about_context(const ContextSpace& contexts,
                                                          Context observed);

}  // namespace canopy
