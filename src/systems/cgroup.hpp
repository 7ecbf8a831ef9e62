#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>

namespace canopy {

/// The control group of one command, of the second version and inside our own: all its processes
/// can be killed at once, wherever they have gone. All but the static functions are
/// async-signal-safe.
class Cgroup {
 public:
  /// A name that nobody else has, or nothing where no control groups are to be found. Nothing is
  /// made yet, and whether it can be is found out by make().
  [[nodiscard]] static std::optional<Cgroup> choose();
  /// The folder of our own group, in which it will be.
  [[nodiscard]] static std::optional<std::string> own_folder();
  /// The same by what is in /proc/self/mountinfo and /proc/self/cgroup.
  [[nodiscard]] static std::optional<std::string> own_folder(const std::string& mounts,
                                                             const std::string& groups);

  /// Whether there is such a group now, in which processes can be started and killed. Needs
  /// Linux 5.14.
  [[nodiscard]] bool make() const;
  /// As fork(), but the new process is in the group. -1 if that cannot be.
  [[nodiscard]] pid_t fork_into() const;
  void kill_all() const;
  /// Whether it is gone. It stays as long as there are processes in it.
  [[nodiscard]] bool remove() const;

 private:
  explicit Cgroup(std::string path) : path_(std::move(path)), kill_(path_ + "/cgroup.kill") {}

  std::string path_;
  std::string kill_;
};

}  // namespace canopy
