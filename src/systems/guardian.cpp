#include "systems/guardian.hpp"

#include "systems/own_children.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <span>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// This code runs in a process that was forked from a multi-threaded one. It may only call
// async-signal-safe functions and must not allocate memory.

namespace canopy {
namespace {

constexpr std::int64_t kNanosecondsToEnd = 2'000'000'000;  ///< to kill all processes
/// Minimum number of rounds, because the guardian may get little CPU time on a busy machine.
constexpr int kFewestRounds = 500;
constexpr timespec kLookAgain{.tv_sec = 0, .tv_nsec = 2'000'000};
constexpr std::size_t kMostAtOnce = 1024;

std::int64_t nanoseconds_now() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) (void)sigaction(signal, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Applies a flag to all other descriptors at once or, before Linux 5.11, one by one.
template <class Each>
void for_other_descriptors(unsigned flags, const Each& each) {
  if (close_range(STDERR_FILENO + 1, ~0U, static_cast<int>(flags)) == 0) return;
  constexpr int kLikelyMost = 65'536;
  for (int number = STDERR_FILENO + 1; number < kLikelyMost; ++number) each(number);
}

void close_others_on_exec() {
  for_other_descriptors(CLOSE_RANGE_CLOEXEC,
                        [](int number) { (void)fcntl(number, F_SETFD, FD_CLOEXEC); });
}

void close_others() {
  for_other_descriptors(0, [](int number) { (void)close(number); });
}

template <class Value>
void tell(int pipe, const Value& value) {
  [[maybe_unused]] const ssize_t told = write(pipe, &value, sizeof value);
}

[[noreturn]] void become(const Program& program, const GuardianPipes& ends, pid_t guardian) {
  (void)setpgid(0, 0);
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guardian) _exit(127);  // it ended before PR_SET_PDEATHSIG took effect
  tell(ends.state.number(), ProgramState{.id = getpid()});
  (void)dup2(ends.input.number(), STDIN_FILENO);
  (void)dup2(ends.output.number(), STDOUT_FILENO);
  (void)dup2(ends.errors.number(), STDERR_FILENO);
  close_others_on_exec();
  reset_signals();
  tell(ends.failure.number(), program.execute());
  _exit(127);
}

/// The number at an index, from 0, in a line of numbers; 0 if there is none.
std::uintptr_t number_at(std::string_view line, std::size_t place) {
  for (; place > 0 && !line.empty(); --place) line.remove_prefix(line.find(' ') + 1);
  std::uintptr_t number = 0;
  for (const char letter : line) {
    if (letter < '0' || letter > '9') break;
    number = number * 10 + static_cast<std::uintptr_t>(letter - '0');
  }
  return number;
}

/// Renames the process, so that `pkill canopy` and similar commands do not kill the guardian, which
/// then cleans up.
void rename_process() {
  constexpr std::string_view kName = "guardian";
  (void)prctl(PR_SET_NAME, kName.data());
  const Descriptor file(open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer;
  const ssize_t got = read(file.number(), buffer.data(), buffer.size());
  if (got <= 0) return;
  std::string_view line(buffer.data(), static_cast<std::size_t>(got));
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > line.size()) return;
  line.remove_prefix(name_end + 2);  // the third field of proc(5) comes first
  const std::uintptr_t begin = number_at(line, 45);
  const std::uintptr_t end = number_at(line, 46);
  if (begin == 0 || end <= begin) return;
  const std::span arguments(std::bit_cast<char*>(begin), end - begin);
  std::fill(arguments.begin(), arguments.end(), '\0');
  std::copy_n(kName.begin(), std::min(kName.size(), arguments.size() - 1), arguments.begin());
}

class Guardian {
 public:
  explicit Guardian(const GuardianOptions& how) : how_(how) {
    (void)setpgid(0, 0);
    rename_process();
    if (!how_.group_only) (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};
    (void)sigaction(SIGCHLD, &nothing, nullptr);
    sigfillset(&while_waiting_);
    sigdelset(&while_waiting_, SIGCHLD);
  }

