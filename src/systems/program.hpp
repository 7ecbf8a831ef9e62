#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// Why a program could not be executed, as its process tells us through a pipe.
struct StartFailure {
  int error = 0;               ///< errno
  bool lacks_folder = false;   ///< of the folder that it was to run in
  bool file_is_there = false;  ///< it was found, but the interpreter that it names was not
};

/// All that is needed to execute a program, made before there is a process that may make nothing.
class Program {
 public:
  /// The program and its arguments, and what is in its environment beside ours or instead. It runs
  /// in a folder; empty: in ours. Throws std::system_error for words that no program can get.
  Program(const std::vector<std::string>& words,
          const std::vector<std::pair<std::string, std::string>>& environment, std::string folder);

  /// Does not return unless it fails. Async-signal-safe.
  [[nodiscard]] StartFailure execute() const;

 private:
  void merge(const std::vector<std::pair<std::string, std::string>>& environment);
  void find(const std::string& name);
  [[nodiscard]] std::string_view search_path() const;
  [[nodiscard]] bool is_absent(const std::string& path, int error) const;

  std::string folder_;
  std::vector<std::string> paths_;  ///< where the program may be
  std::vector<std::string> added_;  ///< variables that are not ours
  std::vector<char*> arguments_;
  std::vector<char*> variables_;
};

}  // namespace canopy
