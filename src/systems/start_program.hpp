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
  bool has_input = false;        ///< through a pipe; otherwise its input is empty
  bool keep_background = false;  ///< processes that leave its process group outlive it
  bool use_cgroup = true;        ///< if available
  std::string folder = {};       ///< working directory; empty: ours
};

/// A program, its guardian process, and our ends of the pipes, all non-blocking.
struct StartedProgram {
  pid_t guardian = -1;  ///< our child, which exits when all processes of the program have ended
  std::optional<Cgroup> cgroup;
  Descriptor input;  ///< not open if the program has no input
  Descriptor output;
  Descriptor errors;
  Descriptor failure;   ///< has a StartFailure if the program could not be executed
  Descriptor lifeline;  ///< when it is closed, also by our death, everything is killed
  Descriptor state;     ///< receives each ProgramState; closed when the guardian has ended
};

/// Starts a program in a process group of its own, under a guardian that also ends all processes it
/// has started. The program inherits no other descriptors, no signal mask, and no ignored SIGINT or
/// SIGPIPE. Throws std::system_error if no process can be created.
[[nodiscard]] StartedProgram start_program(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& environment,
    const StartOptions& options);

}  // namespace canopy
