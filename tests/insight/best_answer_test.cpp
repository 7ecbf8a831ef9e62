#include "insight/best_answer.hpp"

#include <gtest/gtest.h>

namespace canopy {
namespace {

std::optional<LimitState> state_of(const Limit& limit, Interval interval, double mean = 100.0) {
  return KnownMetric{"lat", {.mean = mean, .interval = interval}, &limit}.limit_state();
}

TEST(KnownMetric, BreaksItsLimitWhereTheWholeIntervalIsBeyondIt) {
  const Interval interval{99.0, 101.0};
  EXPECT_EQ(state_of({.metric = "lat", .max = 60.0}, interval), LimitState::broken);
  EXPECT_EQ(state_of({.metric = "lat", .min = 110.0}, interval), LimitState::broken);
  EXPECT_EQ(state_of({.metric = "lat", .max = 100.5}, interval), LimitState::unsure);
  EXPECT_EQ(state_of({.metric = "lat", .max = 110.0}, interval), LimitState::kept);
  EXPECT_EQ(state_of({.metric = "lat", .max = 60.0}, {}), LimitState::unsure)
      << "there is no interval yet";
}

TEST(KnownMetric, KeepsALimitThatItIsExactlyAt) {
  EXPECT_EQ(state_of({.metric = "lat", .max = 0.0}, {-0.1, 0.1}, 0.0), LimitState::kept);
}

TEST(KnownMetric, HasNoStateWithoutALimit) {
  EXPECT_EQ((KnownMetric{"lat", {.mean = 1.0, .interval = {}}}.limit_state()), std::nullopt);
}

}  // namespace
}  // namespace canopy
