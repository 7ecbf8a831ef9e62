#pragma once

#include "canopy/event.hpp"

#include "insight/study_phase.hpp"

#include <optional>
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

}  // namespace canopy
