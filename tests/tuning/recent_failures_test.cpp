#include "tuning/recent_failures.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

constexpr std::uint64_t kAllowed = 25;

void add_outcomes(RecentFailures& recent, int pulls, bool failed) {
  for (int i = 0; i < pulls; ++i) recent.add(failed);
}

TEST(RecentFailures, AreNoneAtFirst) {
  const RecentFailures none;
  EXPECT_EQ(none.count(), 0U);
  EXPECT_EQ(none.pulls(), 0U);
  EXPECT_FALSE(none.are_too_many(1));
}

TEST(RecentFailures, AreTooManyWhenNothingHasWorkedYet) {
  RecentFailures recent;
  add_outcomes(recent, 9, true);
  EXPECT_FALSE(recent.are_too_many(kAllowed));
  recent.add(true);
  EXPECT_TRUE(recent.are_too_many(kAllowed));
}

TEST(RecentFailures, OneSuccessAmongTheFirstIsEnoughToGoOn) {
  RecentFailures recent;
  recent.add(false);
  add_outcomes(recent, 9, true);
  EXPECT_FALSE(recent.are_too_many(kAllowed));
  recent.add(true);
  EXPECT_FALSE(recent.are_too_many(kAllowed)) << "ten in a row, which are not the first";
}

TEST(RecentFailures, AreCountedAmongTheLastFiftyPulls) {
  RecentFailures recent;
  add_outcomes(recent, 25, false);
  add_outcomes(recent, 24, true);
  EXPECT_FALSE(recent.are_too_many(10)) << "there are not fifty pulls yet";
  recent.add(false);
  EXPECT_EQ(recent.pulls(), 50U);
  EXPECT_EQ(recent.count(), 24U);
  EXPECT_FALSE(recent.are_too_many(kAllowed));
  EXPECT_TRUE(recent.are_too_many(24));
  recent.add(true);
  EXPECT_EQ(recent.pulls(), 50U) << "the oldest is forgotten";
  EXPECT_EQ(recent.count(), 25U);
  EXPECT_TRUE(recent.are_too_many(kAllowed));
}

TEST(RecentFailures, AreForgottenAfterAWhile) {
  RecentFailures recent;
  add_outcomes(recent, 5, false);
  add_outcomes(recent, 45, true);
  EXPECT_TRUE(recent.are_too_many(kAllowed));
  add_outcomes(recent, 50, false);
  EXPECT_EQ(recent.count(), 0U);
  EXPECT_FALSE(recent.are_too_many(1));
}

TEST(RecentFailures, GiveTheNextTunerAChanceOnceCleared) {
  RecentFailures recent;
  add_outcomes(recent, 10, true);
  recent.clear();
  EXPECT_EQ(recent.pulls(), 0U);
  EXPECT_FALSE(recent.are_too_many(kAllowed));
  add_outcomes(recent, 10, true);
  EXPECT_TRUE(recent.are_too_many(kAllowed));
}

TEST(RecentFailures, AreTheSameAfterARestart) {
  RecentFailures recent;
  add_outcomes(recent, 30, false);
  add_outcomes(recent, 19, true);
  State saving;
  saving.mark("test");
  recent.transfer(saving);
  const std::string saved = saving.text();
  RecentFailures restored;
  restored.add(true);  // pushes out the oldest entry
  State restoring(saved);
  restoring.mark("test");
  restored.transfer(restoring);
  restoring.end();
  EXPECT_EQ(restored.pulls(), 49U);
  EXPECT_EQ(restored.count(), 19U);
  add_outcomes(restored, 2, true);
  EXPECT_EQ(restored.count(), 21U);
  EXPECT_TRUE(restored.are_too_many(21)) << "in their order: a success was forgotten";
}

}  // namespace
}  // namespace canopy
