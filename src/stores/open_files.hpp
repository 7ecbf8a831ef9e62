#pragma once

#include <string>

namespace canopy {

/// The files of SQLite that are open, each with the process that opened it. What SQLite knows of a
/// file must not be carried across a fork: locks are not, and the first to close it would take
/// the journal away from the other. Thread-safe, also around a fork.
class OpenFiles {
 public:
  static void add(const std::string& path);
  static void remove(const std::string& path);

  /// Whether it was open in a process that this one was forked from.
  [[nodiscard]] static bool is_inherited(const std::string& path);
};

}  // namespace canopy
