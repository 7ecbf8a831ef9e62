#pragma once

#include "canopy/study_specification.hpp"

#include <string>
#include <vector>

namespace canopy {

/// Something about a study with a system that will hardly be meant so.
struct Doubt {
  bool is_error = false;  ///< it cannot work
  std::string text;       ///< and what to do about it
};

/// What can be said without running anything. The specification is resolved.
[[nodiscard]] std::vector<Doubt> doubts_about(const StudySpecification& study);

}  // namespace canopy
