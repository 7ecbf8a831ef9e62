#include "canopy/family/thoo.hpp"

#include "canopy/garland.hpp"
#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_cells.hpp"
#include "support/textbook_hoo.hpp"
#include "support/tree.hpp"
#include "support/values.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::depth_of;
using testing::line;
using testing::nodes_of;
using testing::RandomHct;
using testing::TextbookHoo;
using testing::TextbookScale;

std::string complaint(const ThooOptions& options) {
  return testing::complaint_of<Thoo>(line(), options);
}

TEST(ThooDepthLimit, MatchesHandComputedValues) {
  // ln(1e5) / 2 = 5.7565, ln(1 / 0.7071) = 0.34658: 16.61, rounded up.
  EXPECT_EQ(thoo_depth_limit(1e5, 1.0, 0.7071), 17U);
  // The term ln(1/nu1) = ln(1/2) is subtracted: (5.7565 + 0.6931) / 0.6931 = 9.305.
  EXPECT_EQ(thoo_depth_limit(1e5, 2.0, 0.5), 10U);
  EXPECT_EQ(thoo_depth_limit(2.0, 0.1, 0.5), 0U) << "below zero there is the root alone";
  EXPECT_EQ(thoo_depth_limit(1.0, 1.0, 0.5), 0U);
}

TEST(Thoo, MakesNoNodeBelowTheDepthLimitAndReachesIt) {
  Thoo thoo(line(), {.horizon = 2000, .nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.05});
  Garland garland;
  RandomStream random({.seed = 1});
  for (int i = 0; i < 4000; ++i) {  // also beyond the horizon
    const Pull pull = thoo.ask();
    ASSERT_EQ(thoo.tell(pull.ticket, garland.pull(pull.arm, random)), Status::ok);
  }
  EXPECT_EQ(thoo_depth_limit(2000, 1.0, 0.5), 6U);
  EXPECT_EQ(thoo.summary().depth, 6U);
  EXPECT_EQ(thoo.summary().refreshes, 1U);
}

TEST(Thoo, WithoutRoomForATreePlaysTheRootRepeatedly) {
  Thoo thoo(line(), {.horizon = 1, .nu1 = 0.5, .rho = 0.5});
  for (int i = 0; i < 10; ++i) {
    const Pull pull = thoo.ask();
    EXPECT_EQ(depth_of(thoo, pull.ticket), 0U);
    EXPECT_EQ(thoo.tell(pull.ticket, 0.5), Status::ok);
  }
  EXPECT_EQ(thoo.summary().nodes, 1U);
  EXPECT_EQ(thoo.summary().switches, 1U);
}

TEST(Thoo, StartsOverAfterTwoFourEightPulls) {
  Thoo thoo(line());
  std::vector<int> restarts;
  for (int t = 1; t <= 64; ++t) {
    const Pull pull = thoo.ask();
    if (nodes_of(thoo).front().pulls == 0) restarts.push_back(t);
    EXPECT_EQ(thoo.tell(pull.ticket, 0.5), Status::ok);
  }
  EXPECT_EQ(restarts, (std::vector<int>{1, 3, 7, 15, 31, 63}));
  EXPECT_EQ(thoo.summary().refreshes, 6U);
}

TEST(Thoo, RecommendsFromThePeriodBeforeWhileThatHadMorePulls) {
  Thoo thoo(line(), {.confidence_scale = 0.1});
  EXPECT_FALSE(thoo.best().has_value());
  RandomStream random({.seed = 3});
  for (int t = 1; t <= 16'382; ++t) {  // seven and six more: the end of a period
    const Pull pull = thoo.ask();
    const double x = pull.arm[0];
    EXPECT_EQ(thoo.tell(pull.ticket, 0.9 - (x - 0.3) * (x - 0.3) + 0.1 * (random.uniform() - 0.5)),
              Status::ok);
  }
  const double before = thoo.best()->arm[0];
  const Pull first = thoo.ask();
  EXPECT_EQ(nodes_of(thoo).front().pulls, 0U) << "a period has begun";
  EXPECT_EQ(thoo.best()->arm[0], before);
  EXPECT_EQ(thoo.tell(first.ticket, 0.5), Status::ok);
  EXPECT_EQ(thoo.best()->arm[0], before);
  EXPECT_NEAR(before, 0.3, 0.1);
}

