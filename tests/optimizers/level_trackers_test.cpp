#include "canopy/detail/level_trackers.hpp"

#include "canopy/random.hpp"
#include "canopy/state.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

namespace canopy {
namespace {

constexpr double kNoise = 0.25;  // variance of a reward

/// Expectation for a well-known leaf at 0; the test sets the deviations of its rewards.
LevelTrackers::Expected well_known(const LevelTrackers& trackers, std::uint64_t number) {
  return trackers.expect(0.0, 0.01 * kNoise, kNoise, number);
}

TEST(LevelTrackers, SubtractNothingBeforeAnAlarm) {
  LevelTrackers trackers;
  RandomStream random({.seed = 1});
  trackers.turn_to(7, false);
  for (std::uint64_t number = 1; number <= 127; ++number) {
    EXPECT_FALSE(trackers.add(well_known(trackers, number), 5.0 + 0.5 * random.normal()));
    EXPECT_EQ(trackers.level(), 0.0);
    EXPECT_FALSE(trackers.is_following());
  }
}

/// The number of rewards before the alarm, if there is one.
std::optional<int> rewards_to_alarm(LevelTrackers& trackers, double step, std::uint64_t seed) {
  RandomStream random({.seed = seed});
  for (std::uint64_t number = 1; number <= 3'000; ++number) {
    const double level = number <= 1'000 ? 0.0 : step;
    trackers.turn_to(static_cast<NodeIndex>(number), false);
    const double reward = level + 0.5 * random.normal();
    trackers.see(reward);
    if (!trackers.add(well_known(trackers, number), reward)) continue;
    return static_cast<int>(number) - 1'000;
  }
  return std::nullopt;
}

TEST(LevelTrackers, NoticeAStepOfTwoDeviationsWithinTwentyRewards) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    LevelTrackers trackers;
    const auto rewards = rewards_to_alarm(trackers, 1.0, seed);
    ASSERT_TRUE(rewards) << "seed " << seed;
    EXPECT_GT(*rewards, 0) << "seed " << seed;
    EXPECT_LE(*rewards, 30) << "seed " << seed;
    const LevelTrackers::Tracker alarming = trackers.alarming();
    EXPECT_TRUE(trackers.may_be_of_f(alarming)) << "seed " << seed;
    EXPECT_NEAR(trackers.level_of(LevelTrackers::medium), 1.0, 0.6) << "seed " << seed;
  }
}

TEST(LevelTrackers, TheSlowTrackerIsScoredOnlyByWellKnownArms) {
  for (const double variance : {0.01, 0.1}) {
    LevelTrackers trackers;
    RandomStream random({.seed = 2});
    bool is_alarmed_by_slow = false;
    for (std::uint64_t number = 1; number <= 5'000 && !is_alarmed_by_slow; ++number) {
      const double reward = 0.5 * random.normal() - 0.1;
      trackers.see(reward);
      const bool is_alarmed =
          trackers.add(trackers.expect(0.0, variance * kNoise, kNoise, number), reward);
      is_alarmed_by_slow = is_alarmed && trackers.alarming() == LevelTrackers::slow;
    }
    EXPECT_EQ(is_alarmed_by_slow, variance == 0.01);
  }
}

TEST(LevelTrackers, AreSilentWhereNothingMoves) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    LevelTrackers trackers;
    if (rewards_to_alarm(trackers, 0.0, seed)) ++alarms;
  }
  // At most about 0.05/t per reward and tracker.
  EXPECT_LE(alarms, 6);
}

