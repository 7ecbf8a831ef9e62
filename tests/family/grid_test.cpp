#include "canopy/family/grid.hpp"

#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/objectives.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_grid.hpp"
#include "support/textbook_scale.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

std::string complaint(const Space& space, const GridOptions& options) {
  return testing::complaint_of<Grid>(space, options);
}

std::vector<std::vector<double>> arms_of(Grid& grid) {
  std::vector<std::vector<double>> arms;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const Pull pull = grid.ask();
    arms.emplace_back(pull.arm.begin(), pull.arm.end());
    EXPECT_EQ(grid.tell(pull.ticket, 0.5), Status::ok);
  }
  return arms;
}

TEST(Grid, ArmsStandInTheMiddleOfEqualParts) {
  Grid line({{"x", Real{0.0, 1.0}}}, {.points = 4});
  EXPECT_EQ(arms_of(line), (std::vector<std::vector<double>>{{0.125}, {0.375}, {0.625}, {0.875}}));
  Grid plane({{"x", Real{0.0, 1.0}}, {"y", Real{0.0, 10.0}}}, {.points = 2});
  EXPECT_EQ(arms_of(plane),
            (std::vector<std::vector<double>>{{0.25, 2.5}, {0.75, 2.5}, {0.25, 7.5}, {0.75, 7.5}}));
}

TEST(Grid, WholeNumbersAndChoicesHaveNoMoreArmsThanValues) {
  Grid grid({{"n", Integer{3, 5}}, {"c", Choice{{"a", "b"}}}}, {.points = 100});
  EXPECT_EQ(grid.size(), 6U);
  EXPECT_EQ(arms_of(grid),
            (std::vector<std::vector<double>>{{3, 0}, {4, 0}, {5, 0}, {3, 1}, {4, 1}, {5, 1}}));
  Grid coarse({{"n", Integer{0, 99}}}, {.points = 4});
  EXPECT_EQ(arms_of(coarse), (std::vector<std::vector<double>>{{12}, {37}, {62}, {87}}));
}

TEST(Grid, IntegersInStepsAreOnTheirSteps) {
  Grid few({{"n", Integer{0, 12, Scale::linear, 5}}}, {.points = 100});
  EXPECT_EQ(arms_of(few), (std::vector<std::vector<double>>{{0}, {5}, {10}}));
}

TEST(Grid, IntegersOnALogScaleAreThereOnce) {
  Grid few({{"n", Integer{1, 5, Scale::log}}}, {.points = 5});
  EXPECT_EQ(arms_of(few), (std::vector<std::vector<double>>{{1}, {2}, {3}, {4}, {5}}));
  // The middles of 16 parts are sqrt(2), 2 sqrt(2), 4 sqrt(2), ...; those of 32 begin
  // with 1.19, 1.68.
  Grid many({{"n", Integer{1, 65535, Scale::log}}}, {.points = 16});
  const auto arms = arms_of(many);
  ASSERT_EQ(arms.size(), 16U);
  EXPECT_EQ(arms[0], std::vector{1.0}) << "1.41 rounded down";
  EXPECT_EQ(arms[8], std::vector{362.0}) << "362.04";
  EXPECT_EQ(arms[15], std::vector{46340.0});
  Grid fine({{"n", Integer{1, 65535, Scale::log}}}, {.points = 32});
  EXPECT_EQ(fine.size(), 31U) << "1 only once";
}

TEST(Grid, TriesEveryArmOnceAndThenFollowsTheIndexOfUcb1) {
  Grid grid({{"x", Real{0.0, 1.0}}}, {.points = 2, .confidence_scale = 1.0}, testing::unit_range());
  EXPECT_EQ(grid.tell(grid.ask().ticket, 0.4), Status::ok);
  EXPECT_EQ(grid.tell(grid.ask().ticket, 0.6), Status::ok);
  // After two: 0.4 + sqrt(2 ln 2) against 0.6 + sqrt(2 ln 2).
  Pull pull = grid.ask();
  EXPECT_EQ(pull.arm[0], 0.75);
  EXPECT_EQ(grid.tell(pull.ticket, 0.6), Status::ok);
  // After three: 0.4 + sqrt(2 ln 3) = 1.882 against 0.6 + sqrt(ln 3) = 1.648.
  pull = grid.ask();
  EXPECT_EQ(pull.arm[0], 0.25);
}

