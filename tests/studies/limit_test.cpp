#include "canopy/study_specification.hpp"

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(Limit, IsBrokenBeyondItAndFarBrokenBeyondItsFactor) {
  const Limit most{.metric = "p99_ms", .max = 50.0};
  EXPECT_FALSE(most.is_broken_by(50.0));
  EXPECT_TRUE(most.is_broken_by(50.1));
  EXPECT_FALSE(most.is_far_broken_by(100.0));
  EXPECT_TRUE(most.is_far_broken_by(100.1));
  const Limit least{.metric = "hits", .min = 0.5, .factor = 1.5};
  EXPECT_TRUE(least.is_broken_by(0.4));
  EXPECT_FALSE(least.is_far_broken_by(0.25));
  EXPECT_TRUE(least.is_far_broken_by(0.2));
}

TEST(Limit, OfZeroIsFarBrokenByAnything) {
  const Limit none{.metric = "errors", .max = 0.0};
  EXPECT_FALSE(none.is_far_broken_by(0.0));
  EXPECT_TRUE(none.is_far_broken_by(1.0));
}

TEST(Limit, OfANegativeNumberLeavesRoomOnTheRightSide) {
  const Limit most{.metric = "gain", .max = -10.0};
  EXPECT_TRUE(most.is_broken_by(-9.0));
  EXPECT_FALSE(most.is_far_broken_by(-1.0));
  EXPECT_TRUE(most.is_far_broken_by(1.0));
}

TEST(Limit, IsSureWhereTheWholeIntervalIs) {
  const Limit most{.metric = "p99_ms", .max = 50.0};
  EXPECT_TRUE(most.is_surely_broken({51.0, 60.0}));
  EXPECT_FALSE(most.is_surely_broken({49.0, 60.0}));
  EXPECT_FALSE(most.is_surely_kept({49.0, 60.0}));
  EXPECT_TRUE(most.is_surely_kept({40.0, 50.0}));
  EXPECT_FALSE(most.is_surely_broken({})) << "nothing is known";
  EXPECT_FALSE(most.is_surely_kept({}));
}

TEST(Limit, SaysWhatItIs) {
  EXPECT_EQ((Limit{.metric = "a", .max = 50.0}).text(), "at most 50");
  EXPECT_EQ((Limit{.metric = "a", .min = 0.5}).text(), "at least 0.5");
  EXPECT_EQ((Limit{.metric = "a", .min = 0.5, .max = 50.0}).text(), "from 0.5 to 50");
}

}  // namespace
}  // namespace canopy
