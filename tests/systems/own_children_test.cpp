#include "systems/own_children.hpp"

#include "systems/processes.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <span>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using List = std::size_t (*)(std::span<pid_t>);

std::vector<pid_t> listed_by(List list, std::size_t room) {
  std::vector<pid_t> ids(room);
  ids.resize(list(ids));
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Forks several children, the first of which ends, and evaluates a condition while they exist.
template <class Condition>
bool holds_with_children(std::size_t count, const Condition& condition) {
  return is_true_in_own_process([&] {
    std::vector<pid_t> children;
    for (std::size_t i = 0; i < count; ++i) {
      children.push_back(fork());
      if (children.back() == 0 && i == 0) _exit(0);
      if (children.back() == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) pause();
      }
    }
    if (count > 0) eventually([&] { return !is_running(children.front()); });
    std::vector<pid_t> sorted = children;
    std::sort(sorted.begin(), sorted.end());
    const bool holds = condition(sorted);
    for (const pid_t child : children) kill(child, SIGKILL);
    for (const pid_t child : children) waitpid(child, nullptr, 0);
    return holds;
  });
}

TEST(OwnChildren, AreListedWithThoseThatEnded) {
  for (const List list : {own_children, search_own_children}) {
    for (const std::size_t count : {0U, 1U, 3U, 200U}) {
      EXPECT_TRUE(holds_with_children(count, [&](const std::vector<pid_t>& children) {
        return listed_by(list, 1000) == children;
      })) << count;
    }
  }
}

TEST(OwnChildren, NoMoreAreListedThanThereIsRoomFor) {
  for (const List list : {own_children, search_own_children}) {
    EXPECT_TRUE(holds_with_children(5, [&](const std::vector<pid_t>& children) {
      const std::vector<pid_t> listed = listed_by(list, 3);
      return listed.size() == 3 &&
             std::includes(children.begin(), children.end(), listed.begin(), listed.end());
    }));
  }
}

}  // namespace
}  // namespace canopy
