#include "canopy/detail/reward_map.hpp"

#include "canopy/optimizer.hpp"

#include "support/values.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::kInf;
using testing::kNan;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

Objective objective(Direction direction, double low, double high) {
  return {.direction = direction, .reward_range = {{low, high}}};
}
RewardMap maximizing(double low, double high) {
  return RewardMap(objective(Direction::maximize, low, high));
}
RewardMap minimizing(double low, double high) {
  return RewardMap(objective(Direction::minimize, low, high));
}

TEST(RewardMap, MaximizingMapsTheLowEndToZeroAndKeepsTheSize) {
  const RewardMap map = maximizing(-2.0, 6.0);
  EXPECT_FALSE(map.minimizes());
  EXPECT_FALSE(map.needs_origin());
  EXPECT_EQ(map.to_mapped(-2.0), 0.0);
  EXPECT_EQ(map.to_mapped(0.0), 2.0);
  EXPECT_EQ(map.to_mapped(6.0), 8.0);
  EXPECT_EQ(map.to_mapped(14.0), 16.0) << "nothing is clipped";
  EXPECT_EQ(map.to_mapped(-10.0), -8.0) << "nothing is clipped";
}

TEST(RewardMap, MinimizingMapsTheHighEndToZeroAndTurnsTheSign) {
  const RewardMap map = minimizing(-2.0, 6.0);
  EXPECT_TRUE(map.minimizes());
  EXPECT_EQ(map.to_mapped(6.0), 0.0);
  EXPECT_EQ(map.to_mapped(0.0), 6.0);
  EXPECT_EQ(map.to_mapped(-2.0), 8.0);
  EXPECT_EQ(map.to_mapped(-10.0), 16.0);
}

TEST(RewardMap, WithoutARangeTheFirstRewardIsTheOrigin) {
  for (const Direction direction : {Direction::maximize, Direction::minimize}) {
    RewardMap map({.direction = direction});
    EXPECT_TRUE(map.needs_origin());
    map.set_origin(1e6);
    EXPECT_FALSE(map.needs_origin());
    const double sign = direction == Direction::maximize ? 1.0 : -1.0;
    EXPECT_EQ(map.to_mapped(1e6), 0.0);
    EXPECT_EQ(map.to_mapped(1e6 + 3.0), sign * 3.0);
    EXPECT_EQ(map.to_user(sign * 3.0), 1e6 + 3.0);
  }
}

TEST(RewardMap, TheUnitRangeLeavesRewardsAsTheyAre) {
  const RewardMap map = maximizing(0.0, 1.0);
  for (const double reward : {0.0, 0.1, 1.0 / 3.0, 1.0, -7.5, 1e50}) {
    EXPECT_EQ(map.to_mapped(reward), reward);
    EXPECT_EQ(map.to_user(reward), reward);
  }
}

TEST(RewardMap, ConvertsBackToTheUsersUnits) {
  EXPECT_EQ(maximizing(-2.0, 6.0).to_user(2.0), 0.0);
  EXPECT_EQ(maximizing(-2.0, 6.0).to_user(16.0), 14.0);
  EXPECT_EQ(minimizing(-2.0, 6.0).to_user(6.0), 0.0);
  EXPECT_EQ(minimizing(-2.0, 6.0).to_user(0.0), 6.0);
}

struct RandomMap {
  Objective objective;
  double reward;
};

RandomMap random_map() {
  const double low = *rc::gen::inRange(-1000, 1000) / 16.0;
  const double high = low + *rc::gen::inRange(1, 1000) / 16.0;
  const auto direction = *rc::gen::element(Direction::maximize, Direction::minimize);
  return {objective(direction, low, high), *rc::gen::inRange(-100'000, 100'000) / 128.0};
}

RC_GTEST_PROP(RewardMap, RoundTripsUpToRounding, ()) {
  const auto [objective, reward] = random_map();
  const RewardMap map(objective);
  const double scale = 1.0 + std::abs(reward) + std::abs((*objective.reward_range)[1]);
  RC_ASSERT(std::abs(map.to_user(map.to_mapped(reward)) - reward) <= 8.0 * kEpsilon * scale);
}

