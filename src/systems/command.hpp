#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// What became of a command that was run, or of a line that a coprocess was to answer.
struct CommandResult {
  enum class Outcome {
    done,              ///< it ended with status 0; a coprocess: it answered
    exited,            ///< it ended with status `code`; 0 if a coprocess ended before it answered
    killed_by_signal,  ///< it was ended by signal `code`, which we did not send
    timed_out,
    too_much_output,
    hung_up,      ///< a coprocess closed its standard input or output
    not_started,  ///< for the reason errno = `code`
    stopped,      ///< we were asked to stop
  };

  Outcome outcome = Outcome::done;
  int code = 0;             ///< exit status, signal or errno
  double limit = 0.0;       ///< that it broke: seconds or bytes
  std::string output = {};  ///< its standard output, or the coprocess's answer without the line end
  std::string errors = {};  ///< the last 4096 bytes of its standard error; empty for an answer
  std::string program = {};        ///< that was not started
  bool lacks_folder = false;       ///< not started since it cannot run in the folder it was to
  bool lacks_interpreter = false;  ///< not started since the one that its file names is missing

  [[nodiscard]] bool succeeded() const { return outcome == Outcome::done; }
  [[nodiscard]] bool has_timed_out() const { return outcome == Outcome::timed_out; }

  /// One line for people, such as `ended with status 3: connection refused`, where the last words
  /// are the last line of its standard error.
  [[nodiscard]] std::string describe() const;
};

/// How a program is run.
struct RunLimits {
  /// Seconds, by the steady clock, until the program is killed.
  double timeout_seconds = 30.0;
  /// Bytes of standard output, or of a coprocess's answer. A program that prints more is killed.
  std::size_t most_output = 65'536;
  /// Set by another thread, or by a signal handler, when the program is to be killed. It is looked
  /// at every 50 ms.
  const std::atomic<bool>* stop = nullptr;
  /// Names and values that the program finds in its environment beside ours, or instead.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// What a command reads on its standard input.
  std::string_view input = {};
  /// What a program leaves running outside its process group, as a daemon, outlives it. A
  /// coprocess: counts when it is started.
  bool keep_background = false;
  /// The folder that a program runs in; empty: ours. A coprocess: counts when it is started.
  std::string folder = {};
  /// Without it, as where there are none, a program is ended by means of process numbers alone.
  bool use_cgroup = true;
};

/// Runs a program, the first word, with the others as its arguments, and waits until it has ended.
/// It is looked for in PATH if it has no slash in its name.
///
/// It runs in a process group of its own: Ctrl-C does not reach it. When it has ended, everything
/// that it has started and that still runs is killed, also daemons and what else has a session or
/// group of its own, before this function returns. The same happens should canopy be killed. A
/// guardian sees to it, a process between canopy and the program. What cannot be killed, because it
/// is another user's or stuck in the kernel, is waited for no longer than 2 s.
///
/// May be called by many threads at once. Throws nothing but std::bad_alloc.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& words,
                                        const RunLimits& limits);

}  // namespace canopy
