#include "systems/cgroup.hpp"

#include "systems/processes.hpp"

#include <cerrno>
#include <csignal>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace canopy {
namespace {

std::string mounted(const std::string& root, const std::string& folder) {
  return "24 30 0:22 / /proc rw,nosuid - proc proc rw\n"
         "40 31 0:37 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
         "41 31 0:38 " +
         root + " " + folder + " rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
}

TEST(Cgroup, OursIsWhereItIsMounted) {
  const std::string groups = "9:pids:/else\n0::/user.slice/a b.scope\n";
  EXPECT_EQ(Cgroup::own_folder(mounted("/", "/sys/fs/cgroup"), groups),
            "/sys/fs/cgroup/user.slice/a b.scope");
  EXPECT_EQ(Cgroup::own_folder(mounted("/", "/sys/fs/cgroup/unified"), "0::/\n"),
            "/sys/fs/cgroup/unified");
}

TEST(Cgroup, OfAHierarchyAPartMayBeMounted) {
  const std::string mounts = mounted("/box/a", "/cgroup");
  EXPECT_EQ(Cgroup::own_folder(mounts, "0::/box/a\n"), "/cgroup");
  EXPECT_EQ(Cgroup::own_folder(mounts, "0::/box/a/b\n"), "/cgroup/b");
  EXPECT_EQ(Cgroup::own_folder(mounts, "0::/box/ab\n"), std::nullopt);
  EXPECT_EQ(Cgroup::own_folder(mounts, "0::/box\n"), std::nullopt);
}

TEST(Cgroup, ThereMayBeNone) {
  EXPECT_EQ(Cgroup::own_folder("", ""), std::nullopt);
  EXPECT_EQ(Cgroup::own_folder(mounted("/", "/cgroup"), "9:pids:/\n"), std::nullopt);
  EXPECT_EQ(Cgroup::own_folder("40 31 0:37 / /cgroup rw - cgroup cgroup rw\n", "0::/\n"),
            std::nullopt);
  EXPECT_EQ(Cgroup::own_folder(mounted("/", "/c\\040group"), "0::/\n"), std::nullopt);
  EXPECT_EQ(Cgroup::own_folder(mounted("/", "/cgroup"), "0::/../else\n"), std::nullopt);
}

TEST(Cgroup, WhatRunsInOneIsKilledAtOnceAndThenItIsGone) {
  const std::optional<Cgroup> group = Cgroup::choose();
  if (!group || !group->make()) GTEST_SKIP() << "there are no control groups for us";
  const pid_t child = group->fork_into();
  if (child == 0) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  EXPECT_GT(child, 0);
  EXPECT_FALSE(group->remove());
  group->kill_all();
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_TRUE(eventually([&] { return group->remove(); }));
  EXPECT_TRUE(group->remove()) << "it is gone already";
  EXPECT_EQ(group->fork_into(), -1);
  group->kill_all();
}

}  // namespace
}  // namespace canopy
