#pragma once

#include "systems/cgroup.hpp"
#include "systems/descriptor.hpp"
#include "systems/program.hpp"

#include <optional>
#include <sys/types.h>

namespace canopy {

/// A status report on the program: first by the process itself before it executes the program, at
/// the end by its guardian.
struct ProgramState {
  pid_t id = -1;
  bool has_ended = false;
  int status = 0;  ///< as returned by wait()
};

/// The child's ends of the pipes.
struct GuardianPipes {
  Descriptor input;  ///< of the program, like the next two
  Descriptor output;
  Descriptor errors;
  Descriptor failure;   ///< receives a StartFailure
  Descriptor lifeline;  ///< closed when everything must end, or when canopy has died
  Descriptor state;     ///< receives each ProgramState
};

/// Which processes are killed with the program.
struct GuardianOptions {
  bool group_only = false;            ///< processes outside the program's process group may stay
  std::optional<Cgroup> cgroup = {};  ///< the group to run it in, if possible
};

/// The main function of a guardian process, which was forked with all signals blocked. It starts
/// the program in a process group of its own and waits until the program ends or the lifeline is
/// closed. Then it kills all processes that the program has started, in any session or group,
/// reports how the program ended, and exits. Neither Ctrl-C nor a SIGTERM for canopy's process
/// group reaches it.
[[noreturn]] void run_guardian(const Program& program, const GuardianPipes& ends,
                               const GuardianOptions& how);

}  // namespace canopy
