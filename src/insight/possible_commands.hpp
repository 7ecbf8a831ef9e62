#pragma once

#include "canopy/event.hpp"

#include "files/document.hpp"
#include "insight/study_phase.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// The facts that determine which commands make sense.
struct CommandFacts {
  std::optional<RunnerCommand> order = {};  ///< the command in force
  StudyPhase phase = StudyPhase::waiting;
  bool has_system = false;    ///< canopy sets the system
  bool has_baseline = false;  ///< the study has a baseline
  bool has_best = false;      ///< there is a best arm to recommend
};

/// The commands that make sense now, the most likely one first.
[[nodiscard]] std::vector<RunnerCommand> possible_commands(const CommandFacts& facts);

/// The command that has stopped a study and the user who sent it, for answers; null if there is
/// none.
[[nodiscard]] Document stopped_by(std::optional<RunnerCommand> command, const std::string& user);

}  // namespace canopy
