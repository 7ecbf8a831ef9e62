// canopy-mpi, started by mpirun as a user would.

#include "support/shell.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;
using Result = canopy::testing::ShellResult;

constexpr const char* kExperiment = R"(name = "e"
steps = 20000
runs = 5
tuning_runs = 2
[[comparison]]
name = "iid"
environment = { name = "garland" }
[[comparison.algorithm]]
name = "hct"
[comparison.algorithm.grid]
nu1 = [0.3, 1]
[[comparison.algorithm]]
name = "thoo"
)";

/// Runs a shell command. MPI may print warnings to the standard error.
Result shell(const std::string& command, const std::string& errors = "2>/dev/null") {
  return canopy::testing::shell(command + " " + errors);
}

Result on_ranks(int ranks, const std::string& words, const std::string& errors = "2>/dev/null") {
  return shell("mpirun --allow-run-as-root --oversubscribe -n " + std::to_string(ranks) + " " +
                   CANOPY_BINARY_DIR "/canopy-mpi " + words,
               errors);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Kills a process of canopy-mpi that has this word among its arguments.
bool kill_one_rank(const std::string& word) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string arguments = content_of(entry.path() / "cmdline");
    if (arguments.starts_with(CANOPY_BINARY_DIR "/canopy-mpi") &&
        arguments.find(word) != std::string::npos) {
      return kill(std::stoi(entry.path().filename()), SIGKILL) == 0;
    }
  }
  return false;
}

class Mpi : public ::testing::Test {
 protected:
  Mpi() { folder_.write("e.toml", kExperiment); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }

 private:
  canopy::testing::TemporaryFolder folder_;
};

TEST_F(Mpi, AnExperimentGivesTheNumbersOfOneThread) {
  const std::string words = "experiment " + path("e.toml") + " --out ";
  const Result alone = shell(CANOPY_BINARY_DIR "/canopy " + words + path("alone") + " --threads 1");
  ASSERT_EQ(alone.status, 0) << alone.out;
  for (const int ranks : {1, 3}) {
    const std::string folder = path("ranks" + std::to_string(ranks));
    const Result result = on_ranks(ranks, words + folder);
    ASSERT_EQ(result.status, 0) << result.out;
    EXPECT_EQ(content_of(folder + "/summary.csv"), content_of(path("alone") + "/summary.csv"));
  }
}

TEST_F(Mpi, WhatOneProcessBeganManyMayFinish) {
  const std::string words = "experiment " + path("e.toml") + " --out " + path("out");
  ASSERT_EQ(shell(CANOPY_BINARY_DIR "/canopy " + words).status, 0);
  const std::string whole = content_of(path("out") + "/summary.csv");
  const std::string units = path("out") + "/units.csv";
  std::filesystem::resize_file(units, std::filesystem::file_size(units) / 2);
  ASSERT_EQ(on_ranks(2, words).status, 0);
  EXPECT_EQ(content_of(path("out") + "/summary.csv"), whole);
}

TEST_F(Mpi, ARankThatIsKilledLosesNoFinishedUnit) {
  std::ofstream(path("long.toml"))
      << "name = \"long\"\nsteps = 300000\nruns = 8\n[[comparison]]\nname = \"c\"\n"
         "environment = { name = \"garland\" }\n[[comparison.algorithm]]\nname = \"thoo\"\n";
  const std::string words = "experiment " + path("long.toml") + " --out ";
  ASSERT_EQ(shell(CANOPY_BINARY_DIR "/canopy " + words + path("whole")).status, 0);
  const std::string units = path("out") + "/units.csv";
  const std::jthread killer([&](const std::stop_token& over) {  // mpirun then ends the other rank
    while (!over.stop_requested()) {
      const std::string lines = content_of(units);
      if (std::count(lines.begin(), lines.end(), '\n') > 2 && kill_one_rank(path("long.toml")))
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  const Result killed = on_ranks(2, words + path("out"));
  EXPECT_NE(killed.status, 0) << "it was not killed";
  const std::string kept = content_of(units);
  ASSERT_EQ(on_ranks(2, words + path("out")).status, 0);
  EXPECT_EQ(content_of(path("out") + "/summary.csv"), content_of(path("whole") + "/summary.csv"));
  EXPECT_TRUE(content_of(units).starts_with(kept.substr(0, kept.rfind('\n') + 1)));
}

struct SearchCase {
  std::string words;
  double growth;  ///< largest growth of the messages with a hundred times the pulls
};

json searched(const SearchCase& search, const std::string& steps) {
  const Result result = on_ranks(3, "search --json " + search.words + " --steps " + steps);
  EXPECT_EQ(result.status, 0) << result.out;
  return json::parse(result.out);
}

TEST_F(Mpi, MessagesOfAPolicySearchGrowWithTheEpisodesAndNotWithThePulls) {
  for (const SearchCase& search :
       {SearchCase{"--environment lqr", 20.0}, SearchCase{"--environment cart-pole", 70.0},
        SearchCase{"--environment lqr --optimizer hct", 20.0},
        SearchCase{"--environment cart-pole --optimizer hct", 20.0}}) {
    const json few = searched(search, "1e4");
    const json many = searched(search, "1e6");
    for (const json& run : {few, many}) {
      EXPECT_LE(run["messages"].get<double>(), 4.0 * run["episodes"].get<double>());
    }
    EXPECT_LT(many["messages"].get<double>(), search.growth * few["messages"].get<double>())
        << search.words;
    EXPECT_LT(many["per_step_regret"].get<double>(), few["per_step_regret"].get<double>())
        << search.words;
  }
}

TEST_F(Mpi, HctExpectsCorrelatedFeedbackUnlessToldOtherwise) {
  const std::string search = "--environment lqr --optimizer hct";
  const json standard = searched({search, 0.0}, "1e4");
  EXPECT_EQ(standard, searched({search + " --feedback correlated", 0.0}, "1e4"));
  EXPECT_NE(standard, searched({search + " --feedback iid", 0.0}, "1e4"));
}

TEST_F(Mpi, RandomChoicesOfAPolicySearchFollowItsSeed) {
  const std::string search = "--environment lqr --optimizer random --seed ";
  const auto best_arm = [&](const std::string& seed) {
    return searched({search + seed, 0.0}, "100")["best_arm"];
  };
  EXPECT_EQ(best_arm("1"), best_arm("1"));
  EXPECT_NE(best_arm("1"), best_arm("2"));
}

TEST_F(Mpi, WrongUseIsRefusedOnceByName) {
  const Result result = on_ranks(2, "search --steps 0", "2>&1");
  EXPECT_NE(result.status, 0);
  const std::string message =
      "canopy-mpi: --steps 0: must be a whole number from 1 to 1000000000000";
  const std::size_t first = result.out.find(message);
  ASSERT_NE(first, std::string::npos) << result.out;
  EXPECT_EQ(result.out.find(message, first + 1), std::string::npos);
  EXPECT_NE(on_ranks(2, "search --rho 0.5", "2>&1").out.find("--rho 0.5: adaptive has no such"),
            std::string::npos);
}

}  // namespace
