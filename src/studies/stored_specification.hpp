#pragma once

#include "canopy/study_specification.hpp"

#include <string>

namespace canopy {

/// Like parse_study_json, but accepts unknown optimizers: such a study can be inspected, and its
/// journal can be read.
[[nodiscard]] StudySpecification parse_stored_study(const std::string& json,
                                                    const std::string& source);

}  // namespace canopy
