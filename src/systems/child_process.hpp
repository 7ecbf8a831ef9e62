#pragma once

#include "systems/command.hpp"
#include "systems/start_program.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace canopy {

/// The deadline and stop flag for waiting for a program.
class Patience {
 public:
  explicit Patience(const RunLimits& limits);

  /// Shortens the deadline to `most` from now. Only the first call has an effect.
  void shorten(std::chrono::nanoseconds most);

  [[nodiscard]] bool is_stopped() const;
  /// Returns `stopped` or `timed_out` when waiting must end.
  [[nodiscard]] std::optional<CommandResult::Outcome> end() const;
  /// How long to wait before checking again.
  [[nodiscard]] std::chrono::nanoseconds slice() const;

 private:
  std::chrono::steady_clock::time_point deadline_;
  const std::atomic<bool>* stop_;
};

/// Records in a result that we ended the program, and which limit it exceeded.
void break_off(CommandResult& result, CommandResult::Outcome outcome, const RunLimits& limits);

/// The result for a program whose process could not be created.
[[nodiscard]] CommandResult not_started(const std::vector<std::string>& words,
                                        const std::system_error& error);

/// A running program, whose output is collected while we wait for it. At the end, all processes
/// that it started are killed, unless the limits allow them to stay.
class ChildProcess {
 public:
  /// Starts a program with the limits that concern the start. Throws std::system_error if the
  /// process cannot be created. A program that does not exist is only reported when its process has
  /// ended.
  ChildProcess(const std::vector<std::string>& words, const RunLimits& limits, bool has_input);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits, at most for `most`, until the program prints, reads or ends.
  void wait(std::chrono::nanoseconds most);
  /// Collects available output without waiting.
  void gather();
  /// Queues a text for the program's input, which is written now and during waits.
  void send(std::string_view text);
  /// Queues a text and closes the input after it.
  void send_all(std::string_view text);
  void close_input() { program_.input.close(); }

  /// The output so far; callers may remove what they have read.
  [[nodiscard]] std::string& output() { return output_; }
  [[nodiscard]] bool has_ended();
  /// Whether the program closed its output, or its input before reading everything.
  [[nodiscard]] bool has_hung_up() const {
    return !program_.output.is_open() || !program_.input.is_open();
  }

  /// Kills all remaining processes. Returns how the program ended, and its output.
  [[nodiscard]] CommandResult finish();

 private:
  void write_unsent();
  void keep_last_errors();
  /// Reads the messages of the guardian.
  void read_messages();
  /// Kills the program. Its status stays unknown if it cannot be killed, because it runs as another
  /// user or is blocked in the kernel.
  void kill_and_reap();
  /// Kills the control group if the guardian itself was killed.
  void end_cgroup() const;

  StartedProgram program_;
  bool finished_ = false;
  std::string name_;
  Descriptor end_;  ///< readable when the program has ended; not available before Linux 5.3
  std::optional<int> status_;  ///< reported by its guardian
  std::string unsent_;
  bool is_all_ = false;  ///< no more input follows
  std::string output_;
  std::string errors_;
};

}  // namespace canopy
