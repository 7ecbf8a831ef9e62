#pragma once

#include "systems/command.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

class ChildProcess;
class Patience;

/// A program that keeps running and answers each line with a line.
///
/// It is started by the first exchange, and restarted after it has ended or failed to answer. Like
/// a command, it runs in a process group of its own. If an exchange fails or canopy is killed, it
/// is killed with all processes that it has started. The destructor closes its input, waits 200 ms
/// for its end and kills what is left. Not thread-safe.
class Coprocess {
 public:
  /// The program and its arguments.
  explicit Coprocess(std::vector<std::string> words);
  ~Coprocess();
  Coprocess(const Coprocess&) = delete;
  Coprocess& operator=(const Coprocess&) = delete;

  /// Sends a line and waits for the answer. Output from before the line was sent is discarded,
  /// including the rest of an incomplete line; unrequested output after that cannot be
  /// distinguished from an answer. An answer may have at most limits.most_output bytes. The
  /// environment, keep_background and use_cgroup only have an effect when the program is started.
  /// Throws std::invalid_argument if the line contains a line end.
  [[nodiscard]] CommandResult exchange(const std::string& line, const RunLimits& limits);

 private:
  class LineReader;

  void start_if_needed(const RunLimits& limits);
  [[nodiscard]] CommandResult wait_for_answer(LineReader& lines, Patience& patience,
                                              const RunLimits& limits);
  /// Ends the program, for the given reason or because it has ended by itself.
  [[nodiscard]] CommandResult give_up(std::optional<CommandResult::Outcome> reason,
                                      const RunLimits& limits);

  std::vector<std::string> words_;
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace canopy
