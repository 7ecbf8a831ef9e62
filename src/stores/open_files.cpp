#include "stores/open_files.hpp"

#include "stores/no_fork.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
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

constinit std::mutex listing;

/// Locks the list. The mutex is never locked during a fork, so it is free in a child.
struct Listing {
  NoFork until_done;
  std::lock_guard<std::mutex> lock{listing};
};

}  // namespace

void OpenFiles::add(const std::string& path) {
  const Listing turn;
  all().emplace(real_path(path), getpid());
}

void OpenFiles::remove(const std::string& path) {
  const Listing turn;
  const auto [first, last] = all().equal_range(real_path(path));
  const auto ours =
      std::find_if(first, last, [](const auto& each) { return each.second == getpid(); });
  if (ours != last) all().erase(ours);
}

bool OpenFiles::is_inherited(const std::string& path) {
  const Listing turn;
  const auto [first, last] = all().equal_range(real_path(path));
  return std::any_of(first, last, [](const auto& each) { return each.second != getpid(); });
}

}  // namespace canopy
