#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// Why a program could not be executed; reported by its process through a pipe.
struct StartFailure {
  int error = 0;               ///< errno
  bool lacks_folder = false;   ///< the working directory could not be entered
  bool file_is_there = false;  ///< the file exists, but the interpreter that it names does not
};

/// Everything needed to execute a program, prepared before the fork, because the child must not
/// allocate memory.
class Program {
 public:
  /// The program and its arguments, environment variables that are added to ours or override them,
  /// and the working directory (empty: ours). Throws std::system_error for arguments that cannot be
  /// passed to a program.
  Program(const std::vector<std::string>& words,
          const std::vector<std::pair<std::string, std::string>>& environment, std::string folder);

  /// Returns only on failure. Async-signal-safe.
  [[nodiscard]] StartFailure execute() const;

 private:
  void merge(const std::vector<std::pair<std::string, std::string>>& environment);
  void find(const std::string& name);
  [[nodiscard]] std::string_view search_path() const;
  [[nodiscard]] bool is_absent(const std::string& path, int error) const;

  std::string folder_;
  std::vector<std::string> paths_;  ///< candidates for the program's file
  std::vector<std::string> added_;  ///< variables added to the environment
  std::vector<char*> arguments_;
  std::vector<char*> variables_;
};

}  // namespace canopy
