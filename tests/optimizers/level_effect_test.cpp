#include "canopy/detail/level_effect.hpp"

#include "canopy/adaptive.hpp"
#include "canopy/detail/split_test.hpp"
#include "canopy/random.hpp"

#include "support/values.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::line;

/// A tree that was told rewards by context and arm, without subtracting an effect.
struct InContext {
  ContextSpace contexts{{{"load", Real{0.0, 1.0}}}};
  Adaptive tree{line()};
  RewardsByContext rewards;

  explicit InContext(const std::function<double(double, double)>& f) {
    RandomStream random({.seed = 5});
    for (int i = 0; i < 600; ++i) {
      const std::vector<double> context{random.uniform()};
      const Pull pull = tree.ask(1);
      const std::vector<double> arm(pull.arm.begin(), pull.arm.end());
      const double reward = f(context[0], arm[0]) + 0.05 * random.normal();
      (void)tree.tell(pull.ticket, reward);
      rewards[arm][contexts.bins_of(context)] += tree.reward_map().to_mapped(Rewards::one(reward));
    }
  }
};

double hill(double x) {
  return 1.0 - (x - 0.4) * (x - 0.4);
}

TEST(LevelEffect, IsExactlyZeroWhereContextsDoNotMatter) {
  const InContext seen([](double /*z*/, double x) { return hill(x); });
  LevelEffect effect(seen.contexts);
  const LevelEffect::TreeData known{&seen.tree.model(), &seen.rewards};
  EXPECT_FALSE(effect.fit({&known, 1}));
  for (const double number : effect.table(0)) EXPECT_EQ(number, 0.0);
}

TEST(LevelEffect, FollowsALevelAlongTheContext) {
  const InContext seen([](double z, double x) { return hill(x) + 0.5 * std::sin(6.28 * z); });
  LevelEffect effect(seen.contexts);
  const LevelEffect::TreeData known{&seen.tree.model(), &seen.rewards};
  EXPECT_TRUE(effect.fit({&known, 1}));
  for (const double z : {0.1, 0.25, 0.4, 0.6, 0.75, 0.9}) {
    EXPECT_NEAR(effect.at(seen.contexts.bins_of(std::vector{z})), 0.5 * std::sin(6.28 * z), 0.12)
        << z;
  }
}

TEST(SplitTest, WantsInteractionNotADifferenceOfLevels) {
  const ContextSplit upper_half{0, ~BinSet{0} << 32};
  const auto gain = [&](const std::function<double(double, double)>& f) {
    const InContext seen(f);
    const LevelEffect none(seen.contexts);
    return SplitTest(seen.tree.model(), seen.rewards, none).gain(upper_half);
  };
  EXPECT_LT(*gain([](double /*z*/, double x) { return hill(x); }), 0.0);
  EXPECT_LT(*gain([](double z, double x) { return hill(x) + (z < 0.5 ? 0.5 : 0.0); }), 0.0);
  EXPECT_GT(*gain([](double z, double x) { return hill(z < 0.5 ? x : x - 0.5); }), 10.0);
}

TEST(SplitTest, IsNotMadeWithFewRewardsOnASide) {
  const InContext seen([](double /*z*/, double x) { return hill(x); });
  const LevelEffect none(seen.contexts);
  const SplitTest test(seen.tree.model(), seen.rewards, none);
  EXPECT_FALSE(test.gain({0, 0}));
  EXPECT_TRUE(test.gain({0, ~BinSet{0} << 32}));
}

}  // namespace
}  // namespace canopy
