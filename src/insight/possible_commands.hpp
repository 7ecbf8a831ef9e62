#pragma once

#include "canopy/event.hpp"

#include "insight/study_phase.hpp"

#include <optional>
#include <vector>

namespace canopy {

/// What the commands that make sense follow from.
struct CommandFacts {
  std::optional<RunnerCommand> order = {};  ///< that people gave and did not take back
  StudyPhase phase = StudyPhase::waiting;
  bool has_system = false;    ///< that canopy sets
  bool has_baseline = false;  ///< of that system
  bool has_best = false;      ///< some arm can be recommended
};

/// The commands that make sense now, the most likely one first.
[[nodiscard]] std::vector<RunnerCommand> possible_commands(const CommandFacts& facts);

}  // namespace canopy
