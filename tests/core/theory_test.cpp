// The paper's bounds, compared with numbers computed independently to twenty digits.

#include "canopy/theory.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

/// nu1 = 1, rho = 1/2, delta = 0.1, c = 2, c1 = 1/2, nu2 = 1, d = 0, C = 1.
TheoryParameters round_numbers() {
  TheoryParameters parameters;
  parameters.delta = 0.1;
  parameters.confidence = {2.0, 0.5};
  return parameters;
}

/// nu1 = 2, rho = 1/2, delta = 0.1, c = 2, c1 = 1/2, nu2 = 1/2, d = 1, C = 3.
TheoryParameters one_dimensional() {
  TheoryParameters parameters = round_numbers();
  parameters.nu1 = 2.0;
  parameters.nu2 = 0.5;
  parameters.near_optimality_dimension = 1.0;
  parameters.near_optimality_constant = 3.0;
  return parameters;
}

TEST(Theory, DepthBoundIsThatOfLemmaOne) {
  // n nu1^2 / (2 (c rho)^2) = 1000 / 2 = 500; ln 500 / (1/2).
  EXPECT_DOUBLE_EQ(depth_bound(round_numbers(), 1000.0), 12.429216196844383);
  // 1e5 * 4 / (2 * 2.4^2) = 34722.2...; its logarithm over 0.2.
  TheoryParameters parameters = round_numbers();
  parameters.nu1 = 2.0;
  parameters.rho = 0.8;
  parameters.confidence.c = 3.0;
  EXPECT_NEAR(depth_bound(parameters, 1e5), 52.275675854111869, 1e-12);
  EXPECT_NEAR(tight_depth_bound(parameters, 1e5), 23.426926544026442, 1e-12);
}

TEST(Theory, TightDepthBoundIsThatOfItsProof) {
  // log2(500) / 2.
  EXPECT_DOUBLE_EQ(tight_depth_bound(round_numbers(), 1000.0), 4.4828921423310435);
}

RC_GTEST_PROP(Theory, TheTightDepthBoundIsTheTighter, ()) {
  TheoryParameters parameters = round_numbers();
  parameters.rho = *rc::gen::inRange(1, 1000) / 1000.0;
  const double steps = *rc::gen::inRange(100, 100'000'000);
  RC_PRE(depth_bound(parameters, steps) > 0.0);
  RC_ASSERT(tight_depth_bound(parameters, steps) <= depth_bound(parameters, steps));
}

TEST(Theory, CertainDepthBoundUsesTheFirstPhase) {
  // delta_tilde(2) = 0.5 * 0.1 / 2 = 1/40, L1 = ln 40; 1 + log2(1000 / (4 ln 40)) / 2.
  EXPECT_DOUBLE_EQ(certain_depth_bound(round_numbers(), 1000.0), 4.0413008197574182);
}

TEST(Theory, CertainDepthBoundIsAtLeastOneSinceTheRootHasChildren) {
  EXPECT_EQ(certain_depth_bound(round_numbers(), 1.0), 1.0);  // 1 / (4 ln 40) < 1
}

TEST(Theory, CertainDepthBoundIsInfiniteIfLOfTheFirstPhaseIsZero) {
  TheoryParameters parameters = round_numbers();
  parameters.delta = 0.9;
  parameters.confidence.c1 = 4.0;  // 4 * 0.9 / 2 > 1, so L1 = 0
  EXPECT_EQ(certain_depth_bound(parameters, 1000.0), std::numeric_limits<double>::infinity());
  parameters.confidence.c1 = 2.0;  // 2 * 0.9 / 2 < 1
  EXPECT_TRUE(std::isfinite(certain_depth_bound(parameters, 1000.0)));
}

TEST(Theory, CertainNodeBoundFillsOneLevelAfterTheOther) {
  // c^2 L1 4^h = 4 ln 40 * {4, 16, ...} = {59.02, 236.1, 944.4}: two nodes of depth 1 take 118.04
  // of 600 steps, two of depth 2 take 472.2, and no other fits.
  TheoryParameters parameters = round_numbers();
  parameters.rho = 0.5;
  EXPECT_EQ(certain_node_bound(parameters, 600.0), 3.0 + 2.0 * 4.0);
  EXPECT_EQ(certain_node_bound(parameters, 59.0), 3.0);
  EXPECT_EQ(certain_node_bound(parameters, 60.0), 5.0);
}

TEST(Theory, CertainNodeBoundTakesAPullForEveryExpansionIfLIsZero) {
  TheoryParameters parameters = round_numbers();
  parameters.delta = 0.9;
  parameters.confidence.c1 = 4.0;
  EXPECT_EQ(certain_node_bound(parameters, 1000.0), 3.0 + 2.0 * 1000.0);
}

TEST(Theory, RegretOfIndependentRewardsIsThatOfTheoremOne) {
  // d = 0: X = 4 ln(2 * 2e5) / (1/2) = 103.19375...; sqrt(X n) = 1015.84328...;
  // 24 * that + sqrt(1e4) + 2 sqrt(1e4 ln(4e4 / 0.1)).
  EXPECT_NEAR(regret_bound(round_numbers(), Feedback::iid, 1e4), 25198.548593368628, 1e-8);
  // d = 1: X = 4 * 3 * 2 * (1/2) ln(4e5) / (4 * (1/2)) = 77.395318...;
  // X^(1/3) n^(2/3) = 1978.0544...; 48 * that + the same two terms.
  EXPECT_NEAR(regret_bound(one_dimensional(), Feedback::iid, 1e4), 95764.920913270339, 1e-7);
}

