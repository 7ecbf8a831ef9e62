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

/// How long we wait for a program.
class Patience {
 public:
  explicit Patience(const RunLimits& limits);

  /// From now on at most so long. Of several times the first one counts.
  void shorten(std::chrono::nanoseconds most);

  [[nodiscard]] bool is_stopped() const;
  /// stopped or timed_out when it is at an end.
  [[nodiscard]] std::optional<CommandResult::Outcome> end() const;
  /// How long one may wait before one asks again.
  [[nodiscard]] std::chrono::nanoseconds slice() const;

 private:
  std::chrono::steady_clock::time_point deadline_;
  const std::atomic<bool>* stop_;
};

/// Says in a result that we ended the program, and which limit it broke.
void break_off(CommandResult& result, CommandResult::Outcome outcome, const RunLimits& limits);

/// The result of a program for which there can be no process.
[[nodiscard]] CommandResult not_started(const std::vector<std::string>& words,
                                        const std::system_error& error);

/// A program that runs. What it prints is gathered while we wait for it. In the end everything that
/// it has started is killed, unless the limits say that it may stay.
class ChildProcess {
 public:
  /// Of the limits only what concerns the start counts. Throws std::system_error when there can be
  /// no such process. A program that does not exist is found out when its process has ended.
  ChildProcess(const std::vector<std::string>& words, const RunLimits& limits, bool has_input);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits, at most so long, until the program prints, reads or ends.
  void wait(std::chrono::nanoseconds most);
  /// Gathers what it has printed by now, without waiting.
  void gather();
  /// Has the program read a text, now and while we wait.
  void send(std::string_view text);
  /// The same, and nothing after it.
  void send_all(std::string_view text);
  void close_input() { program_.input.close(); }

  /// What it printed. Whoever has read it may take it away.
  [[nodiscard]] std::string& output() { return output_; }
  [[nodiscard]] bool has_ended();
  /// Whether it closed its output, or its input before it had read everything.
  [[nodiscard]] bool has_hung_up() const {
    return !program_.output.is_open() || !program_.input.is_open();
  }

  /// Kills what is left of it. Returns how the program ended and what it printed.
  [[nodiscard]] CommandResult finish();

 private:
  void write_unsent();
  void keep_last_errors();
  /// Reads what we are told about the program.
  void hear();
  /// The status stays unknown if the program cannot be killed: it is another user's, or stuck in
  /// the kernel.
  void kill_and_reap();
  /// For a guardian that was killed.
  void end_cgroup() const;

  StartedProgram program_;
  bool finished_ = false;
  std::string name_;
  Descriptor end_;  ///< can be read when the program has ended; Linux before 5.3 has none
  std::optional<int> status_;  ///< as its guardian told it
  std::string unsent_;
  bool is_all_ = false;  ///< nothing comes after it
  std::string output_;
  std::string errors_;
};

}  // namespace canopy
