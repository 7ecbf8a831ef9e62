#include "canopy/family/kl_ucb.hpp"

#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/objectives.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_grid.hpp"
#include "support/textbook_scale.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::TextbookGrid;
using testing::TextbookScale;

double bound_of(double mean, double divergence) {
  return -std::expm1(-kl_ucb_level(mean, divergence));
}

TEST(KlUcb, IndexMatchesHandComputedValues) {
  // kl(0, q) = ln(1 / (1 - q)).
  EXPECT_DOUBLE_EQ(bound_of(0.0, 0.3), 1.0 - std::exp(-0.3));
  // kl(1/2, q) = -ln(4 q (1 - q)) / 2.
  EXPECT_NEAR(bound_of(0.5, 0.2), (1.0 + std::sqrt(1.0 - std::exp(-0.4))) / 2.0, 1e-14);
  // kl(0.2, 0.6) = 0.2 ln(1/3) + 0.8 ln 2.
  EXPECT_NEAR(bound_of(0.2, 0.8 * std::log(2.0) - 0.2 * std::log(3.0)), 0.6, 1e-14);
  EXPECT_DOUBLE_EQ(bound_of(0.25, 0.0), 0.25);
}

TEST(KlUcb, IndexTellsApartWhatIsOneUpToRounding) {
  // 0.9 of 1 - q is left over: (ln(1 / (1 - q)) - 2.3) 0.1 is about the divergence.
  EXPECT_GT(kl_ucb_level(0.9, 20.0), kl_ucb_level(0.9, 19.0) + 9.0);
  EXPECT_EQ(bound_of(0.9, 20.0), bound_of(0.9, 19.0)) << "as plain numbers they are equal";
}

RC_GTEST_PROP(KlUcb, IndexIsThatOfTheTextbook, ()) {
  const double mean = *rc::gen::inRange(0, 1000) / 1000.0;
  const double pulls = *rc::gen::element(1.0, 2.0, 10.0, 1e3, 1e6);
  const double budget = *rc::gen::inRange(1, 3000) / 100.0;
  const double expected = TextbookGrid::kl_level(mean, pulls, budget);
  RC_ASSERT(std::abs(kl_ucb_level(mean, budget / pulls) - expected) <= 1e-9 * (1.0 + expected));
}

TEST(KlUcb, TriesEveryArmOnceAndThenFollowsTheIndex) {
  KlUcb bandit({{"x", Real{0.0, 1.0}}}, {.points = 2, .confidence_scale = 1.0},
               testing::unit_range());
  EXPECT_EQ(bandit.tell(bandit.ask().ticket, 0.5), Status::ok);
  EXPECT_EQ(bandit.tell(bandit.ask().ticket, 0.0), Status::ok);
  // After two, ln 2: (1 + sqrt(1 - 1/4)) / 2 = 0.93 against 1 - 1/2.
  Pull pull = bandit.ask();
  EXPECT_EQ(pull.arm[0], 0.25);
  EXPECT_EQ(bandit.tell(pull.ticket, 0.0), Status::ok);
  // After three, ln 3: mean 1/4 of two, kl(1/4, 3/4) = ln(3) / 2, so 0.75 against 1 - 1/3.
  pull = bandit.ask();
  EXPECT_EQ(pull.arm[0], 0.25);
  EXPECT_EQ(bandit.tell(pull.ticket, 0.0), Status::ok);
  // After four, ln 4: mean 1/6 of three, kl(1/6, q) = ln(4) / 3 at 0.63, against 1 - 1/4.
  EXPECT_EQ(bandit.ask().arm[0], 0.75);
}

TEST(KlUcb, AnArmThatNeverFailedIsPlayedAgain) {
  KlUcb bandit({{"x", Real{0.0, 1.0}}}, {.points = 4}, testing::unit_range());
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(bandit.tell(bandit.ask().ticket, i > 1 ? 1.0 : 0.5), Status::ok);
  for (int i = 0; i < 20; ++i) {
    const Pull pull = bandit.ask();
    EXPECT_EQ(pull.arm[0], 0.625) << "the first of two";
    EXPECT_EQ(bandit.tell(pull.ticket, 1.0), Status::ok);
  }
}

TEST(KlUcb, LosesLessThanTheLogarithmAllowsOnRareSuccesses) {
  // Two arms of 0/1 rewards with 0.02 and 0.1: Lai and Robbins' constant is 0.08 / kl = 2.2, and
  // UCB1 plays the worse arm hundreds of times.
  double worse = 0.0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    KlUcb bandit({{"c", Choice{{"a", "b"}}}}, {.confidence_scale = 1.0}, testing::unit_range());
    RandomStream random({.seed = seed});
    for (int i = 0; i < 5'000; ++i) {
      const Pull pull = bandit.ask();
      worse += pull.arm[0] == 0.0 ? 1.0 : 0.0;
      const double p = pull.arm[0] == 0.0 ? 0.02 : 0.1;
      EXPECT_EQ(bandit.tell(pull.ticket, random.uniform() < p ? 1.0 : 0.0), Status::ok);
    }
  }
  EXPECT_LT(worse / 50.0, 400.0) << "ln(5000) / kl(0.02, 0.1) = 232";
  EXPECT_GT(worse / 50.0, 50.0);
}

RC_GTEST_PROP(KlUcb, EqualsTheTextbookOnRandomConfigurations, (const testing::RandomHct& setting)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto points = *rc::gen::inRange<std::uint64_t>(1, 9);
  const double c = *rc::gen::element(0.0, 1.0, 3.0);
  const double width = *rc::gen::element(0.1, 0.5, 1.0, 2.0);
  const Space space = testing::RandomHct::make_space(setting.space);
  RC_LOG() << setting << " seed " << seed << " points " << points << " c " << c << " width "
           << width;
  KlUcb bandit(space, {.points = points, .log_log_factor = c, .confidence_scale = width},
               setting.objective);
  TextbookGrid textbook(space, points);
  TextbookScale known(setting.objective);
  RandomStream noise({.seed = seed});
  double least = std::numeric_limits<double>::infinity();
  double low = 0.0;  // the worse end of the range
  for (std::uint64_t t = 1; t <= 500; ++t) {
    if (std::has_single_bit(t) || known.is_due()) {
      known.update(std::has_single_bit(t));
      if (!setting.objective.reward_range && t > 1) low = least;
    }
    const double log = std::log(std::max(1.0, static_cast<double>(t - 1)));
    const double budget = width * width * (log + c * std::log(std::max(1.0, log)));
    const Pull pull = bandit.ask();
    const std::size_t chosen = textbook.find(pull.arm);
    RC_ASSERT(chosen < textbook.size());
    RC_ASSERT(textbook.may_be_kl_ucb(chosen, low, known.scale(), budget));
    const double reward = setting.reward(pull.arm, noise.uniform());
    known.see(reward);
    least = std::min(least, known.to_mapped(reward));
    textbook.learn(chosen, known.to_mapped(reward));
    RC_ASSERT(bandit.tell(pull.ticket, reward) == Status::ok);
  }
}

TEST(KlUcb, NamesEveryOptionThatIsOutOfRange) {
  const Space line{{"x", Real{0.0, 1.0}}};
  EXPECT_EQ(testing::complaint_of<KlUcb>(
                line, KlUcbOptions{.log_log_factor = -1.0, .confidence_scale = 0.0}),
            "optimizer.log_log_factor = -1: must be a number from 0 to 1e50; "
            "optimizer.confidence_scale = 0: must be a number from 1e-50 to 1e50");
}

}  // namespace
}  // namespace canopy
