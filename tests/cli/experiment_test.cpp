#include "support/process.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::Process;
using testing::run_tool;

class ExperimentCommand : public ::testing::Test {
 protected:
  ExperimentCommand() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "e.toml")
        << "name = \"e\"\nsteps = 300000\nruns = 8\n[[comparison]]\nname = \"c\"\n"
           "environment = { name = \"garland\" }\n"
           "[[comparison.algorithm]]\nname = \"thoo\"\n";
  }
  ~ExperimentCommand() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  /// The curves without the times, which are the last three columns but three.
  [[nodiscard]] std::string summary(const std::string& folder) const {
    std::ifstream file(path(folder) + "/summary.csv");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("canopy-command-" +
       std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(ExperimentCommand, KilledInMidRunItGoesOnToTheSameResults) {
  const std::string file = path("e.toml");
  ASSERT_EQ(run_tool("experiment " + file + " --out " + path("whole")).status, 0);
  Process process({"experiment", file, "--threads", "1", "--out", path("killed")});
  usleep(200'000);
  process.signal(SIGKILL);
  (void)process.finish();
  const auto resumed = run_tool("experiment " + file + " --out " + path("killed"));
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(summary("killed"), summary("whole"));
  EXPECT_NE(resumed.out.find("open " + path("killed") + "/report.html"), std::string::npos);
}

TEST_F(ExperimentCommand, RefusesWrongUse) {
  const auto refused = [](const std::string& words) {
    const auto result = run_tool("experiment " + words);
    EXPECT_EQ(result.status, 2) << words;
    return result.err;
  };
  EXPECT_EQ(refused(""),
            "canopy experiment: EXPERIMENT.toml: is missing; see --help for an example\n");
  EXPECT_EQ(refused("/nowhere.toml"),
            "canopy experiment: /nowhere.toml: cannot be read: No such file or directory\n");
  EXPECT_EQ(refused(path("e.toml") + " --threads 0"),
            "canopy experiment: --threads 0: must be a whole number from 1 to 1024\n");
}

TEST_F(ExperimentCommand, AFolderThatCannotBeMadeIsNamed) {
  std::ofstream(path("file")) << "x";
  const auto result = run_tool("experiment " + path("e.toml") + " --out " + path("file") + "/sub");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("cannot be made"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace canopy
