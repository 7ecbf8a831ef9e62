#pragma once

#include "systems/cgroup.hpp"
#include "systems/descriptor.hpp"

#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace canopy {

/// How a program is started.
struct StartOptions {
  bool has_input = false;        ///< through a pipe; otherwise it reads nothing
  bool keep_background = false;  ///< what leaves its process group outlives it
  bool use_cgroup = true;        ///< if there are any
  std::string folder = {};       ///< in which it runs; empty: ours
};

/// A program, the process that guards it, and our ends of their pipes, none of which blocks.
struct StartedProgram {
  pid_t guardian = -1;  ///< our child, which ends when nothing of the program is left
  std::optional<Cgroup> cgroup;
  Descriptor input;  ///< not open when the program reads nothing
  Descriptor output;
  Descriptor errors;
  Descriptor failure;   ///< holds a StartFailure when the program could not be executed
  Descriptor lifeline;  ///< when it is closed, by us or by our death, everything is killed
  Descriptor state;     ///< where each ProgramState is read; hangs up when the guardian has ended
};

/// Starts a program in a process group of its own, under a guardian that ends with it everything
/// it has started. It inherits no descriptor but these, no signal mask, no ignored SIGINT or
/// SIGPIPE. Throws std::system_error when there can be no process.
[[nodiscard]] StartedProgram start_program(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& environment,
    const StartOptions& options);

}  // namespace canopy
