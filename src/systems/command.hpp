#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// The result of a command, or of a coprocess that was sent a line.
struct CommandResult {
  enum class Outcome {
    done,              ///< ended with status 0; for a coprocess: it answered
    exited,            ///< ended with status `code`; a coprocess with 0: ended without an answer
    killed_by_signal,  ///< ended by signal `code`, which was not sent by canopy
    timed_out,
    too_much_output,
    hung_up,      ///< a coprocess closed its standard input or output
    not_started,  ///< could not be started; errno is `code`
    stopped,      ///< interrupted by the stop flag
  };

  Outcome outcome = Outcome::done;
  int code = 0;               ///< exit status, signal or errno
  double limit = 0.0;         ///< the exceeded limit: seconds or bytes
  std::string output = {};    ///< standard output, or a coprocess's answer without the line end
  std::string errors = {};    ///< the last 4096 bytes of standard error; empty if it answered
  std::string program = {};   ///< the program that could not be started
  bool lacks_folder = false;  ///< not started because its working directory cannot be entered
  /// Not started because the interpreter that its file names is missing.
  bool lacks_interpreter = false;

  [[nodiscard]] bool succeeded() const { return outcome == Outcome::done; }
  [[nodiscard]] bool has_timed_out() const { return outcome == Outcome::timed_out; }

  /// A one-line description such as `ended with status 3: connection refused`, where the last part
  /// is the last line of standard error.
  [[nodiscard]] std::string describe() const;
};

/// How a program is run.
struct RunLimits {
  /// Time limit in seconds, by the steady clock, after which the program is killed.
  double timeout_seconds = 30.0;
  /// Maximum size in bytes of standard output, or of a coprocess's answer. A program that prints
  /// more is killed.
  std::size_t most_output = 65'536;
  /// Set by another thread or a signal handler to kill the program. Checked every 50 ms.
  const std::atomic<bool>* stop = nullptr;
  /// Environment variables that are added to ours or override them.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// Standard input of a command.
  std::string_view input = {};
  /// Processes that leave the program's process group, such as daemons, are not killed at the end.
  /// For a coprocess this only has an effect when it is started.
  bool keep_background = false;
  /// Working directory; empty: ours. For a coprocess this only has an effect when it is started.
  std::string folder = {};
  /// If false, or if control groups are not available, processes are killed by their ids only.
  bool use_cgroup = true;
};

/// Runs a program (the first word) with the other words as arguments, and waits until it has ended.
/// It is searched in PATH if its name has no slash.
///
/// The program runs in a process group of its own, so that Ctrl-C does not reach it. When it has
/// ended, all processes that it started are killed before this function returns, including daemons
/// and others with a session or group of their own. The same happens if canopy is killed. This is
/// done by a guardian, a process between canopy and the program. Processes that cannot be killed,
/// because they run as another user or are blocked in the kernel, are waited for at most 2 s.
///
/// Thread-safe. Throws only std::bad_alloc.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& words,
                                        const RunLimits& limits);

}  // namespace canopy
