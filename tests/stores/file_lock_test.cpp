#include "stores/file_lock.hpp"

#include "support/temporary_folder.hpp"

#include <csignal>
#include <filesystem>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

class LockFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::shared_ptr<LockFile> open() const {
    return std::make_shared<LockFile>(folder_.path("a.db"));
  }

  testing::TemporaryFolder folder_;
};

TEST_F(LockFileTest, AByteHasOneOwner) {
  const auto one = open();
  const auto other = open();
  auto lock = one->try_take(5);
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ(other->try_take(5), nullptr);
  EXPECT_EQ(one->try_take(5), nullptr);
  EXPECT_NE(other->try_take(6), nullptr);
  EXPECT_TRUE(other->is_taken(5));
  EXPECT_TRUE(one->is_taken(5));
  lock.reset();
  EXPECT_FALSE(one->is_taken(5));
  EXPECT_NE(other->try_take(5), nullptr);
}

TEST_F(LockFileTest, AllLocksOfAStoreShareADescriptor) {
  const auto file = open();
  std::vector<std::unique_ptr<LockFile::Lock>> locks;
  locks.push_back(file->try_take(1));
  const std::size_t before = open_files();
  for (std::int64_t byte = 2; byte < 500; ++byte) locks.push_back(file->try_take(byte));
  EXPECT_EQ(open_files(), before);
}

TEST_F(LockFileTest, AForkDoesNotKeepTheLocksOfItsParent) {
  const auto file = open();
  auto lock = file->try_take(5);
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  lock.reset();
  EXPECT_NE(open()->try_take(5), nullptr);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(LockFileTest, AForkOfAnOwnerThatIsGoneDoesNotKeepItsLocks) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    const auto file = open();
    const auto lock = file->try_take(5);
    if (fork() == 0) {  // reports that it has begun, and therefore has closed the file
      const pid_t worker = getpid();
      (void)!write(ends[1], &worker, sizeof worker);
    }
    pause();
  }
  pid_t worker = 0;
  ASSERT_EQ(read(ends[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  EXPECT_TRUE(open()->is_taken(5));
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_FALSE(open()->is_taken(5));
  kill(worker, SIGKILL);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace canopy