TEST(Thoo, AnswersOfAnEarlierPeriodCountAndTeachNothing) {
  Thoo thoo(line());
  const Pull late = thoo.ask();
  for (int t = 1; t <= 3; ++t) {
    const Pull pull = thoo.ask();
    EXPECT_EQ(thoo.tell(pull.ticket, 0.5), Status::ok);
  }
  const std::vector<double> arm(late.arm.begin(), late.arm.end());
  EXPECT_TRUE(arm[0] == 0.25 || arm[0] == 0.75) << "the arm outlives its tree";
  const auto place = thoo.tree()->place(late.ticket);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->depth, 1U);
  EXPECT_EQ(thoo.tree()->path(place->node), "") << "it is no longer in a tree";
  const auto pulls_before = nodes_of(thoo).front().pulls;
  EXPECT_EQ(thoo.tell(late.ticket, 0.9), Status::ok);
  EXPECT_EQ(nodes_of(thoo).front().pulls, pulls_before);
  EXPECT_EQ(thoo.summary().t, 5U);
}

/// Plays the optimizer and the textbook and compares every arm, and the bound of the root.
void compare(const RandomHct& setting, const ThooOptions& options) {
  Thoo thoo(setting.partition, options, setting.objective);
  TextbookScale known(setting.objective);
  RandomStream ties({.seed = options.seed, .algorithm = "hoo"});
  RandomStream noise({.seed = options.seed});
  double period = options.horizon ? static_cast<double>(*options.horizon) : 2.0;
  const auto fresh = [&] {
    return std::make_unique<TextbookHoo>(setting.partition, known, options.nu1, *options.rho,
                                         options.confidence_scale, period);
  };
  std::unique_ptr<TextbookHoo> textbook = fresh();
  double left = period;
  for (std::uint64_t t = 1; t <= 400; ++t) {
    if (std::has_single_bit(t) || known.is_due()) known.update(std::has_single_bit(t));
    if (!options.horizon && left == 0.0) {
      left = period *= 2.0;
      textbook = fresh();
    }
    const auto path = textbook->select(ties);
    const Pull pull = thoo.ask();
    RC_ASSERT(std::vector<double>(pull.arm.begin(), pull.arm.end()) == textbook->arm(*path.back()));
    const double reward = setting.reward(pull.arm, noise.uniform());
    known.see(reward);
    textbook->learn(path, known.to_mapped(reward));
    RC_ASSERT(thoo.tell(pull.ticket, reward) == Status::ok);
    RC_ASSERT(nodes_of(thoo).front().bound == known.to_user(textbook->root().bound));
    left -= 1.0;
  }
}

RC_GTEST_PROP(Thoo, IsTheAlgorithmOfItsPaperPullForPull, ()) {
  const RandomHct setting = testing::random_setting();
  ThooOptions options;
  options.horizon = *rc::gen::element<std::optional<std::uint64_t>>(std::nullopt, 50, 400, 100'000);
  options.nu1 = *rc::gen::element(0.1, 1.0, 3.0);
  options.rho = *rc::gen::element(0.3, 0.5, 0.8);
  options.confidence_scale = *rc::gen::element(0.01, 0.1, 1.0);
  options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  RC_LOG() << setting << " seed " << options.seed;
  compare(setting, options);
}

TEST(Thoo, RegretFallsAndItsTreeIsFarLargerThanThatOfHct) {
  const auto play = [](std::uint64_t steps) {
    Garland garland;
    Thoo thoo(garland.space(), {.horizon = steps, .rho = 0.7071, .confidence_scale = 0.1});
    RandomStream random({.seed = 11});
    double regret = 0.0;
    for (std::uint64_t i = 0; i < steps; ++i) {
      const Pull pull = thoo.ask();
      regret += kGarlandMaximum - garland.mean_reward(pull.arm);
      EXPECT_EQ(thoo.tell(pull.ticket, garland.pull(pull.arm, random)), Status::ok);
    }
    return std::pair{regret / static_cast<double>(steps), thoo.summary().nodes};
  };
  const auto [short_regret, short_nodes] = play(2'000);
  const auto [long_regret, long_nodes] = play(100'000);
  EXPECT_LT(long_regret, 0.5 * short_regret);
  EXPECT_LT(long_regret, 0.06);
  EXPECT_GT(long_nodes, 1'000U);
}

TEST(Thoo, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(complaint({.horizon = 0}),
            "optimizer.horizon = 0: must be a whole number from 1 to 9007199254740992 or "
            "\"doubling\"");
  EXPECT_EQ(complaint({.nu1 = 0.0}), "optimizer.nu1 = 0: must be a number from 1e-50 to 1e50");
  EXPECT_EQ(complaint({.rho = 1.5}), "optimizer.rho = 1.5: must be in (0, 1)");
  EXPECT_EQ(complaint({.confidence_scale = -1.0}),
            "optimizer.confidence_scale = -1: must be a number from 1e-50 to 1e50");
}

}  // namespace
}  // namespace canopy
