#include "stores/process_identity.hpp"

#include "core/text.hpp"

#include <array>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Identifies the boot of the machine and the PID namespace; empty if unknown.
std::string machine() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat space {};
  if (boot.empty() || stat("/proc/self/ns/pid", &space) != 0) return "";
  return fmt::format("{}:{}", boot, space.st_ino);
}

/// The start time of a process, in clock ticks since boot; none if there is no such process.
std::optional<std::string> start_of(long long process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  constexpr int kPlace = 20;  // index among the fields that follow the name
  std::size_t begin = name_end + 1;
  for (int i = 1; i < kPlace && begin != std::string::npos; ++i) begin = text.find(' ', begin + 1);
  if (begin == std::string::npos) return std::nullopt;
  const bool is_dead = text[name_end + 2] == 'Z' || text[name_end + 2] == 'X';
  if (is_dead) return std::nullopt;
  return text.substr(begin + 1, text.find(' ', begin + 1) - begin - 1);
}

}  // namespace

std::string process_identity() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string name = fmt::format("pid {} on {}", getpid(), host.data());
  const std::string here = machine();
  const auto start = start_of(getpid());
  return here.empty() || !start ? name : fmt::format("{} ({}:{})", name, here, *start);
}

bool is_gone(std::string_view identity) {
  const std::string here = machine();
  const std::size_t begin = identity.rfind('(');
  if (here.empty() || begin == std::string_view::npos || !identity.ends_with(')')) return false;
  const std::string_view exact = identity.substr(begin + 1, identity.size() - begin - 2);
  const std::size_t last = exact.rfind(':');
  if (last == std::string_view::npos || exact.substr(0, last) != here) return false;
  constexpr std::string_view kPrefix = "pid ";
  if (!identity.starts_with(kPrefix)) return false;
  const std::string_view rest = identity.substr(kPrefix.size());
  const auto process = number_in<std::int64_t>(rest.substr(0, rest.find(' ')));
  return process && start_of(*process) != std::optional(std::string(exact.substr(last + 1)));
}

}  // namespace canopy
