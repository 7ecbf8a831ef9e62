// Commands that view studies, also where nothing can be written.

#include "support/process.hpp"
#include "support/shell.hpp"
#include "support/sqlite.hpp"
#include "support/temporary_folder.hpp"

#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
           "studies list", "studies show a", "studies export a", "studies verify", "best a",
           "explain a", "tree a", "report a --out " + elsewhere.path("a.html")}) {
    const auto [status, said] = where_nothing_can_be_written(path, words + " --store 50%_#1?.db");
    EXPECT_EQ(status, 0) << words << ": " << said;
  }
  const auto [status, said] = where_nothing_can_be_written(path, tune);
  EXPECT_EQ(status, 1);
  EXPECT_NE(said.find("50%_#1?.db: cannot be written: "), std::string::npos) << said;
  EXPECT_NE(said.find("Read-only file system"), std::string::npos) << said;
}

class VerifyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("a.toml", kTuned);
    ASSERT_EQ(run("tune " + folder_.path("a.toml")).status, 0);
  }

  [[nodiscard]] testing::ShellResult run(const std::string& words) const {
    return shell(CANOPY_BINARY_DIR "/canopy " + words + " --store " + path() + " 2>&1");
  }
  [[nodiscard]] std::string path() const { return folder_.path("s.db"); }

  /// Returns the output after tampering with the store; the command must fail.
  [[nodiscard]] std::string after(const std::string& tampering) const {
    testing::execute(path(), tampering);
    const auto [status, said] = run("studies verify");
    EXPECT_EQ(status, 1) << said;
    return said;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(VerifyTest, ASoundStoreIsSaidToBeSound) {
  ASSERT_EQ(run("pipe " + folder_.path("a.toml") + " --study b < /dev/null").status, 0);
  const auto [status, said] = run("studies verify");
  EXPECT_EQ(status, 0) << said;
  EXPECT_NE(said.find(" events, sound\nb: 0 events, sound\n"), std::string::npos) << said;
  EXPECT_EQ(run("studies verify b").out, "b: 0 events, sound\n");
  const auto printed = nlohmann::json::parse(run("studies verify a --json").out);
  EXPECT_EQ(printed["studies"][0]["name"], "a");
  EXPECT_EQ(printed["studies"][0]["sound"], true);
  EXPECT_TRUE(printed["faults"].empty());
}

TEST_F(VerifyTest, AStoreThatIsWrittenToIsSound) {
  std::string long_study = kTuned;
  long_study.replace(long_study.find("pulls = 40"), 10, "pulls = 100000");
  folder_.write("long.toml", long_study.replace(8, 1, "b"));
  testing::Process tuner({"tune", folder_.path("long.toml"), "--store", path()});
  for (std::string said;
       said.find("\nb: ") == std::string::npos || said.find("b: 0 ") != std::string::npos;) {
    const auto result = run("studies verify");
    said = result.out;
    ASSERT_EQ(result.status, 0) << said;
  }
  for (int i = 0; i < 5; ++i) {
    const auto [status, said] = run("studies verify b");
    EXPECT_EQ(status, 0) << said;
  }
  tuner.signal(SIGTERM);
  (void)tuner.finish();
}

TEST_F(VerifyTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(after("UPDATE events SET at = at + 1 WHERE number = 7"),
            "a: event 7 of its journal is damaged: its checksum differs\n");
  EXPECT_EQ(after("DELETE FROM events WHERE number = 7"), "a: event 7 of its journal is missing\n");
}

TEST_F(VerifyTest, AJournalHasAsManyEventsAsItsRecordSays) {
  EXPECT_NE(after("UPDATE studies SET events = events + 1").find("a: its journal ends after event"),
            std::string::npos);
  EXPECT_NE(
      after("UPDATE studies SET events = events - 2").find("a: its journal has more than the"),
      std::string::npos);
}

TEST_F(VerifyTest, TheOptimizerWouldHaveDoneTheSame) {
  const std::string said = after(
      "UPDATE studies SET specification = replace(specification, '\"high\":1', "
      "'\"high\":2')");
  EXPECT_NE(said.find(" of its journal does not match: the optimizer would play another arm"),
            std::string::npos)
      << said;
}

TEST_F(VerifyTest, SnapshotsAndSpecificationsAreReadToo) {
  EXPECT_EQ(after("UPDATE snapshots SET optimizer = optimizer || ' '"),
            "a: its snapshot is damaged; it is not used, since the journal has everything\n");
  EXPECT_EQ(after("DELETE FROM snapshots; UPDATE studies SET specification = '{'")
                .find("a: its specification is damaged: "),
            0U);
}

}  // namespace
}  // namespace canopy
