#include "stores/process_identity.hpp"

#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(ProcessIdentity, OneThatLivesIsNotGone) {
  EXPECT_FALSE(is_gone(process_identity())) << process_identity();
}

TEST(ProcessIdentity, OneThatHasEndedIsGone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = process_identity();
    (void)!write(ends[1], text.data(), text.size());
    pause();
    _exit(0);
  }
  std::string identity(1000, '\0');
  const ssize_t bytes = read(ends[0], identity.data(), identity.size());
  ASSERT_GT(bytes, 0);
  identity.resize(static_cast<std::size_t>(bytes));
  EXPECT_FALSE(is_gone(identity));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(is_gone(identity)) << identity;
  close(ends[0]);
  close(ends[1]);
}

TEST(ProcessIdentity, NothingIsKnownOfOtherMachines) {
  EXPECT_FALSE(is_gone("pid 999999 on elsewhere (00000000-0000-0000-0000-000000000000:1:2)"));
  EXPECT_FALSE(is_gone("pid 999999 on elsewhere"));
  EXPECT_FALSE(is_gone(""));
  EXPECT_FALSE(is_gone("()"));
}

}  // namespace
}  // namespace canopy
