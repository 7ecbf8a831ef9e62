#include "systems/number.hpp"

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(RewardIn, ANumberMayHaveBlanksAndLineEndsAroundIt) {
  EXPECT_EQ(reward_in("0.25"), 0.25);
  EXPECT_EQ(reward_in("  -3e2\r\n"), -300.0);
  EXPECT_EQ(reward_in("\n\t7 \n\n"), 7.0);
  EXPECT_EQ(reward_in("+1.5"), 1.5);
  EXPECT_EQ(reward_in(".5"), 0.5);
}

TEST(RewardIn, AnythingElseIsNone) {
  for (const char* text : {"", " \n", "1 2", "1\n2", "1.0 s", "fast", "1,5", "0x10", "+", "+-1",
                           "-+1", "++1", "+ 1", "1e", "--1", "1.2.3"}) {
    EXPECT_FALSE(reward_in(text)) << text;
  }
  EXPECT_FALSE(reward_in(std::string_view("1\0", 2)));
}

TEST(RewardIn, ARewardIsFinite) {
  for (const char* text : {"inf", "-inf", "+inf", "nan", "NaN", "infinity", "1e999", "-1e999"}) {
    EXPECT_FALSE(reward_in(text)) << text;
  }
}

}  // namespace
}  // namespace canopy
