#pragma once

#include "canopy/study_specification.hpp"

#include <string>
#include <vector>

namespace canopy {

/// Something about a study that is probably a mistake.
struct Warning {
  bool is_error = false;  ///< it cannot work
  std::string text;       ///< and what to do about it
};

/// Why a command cannot be run in a folder, by its words: `there is no program hit_rate.sh in
/// PATH`. Empty: it can.
[[nodiscard]] std::string program_fault(const std::vector<std::string>& words,
                                        const std::string& folder);

/// Why a server cannot be asked in this way: a secret that is not there, say. Empty: it can.
[[nodiscard]] std::string access_fault(const HttpAccess& access, const std::string& folder);

/// What can be said of a study with a system without running anything, on the machine where it
/// would run. The specification is resolved.
[[nodiscard]] std::vector<Warning> warnings_about(const StudySpecification& study);

/// What can be said anywhere, of any study.
[[nodiscard]] std::vector<Warning> warnings_anywhere(const StudySpecification& study);

}  // namespace canopy
