#include "canopy/clock.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(VirtualClock, MovesOnlyDuringASleep) {
  VirtualClock clock(1000.0);
  EXPECT_EQ(clock.wall_time(), 1000.0);
  EXPECT_EQ(clock.steady_time(), 1000.0);
  clock.sleep(3600.5);
  EXPECT_EQ(clock.wall_time(), 4600.5);
  EXPECT_EQ(clock.steady_time(), 4600.5);
  EXPECT_EQ(VirtualClock().wall_time(), 0.0);
}

TEST(VirtualClock, TakesNoRealTime) {
  const double before = machine_clock().steady_time();
  VirtualClock().sleep(86'400.0);
  EXPECT_LT(machine_clock().steady_time() - before, 3600.0);
}

TEST(MachineClock, TellsTheTimeOfTheMachine) {
  const auto seconds = [](auto time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
  };
  const double wall = seconds(std::chrono::system_clock::now());
  const double steady = seconds(std::chrono::steady_clock::now());
  EXPECT_NEAR(machine_clock().wall_time(), wall, 60.0);
  EXPECT_GE(machine_clock().steady_time(), steady);
  EXPECT_LE(machine_clock().steady_time(), steady + 60.0);
}

TEST(MachineClock, SleepsAtLeastAsLongAsItIsToldTo) {
  Clock& clock = machine_clock();
  const double before = clock.steady_time();
  clock.sleep(0.02);
  EXPECT_GE(clock.steady_time() - before, 0.02);
}

}  // namespace
}  // namespace canopy
