#include "canopy/detail/memory_watch.hpp"

#include "canopy/random.hpp"
#include "canopy/state.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// Turns of eight pulls alternating between an arm where f is 0 and one where it is 1; every pull
/// leaves the fraction `kept` of the system's distance from f.
std::optional<std::uint64_t> watched(double kept, double noise, int turns, std::uint64_t seed) {
  RandomStream random({.seed = seed});
  MemoryWatch watch;
  std::uint64_t number = 1;
  double level = 0.0;
  for (int turn = 0; turn < turns; ++turn) {
    const double f = turn % 2;
    watch.turn(number, 1.0 - f, f, noise * noise);
    for (int i = 0; i < 8; ++i, ++number) {
      level = f + (level - f) * kept;
      watch.add(number, level + noise * random.normal() - 17.0);
    }
  }
  return watch.settling();
}

TEST(MemoryWatch, FindsHowLongRewardsTakeToSettle) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const double kept = 0.8;  // 13 pulls until 5 % are left
    const auto settling = watched(kept, 0.3, 400, seed);
    ASSERT_TRUE(settling) << "seed " << seed;
    EXPECT_GE(*settling, 7U) << "seed " << seed;
    EXPECT_LE(*settling, 27U) << "seed " << seed;
  }
}

TEST(MemoryWatch, IsSilentWhereRewardsFollowAtOnce) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    if (watched(0.0, 0.3, 1'000, seed)) ++alarms;
  }
  EXPECT_LE(alarms, 2) << "each r raises one with a probability of at most exp(-7)";
}

TEST(MemoryWatch, RewardsThatSpeedUpAreNoMemory) {
  // A turn starts on the far side of its level from the previous arm, which a settling system does
  // not.
  MemoryWatch watch;
  std::uint64_t number = 1;
  for (int turn = 0; turn < 1'000; ++turn) {
    const double f = turn % 2;
    watch.turn(number, 1.0 - f, f, 0.01);
    for (int i = 0; i < 8; ++i, ++number) watch.add(number, f + (2.0 * f - 1.0) * std::pow(0.8, i));
  }
  EXPECT_EQ(watch.settling(), std::nullopt);
}

TEST(MemoryWatch, UsesOnlyRewardsWhoseOrderIsKnown) {
  MemoryWatch watch;
  std::uint64_t number = 1;
  double level = 0.0;
  for (int turn = 0; turn < 400; ++turn) {
    const double f = turn % 2;
    watch.turn(number, 1.0 - f, f, 0.01);
    watch.lose_track();
    for (int i = 0; i < 8; ++i, ++number) watch.add(number, level = f + (level - f) * 0.8);
  }
  EXPECT_EQ(watch.settling(), std::nullopt);
}

TEST(MemoryWatch, ContinuesFromASavedState) {
  RandomStream random({.seed = 1});
  MemoryWatch watch;
  MemoryWatch restored;
  double level = 0.0;
  for (std::uint64_t number = 1; number <= 4'000; ++number) {
    const double f = number / 8 % 2 == 0 ? 0.0 : 1.0;
    level = f + (level - f) * 0.8;
    const double reward = level + 0.3 * random.normal();
    if (number == 1'234) {
      State saving;
      saving.mark("watch");
      watch.transfer(saving);
      const std::string text = saving.text();
      State state(text);
      state.mark("watch");
      restored.transfer(state);
    }
    for (MemoryWatch* each : {&watch, &restored}) {
      if (number % 8 == 0) each->turn(number, 1.0 - f, f, 0.09);
      each->add(number, reward);
    }
  }
  ASSERT_TRUE(watch.settling());
  EXPECT_EQ(restored.settling(), watch.settling());
}

}  // namespace
}  // namespace canopy
