#pragma once

#include "systems/descriptor.hpp"

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace canopy {

enum class ProgramInput { nothing, pipe };

/// A process and our ends of its pipes, none of which blocks.
struct StartedProgram {
  pid_t id = -1;
  Descriptor input;  ///< not open when the program reads nothing
  Descriptor output;
  Descriptor errors;
  Descriptor failure;  ///< holds an errno, as an int, when the program could not be executed
};

/// Starts a program in a process group of its own, whose number is its process's. It inherits no
/// descriptor but these, no signal mask, no ignored SIGINT or SIGPIPE, and is killed when the
/// thread that started it ends. Throws std::system_error when there can be no process.
[[nodiscard]] StartedProgram start_program(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& environment, ProgramInput input);

}  // namespace canopy
