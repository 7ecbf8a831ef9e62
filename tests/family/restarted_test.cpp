#include "canopy/family/restarted.hpp"

#include "canopy/adaptive.hpp"
#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/objectives.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

constexpr std::uint64_t kRestartEvery = 150;

double reward_of_hill(Arm arm, RandomStream& random) {
  return 0.9 - std::abs(arm[0] - 0.3) + 0.1 * (random.uniform() - 0.5);
}

/// Plays `pulls` pulls, in whole turns if requested, and returns the arms.
template <class AnOptimizer>
std::vector<double> run_of(AnOptimizer& optimizer, std::uint64_t pulls, RandomStream& random) {
  std::vector<double> arms;
  while (arms.size() < pulls) {
    const Pull pull = optimizer.ask(pulls - arms.size());
    for (std::uint64_t i = 0; i < pull.length; ++i) {
      arms.push_back(pull.arm[0]);
      EXPECT_EQ(optimizer.tell(pull.ticket, reward_of_hill(pull.arm, random)), Status::ok);
    }
  }
  return arms;
}

TEST(Restarted, PlaysWhatANewTreeWouldPlay) {
  Restarted restarted(testing::line(), {.every = kRestartEvery}, testing::unit_range());
  RandomStream random({.seed = 1});
  RandomStream same({.seed = 1});
  for (int round = 0; round < 4; ++round) {
    Adaptive fresh(testing::line(), {}, testing::unit_range());
    const std::vector<double> expected = run_of(fresh, kRestartEvery, same);
    EXPECT_EQ(run_of(restarted, kRestartEvery, random), expected) << "round " << round;
  }
  EXPECT_EQ(restarted.children(), 1U);
}

TEST(Restarted, UsesOnlyRewardsSinceTheLastStart) {
  Restarted restarted(testing::line(), {.every = kRestartEvery}, testing::unit_range());
  RandomStream random({.seed = 2});
  (void)run_of(restarted, kRestartEvery, random);
  EXPECT_FALSE(restarted.best()->since);
  (void)run_of(restarted, 50, random);
  EXPECT_EQ(restarted.best()->since, kRestartEvery);
  EXPECT_LE(restarted.best()->pulls, 50U);
}

TEST(Restarted, LateRewardsAreNotLearnt) {
  Restarted restarted(testing::line(), {.every = 3}, testing::unit_range());
  const Ticket late = restarted.ask(1).ticket;
  const auto play = [&] {
    const Pull pull = restarted.ask(1);
    const double arm = pull.arm[0];
    EXPECT_EQ(restarted.tell(pull.ticket, 0.5), Status::ok);
    return arm;
  };
  for (int i = 0; i < 3; ++i) (void)play();
  Restarted other = restarted;
  EXPECT_EQ(play(), other.ask(1).arm[0]);
  EXPECT_EQ(restarted.tell(late, 0.1), Status::ok);
  EXPECT_EQ(restarted.summary().t, 6U);
}

TEST(Restarted, IsSavedRestoredAndClonedAfterAStart) {
  Restarted restarted(testing::line(), {.every = 20}, testing::unit_range());
  RandomStream random({.seed = 4});
  (void)run_of(restarted, 47, random);
  (void)restarted.ask(1);  // in flight
  Restarted restored(testing::line(), {.every = 20}, testing::unit_range());
  restored.restore(restarted.save());
  const auto clone = restarted.clone();
  RandomStream same({.seed = 5});
  const std::vector<double> expected = run_of(restarted, 60, same);
  for (Optimizer* other : {static_cast<Optimizer*>(&restored), clone.get()}) {
    RandomStream again({.seed = 5});
    EXPECT_EQ(run_of(*other, 60, again), expected);
    EXPECT_EQ(other->save(), restarted.save());
  }
}

TEST(Restarted, RemembersWhatIsBarred) {
  Restarted restarted(testing::line(), {.base = RestartedBase::hct, .every = 20},
                      testing::unit_range());
  const double first = restarted.ask(1).arm[0];
  EXPECT_EQ(restarted.bar(std::vector{first}, 0.0), Status::ok);
  RandomStream random({.seed = 3});
  const std::vector<double> arms = run_of(restarted, 100, random);
  EXPECT_LT(std::count(arms.begin() + 20, arms.end(), first), 20);
}

TEST(Restarted, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(testing::complaint_of<Restarted>(testing::line(), RestartedOptions{.every = 0}),
            "optimizer.every = 0: must be a whole number from 1 to 9007199254740992");
}

}  // namespace
}  // namespace canopy
