#pragma once

#include "systems/cgroup.hpp"
#include "systems/descriptor.hpp"
#include "systems/program.hpp"

#include <optional>
#include <sys/types.h>

namespace canopy {

/// What is told about the program: by itself before it is executed, by its guardian in the end.
struct ProgramState {
  pid_t id = -1;
  bool has_ended = false;
  int status = 0;  ///< as of wait()
};

/// The ends of pipes that are not ours.
struct GuardianPipes {
  Descriptor input;  ///< of the program, as are the next two
  Descriptor output;
  Descriptor errors;
  Descriptor failure;   ///< where a StartFailure is written
  Descriptor lifeline;  ///< hangs up when everything is to end, or when canopy has died
  Descriptor state;     ///< where each ProgramState is written
};

/// What is ended with the program.
struct GuardianOptions {
  bool group_only = false;            ///< what left the program's process group may stay
  std::optional<Cgroup> cgroup = {};  ///< in which it runs, if it can
};

/// What becomes of a process that was forked with all signals blocked: it starts the program in a
/// process group of its own and waits for its end, or for that of the lifeline. Then it kills
/// everything that the program has started, whatever sessions and groups that has gone to, tells
/// how the program ended, and ends itself. Neither Ctrl-C nor a SIGTERM for canopy's group reaches
/// it.
[[noreturn]] void run_guardian(const Program& program, const GuardianPipes& ends,
                               const GuardianOptions& how);

}  // namespace canopy
