#pragma once

#include <string>

namespace canopy {

/// The open SQLite files, with the process that opened each. An SQLite connection must not be used
/// after a fork: the child does not inherit file locks, and closing the file in one process would
/// remove the write-ahead log of the other. Thread-safe, also during forks.
class OpenFiles {
 public:
  static void add(const std::string& path);
  static void remove(const std::string& path);

  /// Whether the file was opened by a process that this one was forked from.
  [[nodiscard]] static bool is_inherited(const std::string& path);
};

}  // namespace canopy
