#include "insight/arms_document.hpp"

#include "canopy/hct.hpp"

#include "files/json.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;

TEST(ArmsDocument, HasTheMostPulledFirstAndSaysWhichAreOutOfTheQuestion) {
  const Space space{{"x", Real{0.0, 1.0}}};
  Hct optimizer{space};
  const auto observe = [&](double x, std::vector<double> rewards) {
    EXPECT_EQ(optimizer.observe(std::vector{x}, Rewards::of(rewards)), Status::ok);
  };
  EXPECT_EQ(json::parse(json_text(arms_document(space, optimizer, 5))),
            json::parse(R"({"arms":[],"count":0})"));
  observe(0.25, {1.0});
  observe(0.5, {1.0, 2.0, 3.0, 4.0, 2.0, 3.0, 4.0, 2.0, 3.0, 4.0});
  observe(0.75, {1.0, 3.0});
  ASSERT_EQ(optimizer.bar(std::vector{0.75}, 0.0), Status::ok);
  const json all = json::parse(json_text(arms_document(space, optimizer, 5)));
  EXPECT_EQ(all["count"], 3);
  ASSERT_EQ(all["arms"].size(), 3U);
  EXPECT_EQ(all["arms"][0]["arm"]["x"], 0.5);
  EXPECT_EQ(all["arms"][0]["pulls"], 10);
  EXPECT_EQ(all["arms"][0]["mean"], 2.8);
  EXPECT_LT(all["arms"][0]["lower"], 2.8);
  EXPECT_GT(all["arms"][0]["upper"], 2.8);
  EXPECT_FALSE(all["arms"][0].contains("barred"));
  EXPECT_EQ(all["arms"][1]["barred"], true);
  const json one = json::parse(json_text(arms_document(space, optimizer, 1)));
  EXPECT_EQ(one["arms"].size(), 1U);
  EXPECT_EQ(one["count"], 3);
}

}  // namespace
}  // namespace canopy