TEST(Grid, FindsTheBestArm) {
  Grid grid({{"x", Real{0.0, 1.0}}}, {.points = 10});
  RandomStream random({.seed = 2});
  for (int i = 0; i < 5'000; ++i) {
    const Pull pull = grid.ask();
    const double x = pull.arm[0];
    EXPECT_EQ(grid.tell(pull.ticket, 0.9 - (x - 0.3) * (x - 0.3) + 0.2 * (random.uniform() - 0.5)),
              Status::ok);
  }
  EXPECT_NEAR(grid.best()->arm[0], 0.3, 0.11);
}

const Space kUnitLine{{"x", Real{0.0, 1.0}}};

/// Plays once, and returns the arm.
double play_grid(Grid& grid, double reward) {
  const Pull pull = grid.ask();
  const double arm = pull.arm[0];
  EXPECT_EQ(grid.tell(pull.ticket, reward), Status::ok);
  return arm;
}

TEST(GridThatForgets, TriesAnArmAgainOnceItHasLeftTheWindow) {
  Grid grid(kUnitLine, {.points = 2, .confidence_scale = 0.01, .recent = 3}, testing::unit_range());
  EXPECT_EQ(play_grid(grid, 0.4), 0.25);
  EXPECT_EQ(play_grid(grid, 0.6), 0.75);
  EXPECT_EQ(play_grid(grid, 0.6), 0.75);
  EXPECT_EQ(play_grid(grid, 0.6), 0.75);
  EXPECT_EQ(play_grid(grid, 0.9), 0.25) << "the last three were of the other";
  EXPECT_EQ(play_grid(grid, 0.9), 0.25) << "what it has earned long ago does not count";
}

TEST(GridThatForgets, DiscountsByHand) {
  // After 0.4 and 0.6 with a discount of 1/2: means 0.4 and 0.6, weights 1/2 and 1, n = 3/2.
  // sqrt(2 ln 1.5) = 0.9005: 0.4 + 0.9005 sqrt 2 = 1.673 against 1.5005.
  Grid grid(kUnitLine, {.points = 2, .confidence_scale = 1.0, .discount = 0.5},
            testing::unit_range());
  EXPECT_EQ(play_grid(grid, 0.4), 0.25);
  EXPECT_EQ(play_grid(grid, 0.6), 0.75);
  EXPECT_EQ(play_grid(grid, 1.0), 0.25);
  // Weights 5/4 and 1/2, n = 7/4, sqrt(2 ln 1.75) = 1.0579: the first has 0.88 + 0.946 = 1.826,
  // the second 0.6 + 1.496 = 2.096.
  EXPECT_EQ(play_grid(grid, 0.6), 0.75);
}

