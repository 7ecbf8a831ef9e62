#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace canopy::testing {

struct ShellResult {
  int status = 0;
  std::string out;
};

/// Runs a shell command.
inline ShellResult shell(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c)
  ShellResult result;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.out.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace canopy::testing
