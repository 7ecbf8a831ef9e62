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
/// It is started by the first exchange, and again by the one after it died or failed to answer. As
/// a command does, it runs in a process group of its own. Whenever an exchange fails, and when
/// canopy is killed, it is killed with everything that it has started. The destructor closes its
/// input, gives it 200 ms to end and kills what is left. To be used by one thread at a time.
class Coprocess {
 public:
  /// The program and its arguments.
  explicit Coprocess(std::vector<std::string> words);
  ~Coprocess();
  Coprocess(const Coprocess&) = delete;
  Coprocess& operator=(const Coprocess&) = delete;

  /// Sends a line and waits for one. What the program printed before, without being asked, is
  /// thrown away, and so is the rest of a line that it had begun. What it prints later without
  /// being asked cannot be told from an answer. The answer may be limits.most_output bytes long;
  /// the environment, keep_background and use_cgroup count when the program is started. Throws
  /// std::invalid_argument for a line with a line end in it.
  [[nodiscard]] CommandResult exchange(const std::string& line, const RunLimits& limits);

 private:
  class LineReader;

  void start_if_needed(const RunLimits& limits);
  [[nodiscard]] CommandResult wait_for_answer(LineReader& lines, Patience& patience,
                                              const RunLimits& limits);
  /// Ends the program, for this reason or because it has ended by itself.
  [[nodiscard]] CommandResult give_up(std::optional<CommandResult::Outcome> reason,
                                      const RunLimits& limits);

  std::vector<std::string> words_;
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace canopy
