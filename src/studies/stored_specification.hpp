#pragma once

#include "canopy/study_specification.hpp"

#include <string>

namespace canopy {

/// Reads what a store holds: as parse_study_json, but the optimizer may be one that is not known
/// here. Such a study can be looked at, and its journal read.
[[nodiscard]] StudySpecification parse_stored_study(const std::string& json,
                                                    const std::string& source);

}  // namespace canopy