RC_GTEST_PROP(RewardMap, IsTheFormulaOfTheObjective, ()) {
  const auto [objective, reward] = random_map();
  const auto [low, high] = *objective.reward_range;
  const bool up = objective.direction == Direction::maximize;
  const double expected = up ? reward - low : high - reward;
  RC_ASSERT(RewardMap(objective).to_mapped(reward) == expected);
}

RC_GTEST_PROP(RewardMap, SumsAreMappedAsTheirRewards, ()) {
  const RewardMap map(random_map().objective);
  const int count = *rc::gen::inRange(1, 50);
  std::vector<double> rewards;
  std::vector<double> mapped;
  double scale = 1.0;
  for (int i = 0; i < count; ++i) {
    rewards.push_back(*rc::gen::inRange(-1000, 1000) / 128.0);
    mapped.push_back(map.to_mapped(rewards.back()));
    scale += std::abs(mapped.back());
  }
  const Rewards expected = Rewards::of(mapped);
  const Rewards of_sums = map.to_mapped(Rewards::of(rewards));
  RC_ASSERT(of_sums.count == expected.count);
  RC_ASSERT(std::abs(of_sums.sum - expected.sum) <= 1e-12 * scale);
  RC_ASSERT(std::abs(of_sums.squared_deviations - expected.squared_deviations) <=
            1e-12 * scale * scale);
  RC_ASSERT(of_sums.min == expected.min);
  RC_ASSERT(of_sums.max == expected.max);
}

TEST(RewardMap, NeverGivesANegativeZero) {
  const std::vector<RewardMap> maps = {
      maximizing(0.0, 1.0),  minimizing(0.0, 1.0),  maximizing(0.0, 4.0),   minimizing(0.0, 4.0),
      maximizing(-0.0, 1.0), minimizing(-1.0, 0.0), minimizing(-1.0, -0.0), maximizing(-3.0, 5.0)};
  for (const RewardMap& map : maps) {
    const double origin = map.to_user(0.0);
    for (const double reward : {origin, -origin, 0.0, -0.0}) {
      const double mapped = map.to_mapped(reward);
      EXPECT_FALSE(mapped == 0.0 && std::signbit(mapped)) << reward;
    }
    EXPECT_EQ(map.to_mapped(origin), 0.0);
  }
  for (const double first : {0.0, -0.0, 3.0}) {
    for (const Direction direction : {Direction::maximize, Direction::minimize}) {
      RewardMap map({.direction = direction});
      map.set_origin(first);
      for (const double reward : {first, -first}) {
        const double mapped = map.to_mapped(reward);
        EXPECT_FALSE(mapped == 0.0 && std::signbit(mapped)) << first << ' ' << reward;
      }
    }
  }
}

TEST(RewardMap, UsableIsWhatCanBeAddedUp) {
  for (const double mapped : {0.0, -0.0, 1.0, -1.0, kTiny, -kTiny, 1e99, 1e100, -1e100}) {
    EXPECT_TRUE(RewardMap::usable(mapped)) << mapped;
  }
  const double beyond = std::nextafter(1e100, kInf);
  for (const double mapped :
       {kNan, -kNan, kInf, -kInf, 1e101, -1e101, beyond, -beyond,
        std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()}) {
    EXPECT_FALSE(RewardMap::usable(mapped)) << mapped;
  }
}

TEST(RewardMap, WhatIsNotANumberStaysUnusableWhenMapped) {
  for (const RewardMap& map :
       {maximizing(0.0, 1.0), maximizing(-2.0, 6.0), minimizing(-2.0, 6.0)}) {
    for (const double reward : {kNan, kInf, -kInf}) {
      EXPECT_FALSE(RewardMap::usable(map.to_mapped(reward))) << reward;
    }
  }
}

RC_GTEST_PROP(RewardMap, SumsOfRewardsAreAccepted, ()) {
  const RewardMap map(random_map().objective);
  const int count = *rc::gen::inRange(1, 100);
  const double offset = *rc::gen::element(0.0, 1.0, -1e3, 1e6);
  std::vector<double> rewards;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < count; ++i) {
    rewards.push_back(offset + *rc::gen::inRange(-1000, 1000) / 512.0);
    sum += rewards.back();
    squares += rewards.back() * rewards.back();
  }
  RC_ASSERT(check(Rewards::of(rewards), map) == Status::ok);
  RC_ASSERT(check(Rewards::from_sums(rewards.size(), sum, squares), map) == Status::ok);
}

