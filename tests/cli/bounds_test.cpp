#include "canopy/theory.hpp"

#include "support/process.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using testing::run_tool;

TEST(BoundsCommand, PrintsWhatTheLibraryComputes) {
  const json object = json::parse(run_tool("bounds --steps 1e6 --json").out);
  const Confidence confidence =
      confidence_constants(Feedback::iid, 1.0, 0.5, 1.0, Constants::main, 1.0);
  const TheoryParameters theory{.nu1 = 1.0, .rho = 0.5, .delta = 0.05, .confidence = confidence};
  EXPECT_DOUBLE_EQ(object["c"].get<double>(), 2.0 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(object["depth_bound"].get<double>(), depth_bound(theory, 1e6));
  EXPECT_DOUBLE_EQ(object["node_bound"].get<double>(), node_bound(theory, 1e6));
  EXPECT_DOUBLE_EQ(object["regret_bound"].get<double>(), regret_bound(theory, Feedback::iid, 1e6));
  EXPECT_NEAR(object["levels"][0]["threshold"].get<double>(), 546.645, 1e-3) << "32 L";
}

TEST(BoundsCommand, UsesTheSupplementsConstantForTheoremTwo) {
  const json main = json::parse(run_tool("bounds --feedback correlated --json").out);
  const json supplement =
      json::parse(run_tool("bounds --feedback correlated --constants supplement --json").out);
  EXPECT_EQ(main["regret_bound"], supplement["regret_bound"]);
  EXPECT_DOUBLE_EQ(2.0 * main["c"].get<double>(), supplement["c"].get<double>());
}

TEST(BoundsCommand, ManyDimensionsGiveTheRhoOfThePaper) {
  const json object = json::parse(run_tool("bounds --dimension 2 --json").out);
  EXPECT_DOUBLE_EQ(object["rho"].get<double>(), std::sqrt(0.5));
}

TEST(BoundsCommand, PrintsATableThatExplainsItself) {
  const std::string table = run_tool("bounds --steps 1000").out;
  EXPECT_NE(table.find("regret, Theorem 1"), std::string::npos);
  EXPECT_NE(table.find("pulls to expand"), std::string::npos);
}

}  // namespace
}  // namespace canopy
