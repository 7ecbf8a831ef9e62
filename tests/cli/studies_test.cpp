// The commands that look at studies, where nothing can be written.

#include "support/shell.hpp"
#include "support/temporary_folder.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::shell;

constexpr const char* kTuned = R"(name = "a"
[[space]]
name = "x"
low = 0
high = 1
[system]
apply = "true {x}"
measure = "echo 1"
[budget]
pulls = 40
)";

/// Runs the tool in a folder that is mounted read-only.
testing::ShellResult where_nothing_can_be_written(const std::string& folder,
                                                  const std::string& words) {
  return shell("unshare -m sh -c 'cd / && mount --bind " + folder + " " + folder +
               " && mount -o remount,ro,bind " + folder + " && cd " + folder + " && exec " +
               CANOPY_BINARY_DIR "/canopy " + words + "' 2>&1");
}

TEST(Studies, CanBeLookedAtOnAReadOnlyMountAndNotTuned) {
  const testing::TemporaryFolder folder;
  const testing::TemporaryFolder elsewhere;
  const std::string path = folder.path("");
  folder.write("a.toml", kTuned);
  if (where_nothing_can_be_written(path, "--version").status != 0) {
    GTEST_SKIP() << "nothing can be mounted here";
  }
  const std::string tune = "tune a.toml --store 50%_#1?.db";
  ASSERT_EQ(shell("cd " + path + " && " CANOPY_BINARY_DIR "/canopy " + tune + " 2>&1").status, 0);
  for (const std::string& words : std::vector<std::string>{
           "studies list", "studies show a", "studies export a", "best a", "explain a", "tree a",
           "report a --out " + elsewhere.path("a.html")}) {
    const auto [status, said] = where_nothing_can_be_written(path, words + " --store 50%_#1?.db");
    EXPECT_EQ(status, 0) << words << ": " << said;
  }
  const auto [status, said] = where_nothing_can_be_written(path, tune);
  EXPECT_EQ(status, 1);
  EXPECT_NE(said.find("50%_#1?.db: cannot be written: "), std::string::npos) << said;
  EXPECT_NE(said.find("Read-only file system"), std::string::npos) << said;
}

}  // namespace
}  // namespace canopy
