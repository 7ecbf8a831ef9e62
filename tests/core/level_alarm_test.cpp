#include "canopy/level_alarm.hpp"

#include "canopy/random.hpp"

#include "support/restored.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// The number of runs of 160 rewards, out of `runs`, in which it fires.
int alarms(int runs, const std::function<double(int, RandomStream&)>& reward) {
  int count = 0;
  for (int run = 0; run < runs; ++run) {
    RandomStream random({.seed = 11, .run = static_cast<std::uint64_t>(run)});
    LevelAlarm alarm;
    for (int i = 0; i < 160; ++i) alarm.add(reward(i, random), random.uniform());
    if (alarm.has_fired()) ++count;
  }
  return count;
}

TEST(LevelAlarm, SeldomFiresWhileTheLevelStays) {
  const auto normal = [](int /*pull*/, RandomStream& random) { return random.normal(); };
  const auto zero_or_one = [](int /*pull*/, RandomStream& random) {
    return random.uniform() < 0.1 ? 1.0 : 0.0;
  };
  const auto cauchy = [](int /*pull*/, RandomStream& random) {
    return std::tan(std::numbers::pi * (random.uniform() - 0.5));
  };
  EXPECT_LE(alarms(1'000, normal), 15);
  EXPECT_LE(alarms(1'000, zero_or_one), 15);
  EXPECT_LE(alarms(1'000, cauchy), 15);
  EXPECT_EQ(alarms(10, [](int /*pull*/, RandomStream&) { return 1.0; }), 0);
}

TEST(LevelAlarm, FiresWhenTheLevelMoves) {
  EXPECT_GE(
      alarms(100, [](int pull, RandomStream& random) { return 0.03 * pull + random.normal(); }),
      95);
  const auto day = [](int pull, RandomStream& random) {
    return 2.0 * std::sin(0.06 * pull) + random.normal();
  };
  EXPECT_GE(alarms(100, day), 95);
}

TEST(LevelAlarm, IsTheSameAfterBeingRestored) {
  RandomStream random({.seed = 3});
  LevelAlarm alarm;
  LevelAlarm again;
  bool has_fired = false;
  for (int i = 0; i < 200; ++i) {
    const double reward = 0.02 * i + random.normal();
    const double tossed = random.uniform();
    alarm.add(reward, tossed);
    again = testing::restored(again);
    again.add(reward, tossed);
    ASSERT_EQ(again.has_fired(), alarm.has_fired()) << i;
    has_fired = has_fired || alarm.has_fired();
  }
  EXPECT_TRUE(has_fired);
}

}  // namespace
}  // namespace canopy
