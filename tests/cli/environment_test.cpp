#include "support/process.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using testing::run_tool;

TEST(EnvironmentCommand, TellsWhatIsKnown) {
  const auto result = run_tool("environment auction --bidders 3");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out,
            "auction: the reserve price of a second-price auction\n"
            "bidders 3\n"
            "\n"
            "parameters   reserve in [0, 1]\n"
            "rewards      in [0, 1]\n"
            "optimum      f = 0.531250 at reserve = 0.5\n"
            "mixing time  at most 0\n");
}

TEST(EnvironmentCommand, SaysThatAnOptimumMoves) {
  const auto result = run_tool("environment moving --span 500");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("rewards      in [0, 1], plus noise\n"
                            "optimum      f = 1.000000 at x = 0.37 at the start; it moves\n"),
            std::string::npos)
      << result.out;
  EXPECT_EQ(json::parse(run_tool("environment moving --json").out)["drifts"], true);
  EXPECT_EQ(json::parse(run_tool("environment lqr --json").out)["drifts"], false);
}

TEST(EnvironmentCommand, SaysWhatIsObservedBeforeAPull) {
  const auto result = run_tool("environment contextual --problem wave");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("contexts     hour: a number from 0 to 24\n"
                            "             z: a number from 0 to 1\n"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("optimum      f = 0.900000 at x = "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(" where hour = "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("; it depends on the context\n"), std::string::npos) << result.out;
  const json object = json::parse(run_tool("environment contextual --problem wave --json").out);
  EXPECT_EQ(object["contexts"][0]["period"], 24.0);
  EXPECT_EQ(object["contexts"][1]["name"], "z");
  const json choice =
      json::parse(run_tool("environment contextual --problem choice_of_three --json").out);
  EXPECT_EQ(choice["contexts"][0]["choices"], (json{"a", "b", "c"}));
  EXPECT_FALSE(json::parse(run_tool("environment lqr --json").out).contains("contexts"));
}

TEST(EnvironmentCommand, DrawsFOverTheFirstContext) {
  for (const std::string problem : {"smooth", "choice", "load", "two_by_two"}) {
    const std::string file =
        std::filesystem::path(::testing::TempDir()) / (problem + "-canopy.png");
    EXPECT_EQ(run_tool("environment contextual --problem " + problem + " --draw " + file).status,
              0);
    EXPECT_GT(std::filesystem::file_size(file), 5'000U);
    std::filesystem::remove(file);
  }
}

TEST(EnvironmentCommand, PrintsJson) {
  const json object = json::parse(run_tool("environment lqr-2d --json").out);
  EXPECT_EQ(object["environment"], "lqr-2d");
  EXPECT_EQ(object["space"].size(), 2U);
  EXPECT_EQ(object["space"][0]["name"], "position_gain");
  EXPECT_TRUE(object["mixing_time"].is_null());
  EXPECT_NEAR(object["optimum"]["arm"][1].get<double>(), 1.48611, 1e-5);
}

TEST(EnvironmentCommand, DrawsCurvesMapsAndWhatMoves) {
  for (const std::string name : {"routing", "himmelblau", "traffic-day"}) {
    const std::string file = std::filesystem::path(::testing::TempDir()) / (name + "-canopy.png");
    EXPECT_EQ(run_tool("environment " + name + " --steps 500 --draw " + file).status, 0);
    EXPECT_GT(std::filesystem::file_size(file), 5'000U);
    std::filesystem::remove(file);
  }
}

TEST(EnvironmentCommand, RefusesWrongUse) {
  const auto refused = [](const std::string& words) {
    const auto result = run_tool("environment " + words);
    EXPECT_EQ(result.status, 2) << words;
    EXPECT_EQ(result.out, "") << words;
    return result.err;
  };
  EXPECT_EQ(refused(""), "canopy environment: NAME: is missing; see --help for an example\n");
  EXPECT_EQ(refused("lqr2d"),
            "canopy environment: NAME lqr2d: unknown environment, did you mean \"lqr-2d\"?\n");
  EXPECT_EQ(refused("lqr --beta 0.5"),
            "canopy environment: --beta 0.5: lqr has no such option (garland-mdp, "
            "auction-reactive have)\n");
  EXPECT_EQ(refused("ackley --dimension 3 --draw a.svg"),
            "canopy environment: --draw a.svg: only one or two parameters can be drawn, not 3\n");
  EXPECT_EQ(refused("lqr --draw lqr.gif"),
            "canopy environment: --draw lqr.gif: must end in .svg or .png\n");
  EXPECT_EQ(refused("moving --steps 0"),
            "canopy environment: --steps 0: must be a whole number from 1 to 1000000000000\n");
  EXPECT_EQ(refused("routing --arrival-rate 5"),
            "canopy environment: --arrival-rate 5: must be at most 90 % of first_rate + "
            "second_rate\n");
}

TEST(EnvironmentCommand, AFigureThatCannotBeDrawnIsAFailure) {
  const auto result = run_tool("environment lqr --draw /nowhere/lqr.svg");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err,
            "canopy environment: /nowhere/lqr.svg: cannot be written: No such file or directory\n");
}

}  // namespace
}  // namespace canopy
