#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"

#include "support/process.hpp"

#include <algorithm>
#include <csignal>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using testing::Process;
using testing::run_tool;

TEST(SimulateCommand, PrintsOneJsonObject) {
  const Process::Result result = run_tool(
      "simulate --environment garland --optimizer hct --feedback iid --nu1 1 --rho 0.7071 "
      "--confidence-scale 0.05 --steps 100000 --runs 10 --seed 1 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "") << "no progress bar in a pipe";
  const json object = json::parse(result.out);
  for (const char* key : {"per_step_regret", "per_step_realised_regret", "simple_regret", "nodes",
                          "depth", "switches", "refreshes"}) {
    EXPECT_LE(object[key]["lower"].get<double>(), object[key]["mean"].get<double>()) << key;
    EXPECT_LE(object[key]["mean"].get<double>(), object[key]["upper"].get<double>()) << key;
  }
  EXPECT_GT(object["ns_per_step"].get<double>(), 0.0);
  EXPECT_EQ(object["refreshes"]["mean"], 17.0);
  EXPECT_NEAR(object["per_step_regret"]["mean"].get<double>(), 0.0195, 0.01);
  EXPECT_EQ(object["steps"], 100'000);
  EXPECT_EQ(object["optimizer_options"]["rho"], 0.7071);
}

TEST(SimulateCommand, RunsTheGarlandMdp) {
  const Process::Result result = run_tool(
      "simulate --optimizer hct --environment garland-mdp --beta 0.2 --feedback correlated "
      "--mixing-time 1 "
      "--steps 1e4 --runs 3 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json object = json::parse(result.out);
  EXPECT_EQ(object["environment"], "garland-mdp");
  EXPECT_EQ(object["optimizer_options"]["confidence_scale"], 0.006) << "the practical preset";
  EXPECT_EQ(object["steps"], 10'000);
}

TEST(SimulateCommand, ListsOptimizersAndEnvironmentsALineEach) {
  const Process::Result result = run_tool("simulate --list");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("Optimizers:\n  adaptive            the adaptive tree"));
  EXPECT_NE(result.out.find("\nEnvironments:\n  garland             "), std::string::npos);
  EXPECT_EQ(
      std::count(result.out.begin(), result.out.end(), '\n'),
      static_cast<std::ptrdiff_t>(2 + optimizers().names().size() + environments().names().size()));
}

TEST(SimulateCommand, RunsEveryOptimizerOnEveryEnvironment) {
  std::istringstream lines(run_tool("simulate --list").out);
  std::vector<std::string> optimizers;
  std::vector<std::string> environments;
  std::vector<std::string>* names = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line == "Optimizers:") {
      names = &optimizers;
    } else if (line == "Environments:") {
      names = &environments;
    } else {
      names->push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  for (const std::string& optimizer : optimizers) {
    for (const std::string& environment : environments) {
      const Process::Result result = run_tool("simulate --steps 50 --runs 2 --optimizer " +
                                              optimizer + " --environment " + environment);
      EXPECT_EQ(result.status, 0) << optimizer << " on " << environment << ": " << result.err;
      EXPECT_TRUE(result.out.starts_with(optimizer + " on " + environment));
    }
  }
}

TEST(SimulateCommand, RefusesAnImpossiblePairWithAReason) {
  const Process::Result result =
      run_tool("simulate --optimizer grid --environment ackley --dimension 4 --points 30");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err,
            "canopy simulate: --points 30: gives more than 100000 arms with 4 parameters\n");
}

TEST(SimulateCommand, TellsTheHorizonOfTruncatedHoo) {
  const auto parameters = [](const std::string& words) {
    return json::parse(run_tool("simulate --optimizer thoo --steps 50 --runs 1 --json " + words)
                           .out)["optimizer_options"];
  };
  EXPECT_EQ(parameters("")["horizon"], "doubling");
  EXPECT_EQ(parameters("--horizon doubling")["horizon"], "doubling");
  EXPECT_EQ(parameters("--horizon 1e4")["horizon"], 10'000);
  EXPECT_EQ(run_tool("simulate --optimizer thoo --horizon 0").err,
            "canopy simulate: --horizon 0: must be a whole number from 1 to 9007199254740992 or "
            "\"doubling\"\n");
  EXPECT_EQ(run_tool("simulate --optimizer hoo --horizon 10").err,
            "canopy simulate: --horizon 10: hoo has no such option (thoo, gpo, pct, vpct, stosoo, "
            "sequool, "
            "stroquool, vroom, successive-halving have)\n");
}

TEST(SimulateCommand, TellsAnAlgorithmThatNeedsAHorizonHowLongTheRunsAre) {
  for (const auto& [words, horizon] : {std::pair("", 80), std::pair("--horizon 70", 70)}) {
    const Process::Result result =
        run_tool(std::string("simulate --optimizer stroquool --steps 80 --runs 1 --json ") + words);
    EXPECT_EQ(json::parse(result.out)["optimizer_options"]["horizon"], horizon);
  }
}

TEST(SimulateCommand, PrintsAnAlignedTable) {
  const Process::Result result = run_tool("simulate --steps 1000 --runs 2");
  ASSERT_EQ(result.status, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line;
  std::size_t rows = 0;
  while (std::getline(lines, line)) {
    if (line.find(" .. ") == std::string::npos) continue;
    EXPECT_EQ(line.find(" .. "), 52U) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 7U);
  EXPECT_NE(result.out.find("best arm of the first run: x = "), std::string::npos);
}

TEST(SimulateCommand, SaysInWhichContextTheBestArmIs) {
  const Process::Result result = run_tool("simulate --environment contextual --steps 300 --runs 2");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find(" where z = "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(" there)"), std::string::npos) << result.out;
  const json object =
      json::parse(run_tool("simulate --environment contextual --steps 300 --runs 1 --json").out);
  EXPECT_EQ(object["context"].size(), 1U);
}

TEST(SimulateCommand, PlaysWithoutTheContextIfItIsTold) {
  const auto regret = [](const std::string& words) {
    const std::string command =
        "simulate --environment contextual --noise-width 0.1 --steps 2000 "
        "--runs 3 --json " +
        words;
    return json::parse(run_tool(command).out)["per_step_regret"]["mean"].get<double>();
  };
  EXPECT_LT(regret(""), 0.6 * regret("--ignore-context"));
  EXPECT_EQ(run_tool("simulate --ignore-context").err,
            "canopy simulate: --ignore-context: garland has no context\n");
}

TEST(SimulateCommand, ASingleRunHasNoInterval) {
  const json object = json::parse(run_tool("simulate --steps 100 --runs 1 --json").out);
  EXPECT_TRUE(object["nodes"]["lower"].is_null());
  EXPECT_TRUE(object["nodes"]["upper"].is_null());
  EXPECT_EQ(run_tool("simulate --steps 1 --runs 1").status, 0);
}

TEST(SimulateCommand, GivesTheSameNumbersAgainAndOnAnyNumberOfThreads) {
  const auto numbers = [](const std::string& words) {
    json object = json::parse(run_tool("simulate --steps 3000 --json " + words).out);
    object.erase("ns_per_step");
    return object;
  };
  EXPECT_EQ(numbers("--seed 5"), numbers("--seed 5"));
  EXPECT_EQ(numbers("--seed 5"), numbers("--seed 5 --threads 1"));
  EXPECT_NE(numbers("--seed 5"), numbers("--seed 6"));
}

TEST(SimulateCommand, EndsWith130AfterCtrlCInManyShortRunsToo) {
  Process process({"simulate", "--steps", "1000", "--runs", "1000000"});
  usleep(300'000);
  process.signal(SIGINT);
  EXPECT_EQ(process.finish().status, 130);
}

TEST(SimulateCommand, EndsWith130AfterCtrlC) {
  Process process({"simulate", "--steps", "1e12", "--runs", "2"});
  usleep(300'000);
  process.signal(SIGINT);
  const Process::Result result = process.finish();
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(result.err, "canopy simulate: interrupted before the first result\n");
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace canopy