TEST(RewardMap, SumsAreAcceptedUpToTheirLimit) {
  const RewardMap map = maximizing(0.0, 1.0);
  EXPECT_EQ(check(Rewards::from_sums(1, 0.4, 0.4 * 0.4), map), Status::ok);
  EXPECT_EQ(check(Rewards::from_sums(4, 2.0, 1.0), map), Status::ok) << "all equal";
  EXPECT_EQ(check(Rewards::from_sums(4, 0.0, 0.0), map), Status::ok);
  EXPECT_EQ(check(Rewards::from_sums(3, 0.3F, 3 * (0.1F * 0.1F)), map), Status::ok)
      << "added up in single precision";
}

TEST(RewardMap, RefusesImpossibleSums) {
  const RewardMap map = maximizing(0.0, 1.0);
  // Four rewards with the sum 2 have a sum of squares of at least 4 * (1/2)^2 = 1.
  EXPECT_EQ(check(Rewards::from_sums(4, 2.0, 0.99), map), Status::impossible_sums);
  EXPECT_EQ(check(Rewards::from_sums(4, -2.0, 0.99), map), Status::impossible_sums);
  EXPECT_EQ(check(Rewards::from_sums(1, 1.0, 0.0), map), Status::impossible_sums);
  EXPECT_EQ(check(Rewards::from_sums(1, 0.0, -1.0), map), Status::impossible_sums);
}

TEST(RewardMap, RefusesRewardsThatContradictThemselves) {
  const RewardMap map = maximizing(0.0, 1.0);
  EXPECT_EQ(check({2, 1.0, 0.5, 0.0, 1.0}, map), Status::ok);
  EXPECT_EQ(check({2, 1.0, -0.5, 0.0, 1.0}, map), Status::impossible_sums);
  EXPECT_EQ(check({2, 1.0, 0.5, 0.6, 1.0}, map), Status::impossible_sums) << "all above the mean";
  EXPECT_EQ(check({2, 1.0, 0.5, 0.0, 0.4}, map), Status::impossible_sums) << "all below the mean";
  EXPECT_EQ(check({2, 1.0, 0.5, 1.0, 0.0}, map), Status::impossible_sums) << "the wrong way round";
  EXPECT_EQ(check({2, 1.0, 0.5, kNan, 1.0}, map), Status::not_a_reward);
  EXPECT_EQ(check({2, 1.0, 0.5, 0.0, kInf}, map), Status::not_a_reward);
}

TEST(RewardMap, RefusesToLearnFromNoRewards) {
  const RewardMap map = maximizing(0.0, 1.0);
  for (const double sum : {0.0, 1.0, -1.0}) {
    EXPECT_EQ(check(Rewards::from_sums(0, sum, 1.0), map), Status::impossible_sums) << sum;
  }
}

TEST(RewardMap, RefusesSumsThatAreNotNumbers) {
  for (const RewardMap& map : {maximizing(0.0, 1.0), minimizing(-2.0, 6.0)}) {
    for (const double bad : {kNan, kInf, -kInf}) {
      EXPECT_EQ(check(Rewards::from_sums(2, bad, 1.0), map), Status::not_a_reward);
      EXPECT_EQ(check(Rewards::from_sums(2, 1.0, bad), map), Status::not_a_reward);
    }
    EXPECT_EQ(check(Rewards::from_sums(1, 1e102, 1e204), map), Status::not_a_reward);
    EXPECT_EQ(check(Rewards::from_sums(1, -1e102, 1e204), map), Status::not_a_reward);
  }
}

std::vector<std::string> sentences(const Objective& objective) {
  std::vector<std::string> found;
  for (const Violation& violation : violations(objective)) found.push_back(violation.text());
  return found;
}

using Sentences = std::vector<std::string>;

TEST(RewardMap, ARightObjectiveHasNoViolations) {
  EXPECT_EQ(sentences({}), Sentences{});
  EXPECT_EQ(sentences(objective(Direction::minimize, -3.5, -3.25)), Sentences{});
  EXPECT_EQ(sentences(objective(Direction::maximize, -1e100, 1e100)), Sentences{});
  EXPECT_EQ(sentences({.confidence = 0.999}), Sentences{});
}

