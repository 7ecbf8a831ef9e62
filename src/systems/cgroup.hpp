#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>

namespace canopy {

/// The control group (cgroup v2) of one command, inside our own. All its processes can be killed at
/// once, even if they have left their process group or session. All non-static functions are
/// async-signal-safe.
class Cgroup {
 public:
  /// Chooses a unique name; returns none if there are no control groups. Creates nothing; whether
  /// the group can be created is known after make().
  [[nodiscard]] static std::optional<Cgroup> choose();
  /// The folder of our own group, in which it is created.
  [[nodiscard]] static std::optional<std::string> own_folder();
  /// Finds that folder from the contents of /proc/self/mountinfo and /proc/self/cgroup.
  [[nodiscard]] static std::optional<std::string> own_folder(const std::string& mounts,
                                                             const std::string& groups);

  /// Creates the group. Returns whether processes can be started and killed in it, which needs
  /// Linux 5.14.
  [[nodiscard]] bool make() const;
  /// Like fork(), but the child is in the group. Returns -1 on failure.
  [[nodiscard]] pid_t fork_into() const;
  void kill_all() const;
  /// Removes the group. Returns false if there are still processes in it.
  [[nodiscard]] bool remove() const;

 private:
  explicit Cgroup(std::string path) : path_(std::move(path)), kill_(path_ + "/cgroup.kill") {}

  std::string path_;
  std::string kill_;
};

}  // namespace canopy
