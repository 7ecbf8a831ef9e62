#pragma once

namespace canopy {

/// While one lives, a fork of this process waits. SQLite has locks for the whole process: one that
/// another thread has at a fork is never free in the child. They must not be nested.
class NoFork {
 public:
  NoFork();
  ~NoFork();
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;
};

}  // namespace canopy
