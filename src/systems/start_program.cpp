#include "systems/start_program.hpp"

#include "systems/guardian.hpp"
#include "systems/program.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <system_error>

namespace canopy {
namespace {

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category());
}

/// Moves a descriptor above the standard ones, which the child replaces.
Descriptor above_standard(Descriptor descriptor) {
  if (!descriptor.is_open()) fail(errno);
  if (descriptor.number() > STDERR_FILENO) return descriptor;
  const int moved = fcntl(descriptor.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) fail(errno);
  return Descriptor(moved);
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno);
  Descriptor read(ends[0]);
  Descriptor write(ends[1]);
  return {above_standard(std::move(read)), above_standard(std::move(write))};
}

void keep_from_blocking(const Descriptor& ours) {
  if (fcntl(ours.number(), F_SETFL, O_NONBLOCK) != 0) fail(errno);
}

/// If canopy has inherited an ignored SIGCHLD, resets it; otherwise the exit status of programs
/// would be lost.
void reset_ignored_sigchld() {
  struct sigaction now {};
  (void)sigaction(SIGCHLD, nullptr, &now);
  if (now.sa_handler == SIG_IGN) (void)std::signal(SIGCHLD, SIG_DFL);
}

pid_t fork_guardian(const Program& program, const GuardianPipes& ends, const GuardianOptions& how) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // Our signal handlers must not run in the child.
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t id = fork();
  if (id == 0) run_guardian(program, ends, how);
  const int error = errno;
  (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (id < 0) fail(error);
  return id;
}

}  // namespace

StartedProgram start_program(const std::vector<std::string>& words,
                             const std::vector<std::pair<std::string, std::string>>& environment,
                             const StartOptions& options) {
  reset_ignored_sigchld();
  const Program program(words, environment, options.folder);
  GuardianOptions how{.group_only = options.keep_background};
  if (options.use_cgroup && !options.keep_background) how.cgroup = Cgroup::choose();
  Pipe output = make_pipe();
  Pipe errors = make_pipe();
  Pipe failure = make_pipe();
  Pipe lifeline = make_pipe();
  Pipe state = make_pipe();
  Pipe in;
  if (options.has_input) {
    in = make_pipe();
    keep_from_blocking(in.write);
  } else {
    in.read = above_standard(Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)));
  }
  for (const Pipe* pipe : {&output, &errors, &failure, &state}) keep_from_blocking(pipe->read);
  const GuardianPipes ends{.input = std::move(in.read),
                           .output = std::move(output.write),
                           .errors = std::move(errors.write),
                           .failure = std::move(failure.write),
                           .lifeline = std::move(lifeline.read),
                           .state = std::move(state.write)};
  const pid_t guardian = fork_guardian(program, ends, how);
  return {.guardian = guardian,
          .cgroup = std::move(how.cgroup),
          .input = std::move(in.write),
          .output = std::move(output.read),
          .errors = std::move(errors.read),
          .failure = std::move(failure.read),
          .lifeline = std::move(lifeline.write),
          .state = std::move(state.read)};
}

}  // namespace canopy