TEST(GridThatForgets, FollowsAnOptimumThatJumps) {
  const auto plays_of_the_better = [](const GridOptions& options) {
    Grid grid(kUnitLine, options, testing::unit_range());
    RandomStream random({.seed = 3});
    int better = 0;
    for (int i = 0; i < 4'000; ++i) {
      const Pull pull = grid.ask();
      const double best = i < 2'000 ? 0.25 : 0.75;
      better += i >= 2'000 && pull.arm[0] == best ? 1 : 0;
      const double f = pull.arm[0] == best ? 0.8 : 0.2;
      EXPECT_EQ(grid.tell(pull.ticket, f + 0.1 * random.normal()), Status::ok);
    }
    return better;
  };
  EXPECT_LT(plays_of_the_better({.points = 2}), 1'000);
  EXPECT_GT(plays_of_the_better({.points = 2, .recent = 200}), 1'600);
  EXPECT_GT(plays_of_the_better({.points = 2, .discount = 0.995}), 1'600);
}

TEST(GridThatForgets, PassesOverWhatIsBarred) {
  for (const GridOptions& options :
       {GridOptions{.points = 3, .recent = 4}, GridOptions{.points = 3, .discount = 0.5}}) {
    Grid grid(kUnitLine, options, testing::unit_range());
    EXPECT_EQ(grid.bar(std::vector{0.5}, 0.0), Status::ok);
    for (int i = 0; i < 50; ++i) EXPECT_NE(play_grid(grid, 0.5), 0.5);
  }
}

/// The formulas of Garivier and Moulines, computed from all rewards so far: the indices of all
/// arms, infinite for an arm without rewards that count.
std::vector<double> indices(const std::vector<double>& weights, std::size_t arms,
                            const std::vector<std::size_t>& played,
                            const std::vector<double>& rewards, double factor) {
  std::vector<double> pulls(arms);
  std::vector<double> sums(arms);
  double all = 0.0;
  for (std::size_t i = 0; i < played.size(); ++i) {
    const double weight = weights[played.size() - 1 - i];
    pulls[played[i]] += weight;
    sums[played[i]] += weight * rewards[i];
    all += weight;
  }
  std::vector<double> found(arms, kInfinity);
  for (std::size_t i = 0; i < arms; ++i) {
    if (pulls[i] == 0.0) continue;
    const double width = factor * std::sqrt(2.0 * std::log(std::max(1.0, all)) / pulls[i]);
    found[i] = sums[i] / pulls[i] + width;
  }
  return found;
}

RC_GTEST_PROP(GridThatForgets, EqualsTheTextbookOnRandomConfigurations,
              (const testing::RandomHct& setting)) {
  const auto points = *rc::gen::inRange<std::uint64_t>(1, 9);
  const bool slides = *rc::gen::arbitrary<bool>();
  GridOptions options{.points = points, .confidence_scale = *rc::gen::element(0.02, 0.1, 1.0)};
  if (slides) options.recent = *rc::gen::element<std::uint64_t>(1, 10, 60, 1000);
  if (!slides) options.discount = *rc::gen::element(0.7, 0.95, 0.99);
  constexpr std::size_t kPulls = 250;
  std::vector<double> weights;  // weights by age, the last reward first
  for (std::size_t i = 0; i < kPulls; ++i) {
    const bool counts = i < options.recent.value_or(kPulls);
    weights.push_back(counts ? std::pow(options.discount, static_cast<double>(i)) : 0.0);
  }
  const Space space = testing::RandomHct::make_space(setting.space);
  RC_LOG() << setting << " points " << points << " discount " << options.discount << " recent "
           << options.recent.value_or(0) << " scale " << options.confidence_scale;
  Grid grid(space, options, setting.objective);
  const testing::TextbookGrid arms(space, points);
  testing::TextbookScale known(setting.objective);
  RandomStream noise({.seed = points});
  std::vector<std::size_t> played;
  std::vector<double> rewards;
  for (std::uint64_t t = 1; t <= kPulls; ++t) {
    if (std::has_single_bit(t) || known.is_due()) known.update(std::has_single_bit(t));
    const std::vector<double> index =
        indices(weights, arms.size(), played, rewards, known.scale() * options.confidence_scale);
    const Pull pull = grid.ask();
    const std::size_t chosen = arms.find(pull.arm);
    const double largest = *std::max_element(index.begin(), index.end());
    RC_ASSERT(chosen < arms.size());
    const bool is_largest = index[chosen] > largest - 1e-9 * (1.0 + std::abs(largest));
    const bool is_fresh = index[chosen] == kInfinity;
    RC_ASSERT((largest < kInfinity ? is_largest : is_fresh));
    const double reward = setting.reward(pull.arm, noise.uniform());
    known.see(reward);
    played.push_back(chosen);
    rewards.push_back(known.to_mapped(reward));
    RC_ASSERT(grid.tell(pull.ticket, reward) == Status::ok);
  }
}

TEST(Grid, RefusesMoreArmsThanItCanLookThrough) {
  const Space cube{{"x", Real{0.0, 1.0}}, {"y", Real{0.0, 1.0}}, {"z", Real{0.0, 1.0}}};
  EXPECT_EQ(complaint(cube, {.points = 100}),
            "optimizer.points = 100: gives more than 100000 arms with 3 parameters");
  EXPECT_EQ(complaint(cube, {.points = 46}), "");
}

TEST(Grid, NamesEveryOptionThatIsOutOfRange) {
  const Space line{{"x", Real{0.0, 1.0}}};
  EXPECT_EQ(complaint(line, {.points = 0}),
            "optimizer.points = 0: must be a whole number from 1 to 1000000");
  EXPECT_EQ(complaint(line, {.confidence_scale = 0.0}),
            "optimizer.confidence_scale = 0: must be a number from 1e-50 to 1e50");
  EXPECT_EQ(complaint(line, {.recent = 0, .discount = 1.5}),
            "optimizer.recent = 0: must be a whole number from 1 to 9007199254740992 or \"all\"; "
            "optimizer.discount = 1.5: must be in (0, 1]");
  EXPECT_EQ(complaint(line, {.recent = 10, .discount = 0.5}),
            "optimizer.discount = 0.5: must be 1 if recent is set");
}

}  // namespace
}  // namespace canopy
