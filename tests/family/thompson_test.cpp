#include "canopy/family/thompson.hpp"

#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/objectives.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_grid.hpp"
#include "support/textbook_scale.hpp"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::TextbookGrid;
using testing::TextbookScale;

TEST(Thompson, DrawsFromTheHandComputedPosterior) {
  // Two arms, 0.5 of the first and 0.8, 0.4 of the second: N(0.5, 1 / 4) against N(0.6, 1 / 8).
  const Space space{{"x", Real{0.0, 1.0}}};
  int first_arms = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Thompson thompson(space, {.points = 2, .confidence_scale = 0.5, .seed = seed},
                      testing::unit_range());
    const Pull first = thompson.ask();
    EXPECT_EQ(first.arm[0], 0.25) << "each of them once";
    EXPECT_EQ(thompson.tell(first.ticket, 0.5), Status::ok);
    const Pull second = thompson.ask();
    EXPECT_EQ(second.arm[0], 0.75);
    EXPECT_EQ(thompson.tell(second.ticket, 0.8), Status::ok);
    EXPECT_EQ(thompson.observe(std::vector{0.75}, Rewards::one(0.4)), Status::ok);
    RandomStream random({.seed = seed, .algorithm = "thompson"});
    const double of_first = 0.5 + 0.5 * random.normal();
    const double of_second = 0.6 + 0.5 / std::sqrt(2.0) * random.normal();
    const double expected = of_first >= of_second ? 0.25 : 0.75;
    EXPECT_EQ(thompson.ask().arm[0], expected) << "seed " << seed;
    first_arms += expected == 0.25 ? 1 : 0;
  }
  EXPECT_GT(first_arms, 5) << "of 40, 17.4 on average";
  EXPECT_LT(first_arms, 30);
}

TEST(Thompson, IsTheSameForTheSameSeed) {
  const Space space{{"x", Real{0.0, 1.0}}};
  const auto arms = [&](std::uint64_t seed) {
    Thompson thompson(space, {.seed = seed});
    std::vector<double> played;
    for (int i = 0; i < 50; ++i) {
      const Pull pull = thompson.ask();
      played.push_back(pull.arm[0]);
      EXPECT_EQ(thompson.tell(pull.ticket, pull.arm[0]), Status::ok);
    }
    return played;
  };
  EXPECT_EQ(arms(3), arms(3));
  EXPECT_NE(arms(3), arms(4));
}

TEST(Thompson, PlaysTheBestArmMostOfTheTime) {
  Thompson thompson({{"x", Real{0.0, 1.0}}}, {.points = 10});
  RandomStream random({.seed = 2});
  int good = 0;
  for (int i = 0; i < 5'000; ++i) {
    const Pull pull = thompson.ask();
    const double x = pull.arm[0];
    good += std::abs(x - 0.35) < 0.11 ? 1 : 0;
    EXPECT_EQ(thompson.tell(pull.ticket, 0.9 - std::abs(x - 0.35) + 0.2 * random.normal()),
              Status::ok);
  }
  EXPECT_GT(good, 4'000);
}

RC_GTEST_PROP(Thompson, EqualsTheTextbookOnRandomConfigurations,
              (const testing::RandomHct& setting)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>() >> 11;
  const auto points = *rc::gen::inRange<std::uint64_t>(1, 9);
  const double deviation = *rc::gen::element(0.05, 0.2, 1.0);
  const Space space = testing::RandomHct::make_space(setting.space);
  RC_LOG() << setting << " seed " << seed << " points " << points << " deviation " << deviation;
  Thompson thompson(space, {.points = points, .confidence_scale = deviation, .seed = seed},
                    setting.objective);
  TextbookGrid textbook(space, points);
  TextbookScale known(setting.objective);
  RandomStream draws({.seed = seed, .algorithm = "thompson"});
  RandomStream noise({.seed = seed});
  for (std::uint64_t t = 1; t <= 300; ++t) {
    if (std::has_single_bit(t) || known.is_due()) known.update(std::has_single_bit(t));
    const std::size_t chosen = textbook.thompson(known.scale() * deviation, draws);
    const Pull pull = thompson.ask();
    RC_ASSERT(std::vector<double>(pull.arm.begin(), pull.arm.end()) == textbook[chosen].arm);
    const double reward = setting.reward(pull.arm, noise.uniform());
    known.see(reward);
    textbook.learn(chosen, known.to_mapped(reward));
    RC_ASSERT(thompson.tell(pull.ticket, reward) == Status::ok);
  }
}

TEST(Thompson, NamesEveryOptionThatIsOutOfRange) {
  const Space line{{"x", Real{0.0, 1.0}}};
  const auto complaint = [&](const ThompsonOptions& options) {
    return testing::complaint_of<Thompson>(line, options);
  };
  EXPECT_EQ(complaint({.points = 0, .confidence_scale = 0.0}),
            "optimizer.points = 0: must be a whole number from 1 to 1000000; "
            "optimizer.confidence_scale = 0: must be a number from 1e-50 to 1e50");
}

}  // namespace
}  // namespace canopy
