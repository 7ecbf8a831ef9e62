#include "systems/own_children.hpp"

#include "systems/descriptor.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace canopy {
namespace {

constexpr std::size_t kBytesAtOnce = 4096;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// The number at the beginning of a text; 0 if there is none.
pid_t leading_number(std::string_view text) {
  pid_t number = 0;
  for (const char letter : text) {
    if (!is_digit(letter)) break;
    number = number * 10 + (letter - '0');
  }
  return number;
}

/// The parent of a process, given its folder name in /proc; 0 if it has none or has ended.
pid_t parent_of(int processes, const char* name) {
  const Descriptor folder(openat(processes, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return 0;
  const Descriptor file(openat(folder.number(), "stat", O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return 0;
  std::array<char, kBytesAtOnce> buffer;
  const ssize_t got = read(file.number(), buffer.data(), buffer.size());
  if (got <= 0) return 0;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
  const std::size_t after_name = text.rfind(')');  // followed by the state and the parent's id
  if (after_name == std::string_view::npos || text.size() < after_name + 4) return 0;
  return leading_number(text.substr(after_name + 4));
}

}  // namespace

std::size_t own_children(std::span<pid_t> ids) {
  const Descriptor list(open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC));
  if (!list.is_open()) return search_own_children(ids);
  std::size_t count = 0;
  pid_t number = 0;
  std::array<char, kBytesAtOnce> buffer;
  for (;;) {
    const ssize_t got = read(list.number(), buffer.data(), buffer.size());
    if (got <= 0) return count;
    for (const char letter : std::string_view(buffer.data(), static_cast<std::size_t>(got))) {
      if (is_digit(letter)) {
        number = number * 10 + (letter - '0');
      } else if (number > 0) {  // every id is followed by a space
        if (count == ids.size()) return count;
        ids[count++] = std::exchange(number, 0);
      }
    }
  }
}

std::size_t search_own_children(std::span<pid_t> ids) {
  const Descriptor processes(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!processes.is_open()) return 0;
  const pid_t self = getpid();
  std::size_t count = 0;
  alignas(dirent64) std::array<char, kBytesAtOnce> buffer;
  for (;;) {
    const ssize_t got = getdents64(processes.number(), buffer.data(), buffer.size());
    if (got <= 0) return count;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      std::uint16_t size = 0;
      std::memcpy(&size, buffer.data() + at + offsetof(dirent64, d_reclen), sizeof size);
      const char* name = buffer.data() + at + offsetof(dirent64, d_name);
      const pid_t id = leading_number(name);
      if (id > 0 && count < ids.size() && parent_of(processes.number(), name) == self) {
        ids[count++] = id;
      }
      at += size;
    }
  }
}

}  // namespace canopy