TEST(RewardMap, RefusesAnEmptyOrReversedRange) {
  const Sentences reversed = {"reward_range = [2, 1.5]: the first number must be below the second"};
  EXPECT_EQ(sentences(objective(Direction::maximize, 2.0, 1.5)), reversed);
  EXPECT_EQ(sentences(objective(Direction::minimize, 2.0, 1.5)), reversed);
  EXPECT_EQ(sentences(objective(Direction::maximize, 1.0, 1.0)),
            Sentences{"reward_range = [1, 1]: the first number must be below the second"});
}

TEST(RewardMap, RefusesARangeThatIsNotFinite) {
  EXPECT_EQ(
      sentences(objective(Direction::maximize, kNan, 1.0)),
      Sentences{"reward_range = [nan, 1]: must be two finite numbers with a finite difference"});
  EXPECT_EQ(
      sentences(objective(Direction::maximize, 0.0, kNan)),
      Sentences{"reward_range = [0, nan]: must be two finite numbers with a finite difference"});
  EXPECT_EQ(
      sentences(objective(Direction::maximize, -kInf, 1.0)),
      Sentences{"reward_range = [-inf, 1]: must be two finite numbers with a finite difference"});
  EXPECT_EQ(
      sentences(objective(Direction::maximize, 0.0, kInf)),
      Sentences{"reward_range = [0, inf]: must be two finite numbers with a finite difference"});
  EXPECT_EQ(violations(objective(Direction::maximize, -1e308, 1e308)).size(), 1U)
      << "its width is not finite";
}

TEST(RewardMap, RefusesAConfidenceThatIsNoProbability) {
  EXPECT_EQ(sentences({.confidence = 1.0}), Sentences{"confidence = 1: must be between 0 and 1"});
  EXPECT_EQ(sentences({.confidence = 0.0}), Sentences{"confidence = 0: must be between 0 and 1"});
  EXPECT_EQ(sentences({.confidence = kNan}),
            Sentences{"confidence = nan: must be between 0 and 1"});
  EXPECT_EQ(sentences({.reward_range = {{1.0, 0.0}}, .confidence = 2.0}).size(), 2U);
}

TEST(RewardMap, EveryStatusHasItsOwnSentence) {
  const std::array statuses = {Status::ok,
                               Status::unknown_ticket,
                               Status::closed_ticket,
                               Status::too_many_rewards,
                               Status::not_a_reward,
                               Status::impossible_sums,
                               Status::not_an_arm};
  std::set<std::string_view> sentences_seen;
  for (const Status status : statuses) {
    EXPECT_FALSE(describe(status).empty());
    EXPECT_NE(describe(status), "unknown status");
    EXPECT_EQ(describe(status).find('\n'), std::string_view::npos);
    sentences_seen.insert(describe(status));
  }
  EXPECT_EQ(sentences_seen.size(), statuses.size());
  EXPECT_EQ(describe(Status::ok), "ok");
  EXPECT_NE(describe(Status::unknown_ticket).find("never issued"), std::string_view::npos);
  EXPECT_NE(describe(Status::closed_ticket).find("closed"), std::string_view::npos);
  EXPECT_NE(describe(Status::too_many_rewards).find("more rewards"), std::string_view::npos);
  EXPECT_NE(describe(Status::not_a_reward).find("finite"), std::string_view::npos);
  EXPECT_NE(describe(Status::not_an_arm).find("space"), std::string_view::npos);
  EXPECT_NE(describe(Status::impossible_sums).find("no rewards have"), std::string_view::npos);
}

TEST(RewardMap, BringsSumsBackToTheUnitsOfTheUser) {
  for (const Direction direction : {Direction::maximize, Direction::minimize}) {
    RewardMap map(Objective{.direction = direction});
    map.set_origin(100.0);
    const std::vector<double> values{90.0, 105.0, 120.0};
    const Rewards rewards = Rewards::of(values);
    const Rewards back = map.to_user(map.to_mapped(rewards));
    EXPECT_EQ(back.count, 3U);
    EXPECT_DOUBLE_EQ(back.sum, rewards.sum);
    EXPECT_DOUBLE_EQ(back.min, 90.0);
    EXPECT_DOUBLE_EQ(back.max, 120.0);
    EXPECT_DOUBLE_EQ(back.squared_deviations, rewards.squared_deviations);
  }
}

}  // namespace
}  // namespace canopy
