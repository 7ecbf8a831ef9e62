#include "stores/open_files.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <pthread.h>
#include <system_error>
#include <unistd.h>

namespace canopy {
namespace {

std::string real_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  return error ? path : real.string();
}

std::multimap<std::string, pid_t>& all() {
  static std::multimap<std::string, pid_t> files;
  return files;
}

/// Free in a child, whatever other threads were doing at the fork.
std::mutex& mutex() {
  static std::mutex one;
  static const int ignored =
      pthread_atfork([] { one.lock(); }, [] { one.unlock(); }, [] { one.unlock(); });
  (void)ignored;
  return one;
}

}  // namespace

void OpenFiles::add(const std::string& path) {
  const std::lock_guard lock(mutex());
  all().emplace(real_path(path), getpid());
}

void OpenFiles::remove(const std::string& path) {
  const std::lock_guard lock(mutex());
  const auto [first, last] = all().equal_range(real_path(path));
  const auto ours =
      std::find_if(first, last, [](const auto& each) { return each.second == getpid(); });
  if (ours != last) all().erase(ours);
}

bool OpenFiles::is_inherited(const std::string& path) {
  const std::lock_guard lock(mutex());
  const auto [first, last] = all().equal_range(real_path(path));
  return std::any_of(first, last, [](const auto& each) { return each.second != getpid(); });
}

}  // namespace canopy
