#pragma once

#include "canopy/study_specification.hpp"

#include <string>

namespace canopy::cli {

/// Prints what `canopy tune` would do, and all warnings. With `measures`, also applies the baseline
/// (or the first arm) and measures it three times. Returns the exit status.
[[nodiscard]] int dry_run(const StudySpecification& study, const std::string& name, bool measures);

/// Prints the warnings to standard error. Throws WrongUse if one of them is an error.
void check_before_start(const StudySpecification& study);

}  // namespace canopy::cli
