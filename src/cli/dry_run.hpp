#pragma once

#include "canopy/study_specification.hpp"

#include <string>

namespace canopy::cli {

/// Prints what `canopy tune` would do, and every warning about it. With `measures`, it also sets
/// the system to its baseline (or the first arm) and measures three times. The exit status.
[[nodiscard]] int dry_run(const StudySpecification& study, const std::string& name, bool measures);

/// Prints the warnings on standard error. Throws WrongUse with the first that is an error.
void check_before_start(const StudySpecification& study);

}  // namespace canopy::cli
