#pragma once

#include "support/temporary_folder.hpp"

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {

/// Whether a condition becomes true within a time that is sufficient on any machine.
template <class Condition>
bool eventually(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// Whether a process exists and is not a zombie.
inline bool is_running(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string stat;
  if (!std::getline(file, stat)) return false;
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.at(name_end + 2) != 'Z' &&
         stat.at(name_end + 2) != 'X';
}

/// The number that a process has written into a file; none before that.
inline std::optional<pid_t> id_in(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || file.eof() || line.empty()) return std::nullopt;
  return static_cast<pid_t>(std::stol(line));
}

/// Runs a function in a child process, whose state it may change. Returns its result.
template <class Work>
bool is_true_in_own_process(const Work& work) {
  const pid_t id = fork();
  if (id == 0) _exit(work() ? 0 : 1);
  int status = 0;
  while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// For tests that need a temporary folder.
class WithFolder : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }

 private:
  testing::TemporaryFolder folder_;
};

using Words = std::vector<std::string>;

inline Words shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

}  // namespace canopy
