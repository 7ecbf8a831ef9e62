#include "canopy/family/grid.hpp"

#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/objectives.hpp"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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

TEST(Grid, RefusesMoreArmsThanItCanLookThrough) {
  const Space cube{{"x", Real{0.0, 1.0}}, {"y", Real{0.0, 1.0}}, {"z", Real{0.0, 1.0}}};
  EXPECT_EQ(complaint(cube, {.points = 100}),
            "optimizer.points = 100: makes more than 100000 arms from 3 parameters");
  EXPECT_EQ(complaint(cube, {.points = 46}), "");
}

TEST(Grid, NamesEveryOptionThatIsOutOfRange) {
  const Space line{{"x", Real{0.0, 1.0}}};
  EXPECT_EQ(complaint(line, {.points = 0}),
            "optimizer.points = 0: must be a whole number from 1 to 1000000");
  EXPECT_EQ(complaint(line, {.confidence_scale = 0.0}),
            "optimizer.confidence_scale = 0: must be a number from 1e-50 to 1e50");
}

}  // namespace
}  // namespace canopy
