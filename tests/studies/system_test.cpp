#include "studies/system.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

namespace canopy {
namespace {

Reading reading(const std::string& output) {
  const auto result = reading_in(output);
  const auto* failure = std::get_if<SystemFailure>(&result);
  EXPECT_EQ(failure, nullptr) << (failure != nullptr ? failure->what : "");
  return failure != nullptr ? Reading{} : std::get<Reading>(result);
}

std::string complaint(const std::string& output) {
  const auto result = reading_in(output);
  const auto* failure = std::get_if<SystemFailure>(&result);
  return failure != nullptr ? failure->what : "";
}

TEST(Reading, IsANumberOrAnObjectWithTheRewardAndOtherNumbers) {
  EXPECT_EQ(reading(" 12.5\n").reward, 12.5);
  EXPECT_TRUE(reading("1").metrics.empty());
  const Reading both = reading("\n {\"reward\": 812, \"p99_ms\": 31.5, \"errors\": 0}\n");
  EXPECT_EQ(both.reward, 812.0);
  EXPECT_EQ(both.metrics, (std::map<std::string, double>{{"errors", 0.0}, {"p99_ms", 31.5}}));
}

TEST(Reading, LeavesOutWhatIsNoNumber) {
  const Reading read =
      reading(R"({"reward": 1, "note": "fast", "p99": null, "ok": true, "l": [1]})");
  EXPECT_TRUE(read.metrics.empty());
}

TEST(Reading, RefusesAnythingElseInWords) {
  EXPECT_EQ(complaint("fast"), "did not print a number or a JSON object: \"fast\"");
  EXPECT_EQ(complaint(""), "did not print a number or a JSON object: \"\"");
  EXPECT_EQ(complaint("{\"reward\": }"), "printed an object that is not JSON: \"{\"reward\": }\"");
  EXPECT_EQ(complaint("{\"reward\": 1} trailing"),
            "printed an object that is not JSON: \"{\"reward\": 1} trailing\"");
  EXPECT_EQ(complaint("{\"p99\": 1}"),
            "printed an object without a number \"reward\": \"{\"p99\": 1}\"");
  EXPECT_EQ(complaint("{\"reward\": null}"),
            "printed an object without a number \"reward\": \"{\"reward\": null}\"");
  EXPECT_NE(complaint("{\"reward\": 1, \"a b\": 2}").find("printed the name \"a b\""),
            std::string::npos);
  std::string many = "{\"reward\": 1";
  for (int i = 0; i < 33; ++i) many += ", \"m" + std::to_string(i) + "\": 1";
  EXPECT_NE(complaint(many + "}").find("more than 32 metrics"), std::string::npos);
}

}  // namespace
}  // namespace canopy