TEST(LevelTrackers, AskForMoreEvidenceWhereRewardsHaveRareExtremes) {
  LevelTrackers ordinary;
  LevelTrackers extreme;
  RandomStream random({.seed = 6});
  for (std::uint64_t number = 1; number <= 2'000; ++number) {
    const bool is_rare = random.uniform() < 0.05;
    (void)ordinary.add(well_known(ordinary, number), 0.5 * random.normal());
    (void)extreme.add(well_known(extreme, number), is_rare ? 2.2 : -0.1);
  }
  const double usual = 5.0 + std::log(2'001.0);
  EXPECT_NEAR(well_known(ordinary, 2'001).threshold, usual, 1e-9);
  EXPECT_GT(well_known(extreme, 2'001).threshold, 1.5 * usual);
}

TEST(LevelTrackers, ScoreRewardsOfTwoValuesLater) {
  LevelTrackers trackers;
  for (const double reward : {1.0, 0.0, 1.0}) trackers.see(reward);
  EXPECT_FALSE(well_known(trackers, 511).is_scored);
  EXPECT_TRUE(well_known(trackers, 512).is_scored);
  trackers.see(0.5);
  EXPECT_FALSE(well_known(trackers, 127).is_scored);
  EXPECT_TRUE(well_known(trackers, 128).is_scored);
}

TEST(LevelTrackers, AreSurprisedOnceByARewardFarAboveWhatIsExpected) {
  LevelTrackers trackers;
  for (const double reward : {1.0, 0.0, 0.5}) trackers.see(reward);
  const auto is_surprised_by = [&](double deviations, std::uint64_t number) {
    (void)trackers.add(well_known(trackers, number), deviations * std::sqrt(1.01 * kNoise));
    return trackers.take_surprise(number);
  };
  EXPECT_FALSE(is_surprised_by(4.0, 127)) << "too early";
  EXPECT_FALSE(is_surprised_by(2.9, 128));
  EXPECT_FALSE(is_surprised_by(-4.0, 129));
  EXPECT_TRUE(is_surprised_by(3.1, 130));
  EXPECT_FALSE(trackers.take_surprise(140));
  EXPECT_FALSE(is_surprised_by(0.0, 131));
  (void)trackers.add(well_known(trackers, 132), 4.0);
  trackers.interrupt();
  EXPECT_FALSE(trackers.take_surprise(140));
}

TEST(LevelTrackers, AreNoLongerSurprisedByFrequentLargeRewards) {
  LevelTrackers trackers;
  for (const double reward : {1.0, 0.0, 0.5}) trackers.see(reward);
  int surprises = 0;
  for (std::uint64_t number = 128; number < 1'128; ++number) {
    (void)trackers.add(well_known(trackers, number), number % 4 == 0 ? 8.0 : -8.0 / 3.0);
    surprises += trackers.take_surprise(number) ? 1 : 0;
  }
  EXPECT_LE(surprises, 36);
}

/// Plays rewards of a leaf at 0 until an alarm. Their noise is a part that shrinks by `phi` per
/// reward, with the fraction `q` of the variance, and an independent part.
bool alarmed_by_noise(LevelTrackers& trackers, double phi, double q) {
  RandomStream random({.seed = 5});
  double lasting = 0.0;
  for (std::uint64_t number = 1; number <= 8'000; ++number) {
    lasting = phi * lasting + std::sqrt((1.0 - phi * phi) * q * kNoise) * random.normal();
    const double noise = lasting + std::sqrt((1.0 - q) * kNoise) * random.normal();
    trackers.turn_to(static_cast<NodeIndex>(number), false);
    trackers.see(noise);
    if (trackers.add(well_known(trackers, number), noise)) return true;
  }
  return false;
}

TEST(LevelTrackers, RecogniseAutocorrelatedNoiseByItsReturn) {
  for (const double phi : {0.5, 0.9}) {
    LevelTrackers trackers;
    ASSERT_TRUE(alarmed_by_noise(trackers, phi, 1.0)) << phi;
    EXPECT_EQ(trackers.alarming(), LevelTrackers::returning) << phi;
    EXPECT_NEAR(trackers.correlation(), phi, 0.15);
    EXPECT_FALSE(trackers.may_be_of_f(LevelTrackers::returning));
    const LevelTrackers::Gain gain = trackers.adopt(LevelTrackers::returning);
    EXPECT_LT(gain.noise, kNoise) << phi;
    EXPECT_GT(gain.less, 0.0);
  }
}

TEST(LevelTrackers, SubtractAutocorrelatedNoiseOnlyIfItExplainsEnough) {
  struct Case {
    double phi;
    double q;
    bool is_subtracted;
  };
  for (const Case& each : {Case{0.9, 1.0, true}, Case{0.5, 1.0, false}, Case{0.9, 0.4, false}}) {
    LevelTrackers trackers;
    ASSERT_TRUE(alarmed_by_noise(trackers, each.phi, each.q)) << each.phi;
    ASSERT_EQ(trackers.alarming(), LevelTrackers::returning) << each.phi << ' ' << each.q;
    (void)trackers.adopt(LevelTrackers::returning);
    EXPECT_EQ(trackers.is_following(), each.is_subtracted) << each.phi << ' ' << each.q;
    EXPECT_EQ(trackers.level() != 0.0, each.is_subtracted) << each.phi << ' ' << each.q;
    EXPECT_FALSE(trackers.level_moves());
  }
}

TEST(LevelTrackers, NoLongerSubtractNoiseThatHasBecomeIndependent) {
  LevelTrackers trackers;
  ASSERT_TRUE(alarmed_by_noise(trackers, 0.9, 1.0));
  (void)trackers.adopt(LevelTrackers::returning);
  ASSERT_TRUE(trackers.is_following());
  RandomStream random({.seed = 8});
  bool has_changed = false;
  for (std::uint64_t number = 1; number <= 1'000 && !has_changed; ++number) {
    (void)trackers.add(well_known(trackers, number), 0.5 * random.normal());
    has_changed = trackers.reconsider_noise();
  }
  EXPECT_TRUE(has_changed);
  EXPECT_FALSE(trackers.is_following());
  EXPECT_FALSE(trackers.reconsider_noise()) << "once";
}

TEST(LevelTrackers, AHeldLeafCarriesLessAndLessInformation) {
  LevelTrackers trackers;
  (void)trackers.adopt(LevelTrackers::medium);
  trackers.turn_to(3, false);
  const LevelTrackers::Expected expected = trackers.expect(0.0, 0.5, 0.5, 200);
  double left = 1.0;
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(trackers.part_left(), left, 1e-12);
    (void)trackers.add(expected, 0.1);
    left *= 1.0 - 0.5 / 8.0;
  }
  trackers.turn_to(3, false);
  EXPECT_NEAR(trackers.part_left(), left, 1e-12) << "the same leaf again";
  trackers.turn_to(3, true);
  EXPECT_EQ(trackers.part_left(), 1.0) << "it has many pulls";
  (void)trackers.add(expected, 0.1);
  trackers.turn_to(4, false);
  EXPECT_EQ(trackers.part_left(), 1.0) << "another one";
}

TEST(LevelTrackers, SeveralRewardsMoveLevelsAsFarAsTheyWouldOneByOne) {
  LevelTrackers one_by_one;
  LevelTrackers together;
  (void)one_by_one.adopt(LevelTrackers::slow);
  (void)together.adopt(LevelTrackers::slow);
  one_by_one.turn_to(3, false);
  together.turn_to(3, false);
  for (int i = 0; i < 4; ++i) (void)one_by_one.add(well_known(one_by_one, 50), 0.7);
  (void)together.add_several(well_known(together, 50), 0.7, 4.0, 0.0);
  EXPECT_NEAR(together.level(), one_by_one.level(), 1e-12);
  EXPECT_NEAR(together.part_left(), one_by_one.part_left(), 1e-12);
}

TEST(LevelTrackers, ContinueFromASavedState) {
  LevelTrackers trackers;
  (void)rewards_to_alarm(trackers, 1.0, 3);
  (void)trackers.adopt(LevelTrackers::medium);
  State saved;
  saved.mark("trackers");
  saved(trackers);
  const std::string text = saved.text();
  State state(text);
  LevelTrackers restored;
  state.mark("trackers");
  state(restored);
  state.end();
  RandomStream random({.seed = 9});
  for (std::uint64_t number = 3'000; number <= 3'500; ++number) {
    const double reward = random.normal();
    for (LevelTrackers* each : {&trackers, &restored}) {
      each->turn_to(static_cast<NodeIndex>(number % 5), number % 3 == 0);
    }
    EXPECT_EQ(trackers.add(well_known(trackers, number), reward),
              restored.add(well_known(restored, number), reward));
    EXPECT_EQ(trackers.level(), restored.level());
    EXPECT_EQ(trackers.part_left(), restored.part_left());
  }
}

}  // namespace
}  // namespace canopy
