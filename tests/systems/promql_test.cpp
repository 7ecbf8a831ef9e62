#include "systems/promql.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(Promql, DurationsHaveUnitsFromLargeToSmall) {
  EXPECT_EQ(promql_seconds("60s"), 60.0);
  EXPECT_EQ(promql_seconds("1m30s"), 90.0);
  EXPECT_EQ(promql_seconds("500ms"), 0.5);
  EXPECT_EQ(promql_seconds("1d2h3m4s5ms"), 93'784.005);
  EXPECT_EQ(promql_seconds("2w"), 1'209'600.0);
  for (const char* wrong : {"", "60", "s", "1.5m", "30s1m", "1m1m", "-1s", "0s", "1 m", "1min",
                            "99999999999s", "1s "}) {
    EXPECT_EQ(promql_seconds(wrong), std::nullopt) << wrong;
  }
}

TEST(Promql, KnowsTheLongestRangeOfAQuery) {
  EXPECT_EQ(longest_range_in("up"), 0.0);
  EXPECT_EQ(longest_range_in("rate(a[5m]) / rate(b[30s])"), 300.0);
  EXPECT_EQ(longest_range_in("max_over_time(rate(a[1m])[10m:30s])"), 600.0);
  EXPECT_EQ(longest_range_in("rate(a[{over}])"), 0.0);
  EXPECT_EQ(longest_range_in("a[1m"), 60.0) << "half a query is refused by the server";
}

}  // namespace
}  // namespace canopy
