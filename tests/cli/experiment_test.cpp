#include "support/process.hpp"
#include "support/temporary_folder.hpp"

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
    folder_.write("e.toml",
                  "name = \"e\"\nsteps = 300000\nruns = 8\n[[comparison]]\nname = \"c\"\n"
                  "environment = { name = \"garland\" }\n"
                  "[[comparison.algorithm]]\nname = \"thoo\"\n");
  }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }

  [[nodiscard]] std::string summary(const std::string& folder) const {
    return folder_.content(folder + "/summary.csv");
  }

 private:
  testing::TemporaryFolder folder_;
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
            "canopy experiment: EXPERIMENT.toml is missing; see --help for an example\n");
  EXPECT_EQ(refused("/nowhere.toml"),
            "canopy experiment: /nowhere.toml: cannot be read: No such file or directory\n");
  EXPECT_EQ(refused(path("e.toml") + " --threads 0"),
            "canopy experiment: --threads 0: must be a whole number from 1 to 1024\n");
}

TEST_F(ExperimentCommand, AFolderThatCannotBeMadeIsNamed) {
  std::ofstream(path("file")) << "x";
  const auto result = run_tool("experiment " + path("e.toml") + " --out " + path("file") + "/sub");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("cannot be created"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace canopy
