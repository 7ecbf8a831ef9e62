#pragma once

#include "canopy/policy.hpp"
#include "canopy/study_specification.hpp"

#include <cstdint>
#include <string>

namespace canopy {

/// A policy as a module of Python that needs nothing but Python: `def setting(hour, load)` returns
/// the setting as a dictionary. It treats contexts as canopy does: numbers beyond their ranges
/// count as the ends, periods are taken off, and what is not finite, or no value of a choice, is
/// refused.
[[nodiscard]] std::string policy_python(const std::string& name, const StudySpecification& study,
                                        const Policy& policy, std::uint64_t pulls);

}  // namespace canopy
