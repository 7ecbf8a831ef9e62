#include "canopy/limits.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(Limit, IsBrokenBeyondItAndFarBrokenBeyondItsFactor) {
  const Limit most{.metric = "p99_ms", .max = 50.0};
  EXPECT_EQ(most.room(50.0), 0.0);
  EXPECT_LT(most.room(50.1), 0.0);
  EXPECT_FALSE(most.is_far_broken_by(100.0));
  EXPECT_TRUE(most.is_far_broken_by(100.1));
  const Limit least{.metric = "hits", .min = 0.5, .factor = 1.5};
  EXPECT_LT(least.room(0.4), 0.0);
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
  EXPECT_LT(most.room(-9.0), 0.0);
  EXPECT_FALSE(most.is_far_broken_by(-1.0));
  EXPECT_TRUE(most.is_far_broken_by(1.0));
}

TEST(Limit, IsSurelyBrokenIfTheWholeIntervalIsBeyondIt) {
  const Limit most{.metric = "p99_ms", .max = 50.0};
  EXPECT_TRUE(most.is_surely_broken({51.0, 60.0}));
  EXPECT_FALSE(most.is_surely_broken({49.0, 60.0}));
  EXPECT_FALSE(most.is_surely_broken({})) << "nothing is known";
}

TEST(Limit, SaysWhatItIs) {
  EXPECT_EQ((Limit{.metric = "a", .max = 50.0}).text(), "at most 50");
  EXPECT_EQ((Limit{.metric = "a", .min = 0.5}).text(), "at least 0.5");
  EXPECT_EQ((Limit{.metric = "a", .min = 0.5, .max = 50.0}).text(), "from 0.5 to 50");
}

TEST(Limit, OfBothEndsHasTheRoomToTheNearer) {
  const Limit both{.metric = "load", .min = 10.0, .max = 50.0};
  EXPECT_EQ(both.room(12.0), 2.0);
  EXPECT_EQ(both.room(49.0), 1.0);
  EXPECT_EQ(both.room(5.0), -5.0);
  EXPECT_EQ(both.room(55.0), -5.0);
}

std::string complaint(const Limit& limit) {
  const std::vector<Violation> found = violations(std::vector{limit});
  return found.empty() ? "" : found.front().text();
}

TEST(Limit, IsRefusedWhereNothingCouldKeepIt) {
  EXPECT_EQ(complaint({.metric = "a", .max = 1.0}), "");
  EXPECT_EQ(complaint({.metric = "a", .min = 2.0, .max = 1.0}),
            "limit[0].min = 2: must not be above max");
  EXPECT_EQ(complaint({.metric = "a"}), "limit[0].max: is required, unless min is given");
  EXPECT_EQ(complaint({.metric = "", .max = 1.0}), "limit[0].metric: is required");
  EXPECT_NE(complaint({.metric = "reward", .max = 1.0}), "");
  EXPECT_NE(complaint({.metric = "a", .max = std::nan("")}), "");
  EXPECT_NE(complaint({.metric = "a", .max = 1.0, .factor = 0.5}), "");
  EXPECT_EQ(violations({{.metric = "a", .max = 1.0}, {.metric = "a", .min = 0.0}}).size(), 1U)
      << "both ends of a metric belong into one limit";
}

TEST(LimitCheck, HasFourStatesByItsDistanceFromTheLimit) {
  const Limit most{.metric = "p99_ms", .max = 60.0};
  const auto state = [&](double deviations, std::uint64_t pulls = 4) {
    return check_of(most, 60.0 - deviations, deviations, 10.0, pulls).state;
  };
  EXPECT_EQ(state(1.7), LimitState::kept);
  EXPECT_EQ(state(1.7, 0), LimitState::probably_kept) << "it was not measured there";
  EXPECT_EQ(state(0.0), LimitState::probably_kept);
  EXPECT_EQ(state(-0.1), LimitState::probably_broken);
  EXPECT_EQ(state(-1.7), LimitState::broken);
  EXPECT_NEAR(check_of(most, 59.0, 1.0, 10.0, 4).probability, 0.841, 1e-3);
  EXPECT_EQ(check_of(most, 65.0, -1.0, 10.0, 4).excess, 0.5) << "in spreads of the metric";
}

TEST(LimitCheck, SaysHowTheLimitIsKept) {
  const Limit most{.metric = "p99_ms", .max = 60.0};
  EXPECT_EQ(limit_text(check_of(most, 57.2, 2.0, 1.0, 4)), "p99_ms 57.2 (at most 60): kept");
  EXPECT_EQ(limit_text(check_of(most, 57.2, 1.18, 1.0, 4)),
            "p99_ms 57.2 (at most 60): probably kept (p 0.88)");
  EXPECT_EQ(limit_text(check_of(most, 62.0, -1.18, 1.0, 4)),
            "p99_ms 62 (at most 60): probably broken (p 0.88)");
  EXPECT_EQ(limit_text(check_of(most, 57.2, 1e9, 1.0, 6)),
            "p99_ms 57.2 in all 6 pulls (at most 60): kept");
}

TEST(RequiredDeviations, AreThoseOfTheArmThatKeepsItsLimitsBestUnlessOneHasEnough) {
  EXPECT_EQ(required_deviations({-2.0, 0.5, 3.0}), 1.0);
  EXPECT_EQ(required_deviations({-2.0, 0.5, 0.3}), 0.5);
  EXPECT_EQ(required_deviations({-2.0, -0.1}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(required_deviations({}), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace canopy
