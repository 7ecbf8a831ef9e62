#include "canopy/detail/change_probe.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace canopy {
namespace {

ChangeProbe answered(const std::vector<double>& surprises) {
  ChangeProbe probe;
  std::vector<NodeIndex> leaves;
  for (NodeIndex i = 0; i < surprises.size(); ++i) leaves.push_back(i);
  probe.begin(leaves);
  while (const auto leaf = probe.next()) {
    EXPECT_TRUE(probe.awaits(*leaf));
    probe.take({.leaf = *leaf,
                .rewards = Rewards::one(surprises[*leaf]),
                .surprise = surprises[*leaf],
                .variance = 0.5});
  }
  return probe;
}

TEST(ChangeProbe, WeighsASharedChangeAgainstOneOfEachArm) {
  // (ln(1 + 4/0.5) - (1 - 2)^2/0.5 + 1^2/(0.5 + 4)) / 2, worked by hand
  EXPECT_NEAR(answered({1.0}).proof_of_level(2.0), 0.5 * (std::log(9.0) - 2.0 + 1.0 / 4.5), 1e-12);
  EXPECT_NEAR(answered({1.0, 2.0}).proof_of_level(2.0),
              0.5 * (2.0 * std::log(9.0) - 2.0 + 1.0 / 4.5 + 4.0 / 4.5), 1e-12);
}

TEST(ChangeProbe, IsSureWhereAllArmsMovedAlike) {
  EXPECT_GT(answered({2.1, 1.8, 2.0, 2.2, 1.7}).proof_of_level(2.0), 3.0);
  EXPECT_LT(answered({0.1, 2.0, -1.0, 0.2, 4.0}).proof_of_level(2.0), 0.0);
  EXPECT_LT(answered({0.0, 0.0, 0.0, 0.0, 0.0}).proof_of_level(2.0), 0.0);
}

TEST(ChangeProbe, IsCompleteOnceEveryReadingIsThereOrGivenUp) {
  ChangeProbe probe;
  EXPECT_FALSE(probe.is_running());
  probe.begin({4, 9});
  EXPECT_TRUE(probe.is_running());
  EXPECT_EQ(probe.next(), 9U) << "the last one first";
  EXPECT_FALSE(probe.is_complete());
  EXPECT_EQ(probe.next(), 4U);
  EXPECT_FALSE(probe.next());
  probe.take({.leaf = 4, .rewards = Rewards::one(1.0)});
  EXPECT_FALSE(probe.is_complete());
  probe.give_up_if([](NodeIndex leaf) { return leaf == 9; });
  EXPECT_TRUE(probe.is_complete());
  EXPECT_TRUE(probe.is_below(10));
  EXPECT_FALSE(probe.is_below(4));
  probe.end();
  EXPECT_FALSE(probe.is_running());
}

}  // namespace
}  // namespace canopy
