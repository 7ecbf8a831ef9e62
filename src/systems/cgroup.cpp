#include "systems/cgroup.hpp"

#include "systems/descriptor.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <linux/sched.h>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Mount {
  std::string root;  ///< the part of the hierarchy that is mounted
  std::string folder;
};

/// Returns where the cgroup v2 hierarchy is mounted.
std::optional<Mount> cgroup_mount(const std::string& mounts) {
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream words(line);
    std::string number;
    Mount mount;
    words >> number >> number >> number >> mount.root >> mount.folder;
    if (words && line.find('\\') == std::string::npos) return mount;
  }
  return std::nullopt;
}

/// Returns the path of our own control group.
std::optional<std::string> own_cgroup(const std::string& groups) {
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::/")) return line.substr(3);
  }
  return std::nullopt;
}

/// Starts with the current time, so that an earlier process with our id has not used the number.
std::uint64_t next_cgroup_number() {
  static std::atomic<std::uint64_t> next =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  return next++;
}

}  // namespace

std::optional<std::string> Cgroup::own_folder(const std::string& mounts,
                                              const std::string& groups) {
  const std::optional<Mount> mount = cgroup_mount(mounts);
  std::optional<std::string> path = own_cgroup(groups);
  if (!mount || !path || path->find("/..") != std::string::npos) return std::nullopt;
  const std::string root = mount->root == "/" ? "" : mount->root;
  if (!path->starts_with(root)) return std::nullopt;
  path->erase(0, root.size());
  if (!path->empty() && path->front() != '/') return std::nullopt;
  while (path->ends_with('/')) path->pop_back();
  return mount->folder + *path;
}

std::optional<std::string> Cgroup::own_folder() {
  static const std::string mounts = text_of("/proc/self/mountinfo");
  return own_folder(mounts, text_of("/proc/self/cgroup"));
}

std::optional<Cgroup> Cgroup::choose() {
  const std::optional<std::string> folder = own_folder();
  if (!folder) return std::nullopt;
  return Cgroup(fmt::format("{}/canopy-{}-{}", *folder, getpid(), next_cgroup_number()));
}

bool Cgroup::make() const {
  if (mkdir(path_.c_str(), 0755) != 0) return false;
  if (access(kill_.c_str(), W_OK) == 0) return true;
  (void)remove();
  return false;
}

pid_t Cgroup::fork_into() const {
  const Descriptor folder(open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return -1;
  clone_args how{};
  how.flags = CLONE_INTO_CGROUP;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<decltype(how.cgroup)>(folder.number());
  return static_cast<pid_t>(syscall(SYS_clone3, &how, sizeof how));
}

void Cgroup::kill_all() const {
  const Descriptor order(open(kill_.c_str(), O_WRONLY | O_CLOEXEC));
  [[maybe_unused]] const ssize_t told = write(order.number(), "1", 1);
}

bool Cgroup::remove() const {
  return rmdir(path_.c_str()) == 0 || errno == ENOENT;
}

}  // namespace canopy