  /// Returns false if no process can be created.
  [[nodiscard]] bool start(const Program& program, const GuardianPipes& ends) {
    const pid_t self = getpid();
    has_cgroup_ = how_.cgroup && how_.cgroup->make();
    if (has_cgroup_) program_ = how_.cgroup->fork_into();
    if (has_cgroup_ && program_ < 0) {
      (void)how_.cgroup->remove();
      has_cgroup_ = false;
    }
    if (!has_cgroup_) program_ = _Fork();
    if (program_ == 0) become(program, ends, self);
    if (program_ < 0) return false;
    // Set by both parent and child, so that the group exists before it is killed.
    (void)setpgid(program_, program_);
    return true;
  }

  /// Closes all other descriptors, because their readers wait until all copies are closed.
  static void keep_only(const Descriptor& lifeline, const Descriptor& state) {
    (void)dup2(lifeline.number(), kLifeline);
    (void)dup2(state.number(), kState);
    (void)close(STDERR_FILENO);
    close_others();
  }

  void wait_for_end() const {
    for (;;) {
      if (program_has_ended()) return;
      pollfd lifeline{kLifeline, POLLIN, 0};
      if (ppoll(&lifeline, 1, nullptr, &while_waiting_) > 0) return;
    }
  }

  void end_all() {
    const std::int64_t deadline = nanoseconds_now() + kNanosecondsToEnd;
    for (int round = 0; round < kFewestRounds || nanoseconds_now() < deadline; ++round) {
      kill_all();
      if (are_all_gone()) return;
      (void)ppoll(nullptr, 0, &kLookAgain, &while_waiting_);
    }
  }

  void report_status() const {
    if (is_reaped_) tell(kState, ProgramState{program_, true, status_});
  }

 private:
  static constexpr int kLifeline = STDIN_FILENO;
  static constexpr int kState = STDOUT_FILENO;

  /// Reaps all other ended processes, but not yet the program: until it is reaped, its process
  /// group id cannot be reused.
  [[nodiscard]] bool program_has_ended() const {
    for (;;) {
      siginfo_t ended{};
      if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
      if (ended.si_pid == 0) return false;
      if (ended.si_pid == program_) return true;
      (void)waitpid(ended.si_pid, nullptr, WNOHANG);
    }
  }

  void kill_all() const {
    if (!is_reaped_) {
      (void)kill(program_, SIGKILL);
      (void)kill(-program_, SIGKILL);
    }
    if (how_.group_only) return;
    if (has_cgroup_) how_.cgroup->kill_all();
    // Only children, since their ids cannot be reused until we reap them. Orphaned grandchildren
    // become our children.
    std::array<pid_t, kMostAtOnce> children;
    const std::size_t count = own_children(children);
    for (const pid_t child : std::span(children).first(count)) kill_with_group(child);
  }

  /// A group in another session was created by a descendant. It is killed as a whole, so that it
  /// cannot fork faster than we kill.
  static void kill_with_group(pid_t child) {
    const pid_t group = getpgid(child);
    const pid_t session = getsid(child);
    if (group > 1 && (group == child || (session > 0 && session != getsid(0)))) {
      (void)kill(-group, SIGKILL);
    }
    (void)kill(child, SIGKILL);
  }

  [[nodiscard]] bool are_all_gone() {
    for (;;) {
      int status = 0;
      const pid_t id = waitpid(-1, &status, WNOHANG);
      if (id == program_) {
        is_reaped_ = true;
        status_ = status;
      }
      if (how_.group_only && is_reaped_) return true;
      if (id == 0) return false;
      if (id < 0) return !has_cgroup_ || how_.cgroup->remove();
    }
  }

  const GuardianOptions& how_;
  sigset_t while_waiting_{};  ///< all signals except SIGCHLD
  pid_t program_ = -1;
  bool has_cgroup_ = false;
  bool is_reaped_ = false;
  int status_ = 0;
};

}  // namespace

void run_guardian(const Program& program, const GuardianPipes& ends, const GuardianOptions& how) {
  Guardian guardian(how);
  if (!guardian.start(program, ends)) {
    tell(ends.failure.number(), StartFailure{.error = errno});
    _exit(127);
  }
  Guardian::keep_only(ends.lifeline, ends.state);
  guardian.wait_for_end();
  guardian.end_all();
  guardian.report_status();
  _exit(0);
}

}  // namespace canopy
