#pragma once

#include "canopy/study_specification.hpp"

#include <string>
#include <vector>

namespace canopy {

/// A probable mistake in a study.
struct Warning {
  bool is_error = false;  ///< the study cannot be run
  std::string text;       ///< what is wrong and what to do
};

/// Explains why a command cannot be run in a folder: `there is no program hit_rate.sh in PATH`.
/// Empty if it can.
[[nodiscard]] std::string program_fault(const std::vector<std::string>& words,
                                        const std::string& folder);

/// Why requests cannot be made in this way, such as a missing secret; empty if they can.
[[nodiscard]] std::string access_fault(const HttpAccess& access, const std::string& folder);

/// Warnings about a study with a system, on the machine where it would run, without running any
/// commands. The specification must be resolved.
[[nodiscard]] std::vector<Warning> warnings_about(const StudySpecification& study);

/// Warnings that do not depend on the machine, for any study.
[[nodiscard]] std::vector<Warning> warnings_anywhere(const StudySpecification& study);

}  // namespace canopy
