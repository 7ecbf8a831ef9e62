#pragma once

#include "canopy/policy.hpp"
#include "canopy/study_specification.hpp"

#include <cstdint>
#include <string>

namespace canopy {

/// A policy as a Python module without dependencies: `def setting(hour, load)` returns the setting
/// as a dictionary. It treats contexts like canopy: numbers outside a range are clamped, periods
/// are reduced, and values that are not finite or not a choice are rejected.
[[nodiscard]] std::string policy_python(const std::string& name, const StudySpecification& study,
                                        const Policy& policy, std::uint64_t pulls);

}  // namespace canopy