TEST(Theory, RegretOfCorrelatedRewardsIsThatOfTheoremTwo) {
  // The same X; 4 (3 sqrt 2 + 4) nu1 in place of 24 nu1, and only sqrt(n) after it.
  EXPECT_NEAR(regret_bound(round_numbers(), Feedback::correlated, 1e4), 33592.924874695590, 1e-8);
  EXPECT_NEAR(regret_bound(one_dimensional(), Feedback::correlated, 1e4), 130535.13347910058, 1e-7);
}

TEST(Theory, NodeBoundTakesTheBestDepth) {
  // H_max = 12.429...; with d = 1 the sum 1 + 2 H_max 2^(H-1) + 2000 / 4^H is 175.7 at H = 2,
  // 131.68372957475507 at H = 3 and 207.7 at H = 4.
  TheoryParameters parameters = round_numbers();
  parameters.near_optimality_dimension = 1.0;
  EXPECT_DOUBLE_EQ(node_bound(parameters, 1000.0), 131.68372957475507);
}

TEST(Theory, NodeBoundOfDimensionZeroIsAtTheDeepestDepth) {
  // Only the last term depends on H: 1 + 2 H_max + 2000 / 4^12.
  EXPECT_DOUBLE_EQ(node_bound(round_numbers(), 1000.0), 25.858551602978318);
}

TEST(Theory, NodeBoundOfTooFewStepsForADepthIsStillANumber) {
  // n / (2 (c rho)^2) = 1/2, so H_max < 0 and only H = 1 is left: 1 + 0 + 2 * 1/4.
  EXPECT_DOUBLE_EQ(node_bound(round_numbers(), 1.0), 1.5);
}

/// Theorem 3, without optimizations.
double least_node_bound(const TheoryParameters& p, double steps, double deepest) {
  const double d = p.near_optimality_dimension;
  double least = std::numeric_limits<double>::infinity();
  for (int level = 1; level <= static_cast<int>(std::floor(deepest)); ++level) {
    const double depth = level;
    const double near_optimal = std::pow(p.nu2, -d) * std::pow(p.rho, -d * (depth - 1.0));
    least = std::min(least, 1.0 + 2.0 * deepest * p.near_optimality_constant * near_optimal +
                                2.0 * p.nu1 * p.nu1 * steps * std::pow(p.rho, 2.0 * depth));
  }
  return least;
}

RC_GTEST_PROP(Theory, NodeBoundIsTheLeastOverAllWholeDepths, ()) {
  TheoryParameters p;
  p.nu1 = *rc::gen::inRange(1, 500) / 100.0;
  p.rho = *rc::gen::inRange(20, 1000) / 1000.0;
  p.confidence = {*rc::gen::inRange(1, 400) / 100.0, 0.5};
  p.nu2 = *rc::gen::inRange(1, 200) / 100.0;
  p.near_optimality_dimension = *rc::gen::element(0.0, 0.1, 0.5, 1.0, 2.0, 3.5);
  p.near_optimality_constant = std::pow(10.0, *rc::gen::inRange(-40, 20) / 10.0);
  const double steps = *rc::gen::inRange(1, 10'000'000);
  const double c_rho = p.confidence.c * p.rho;
  const double deepest = std::log(steps * p.nu1 * p.nu1 / (2.0 * c_rho * c_rho)) / (1.0 - p.rho);
  RC_PRE(deepest >= 1.0);
  const double expected = least_node_bound(p, steps, deepest);
  RC_LOG() << "nu1 " << p.nu1 << " rho " << p.rho << " c " << p.confidence.c << " nu2 " << p.nu2
           << " d " << p.near_optimality_dimension << " C " << p.near_optimality_constant << " n "
           << steps << ": expected " << expected << ", is " << node_bound(p, steps);
  RC_ASSERT(std::abs(node_bound(p, steps) - expected) <= 1e-9 * expected);
}

TEST(Theory, NodeBoundIsQuickWhenRhoIsCloseToOne) {
  // H_max = 9.4e9 depths. With C = 1e-6 and d = 1 the sum is flat around H = 1.018e9, where it is
  // 78328.21...; at H = 1 it is 218868 and at H_max 2.4e8.
  TheoryParameters parameters = round_numbers();
  parameters.rho = 0.999999999;
  parameters.near_optimality_dimension = 1.0;
  parameters.near_optimality_constant = 1e-6;
  const auto before = std::chrono::steady_clock::now();
  const double bound = node_bound(parameters, 1e5);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(1));
  EXPECT_NEAR(bound, 78328.210868377, 0.01);  // rho^H loses seven digits
}

TEST(Theory, EpisodeBoundCountsDoublingsAndPhases) {
  // log2(4 * 16) + log2(1000) = 6 + 9.965784...
  EXPECT_DOUBLE_EQ(episode_bound(16.0, 1000.0), 15.965784284662087);
  EXPECT_DOUBLE_EQ(episode_bound(1.0, 1.0), 2.0);
}

TEST(Theory, ConcentrationBoundIsThatOfLemmaTwo) {
  // Gamma = 1, delta = 0.05, T = 100, t = 1024: 4 sqrt(2 ln 100 / 100) + 10 / 100.
  EXPECT_DOUBLE_EQ(concentration_bound(1.0, 0.05, 100.0, 1024.0), 1.3139417035081171);
  // Gamma = 0, delta = 0.1, T = 50: sqrt(2 ln 50 / 50), at whatever step.
  EXPECT_DOUBLE_EQ(concentration_bound(0.0, 0.1, 50.0, 1024.0), 0.39557669321779543);
}

}  // namespace
}  // namespace canopy
