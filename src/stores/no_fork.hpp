#pragma once

namespace canopy {

/// Delays forks of this process during its lifetime. SQLite has process-wide mutexes; one that
/// another thread holds during a fork would stay locked in the child forever. Must not be nested.
class NoFork {
 public:
  NoFork();
  ~NoFork();
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;
};

}  // namespace canopy
