#include "canopy/family/lin_ucb.hpp"

#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/objectives.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

const Space kLinUcbLine{{"x", Real{0.0, 1.0}}};

std::vector<double> features(std::vector<ContextVariable> variables,
                             const std::vector<double>& context) {
  const LinUcb bandit(kLinUcbLine, {.points = 2}, {}, ContextSpace(std::move(variables)));
  return bandit.features_of(context);
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

TEST(LinUcb, FeaturesAreThePolynomialsOfDegreeTwo) {
  const ContextVariable z{"z", Real{0.0, 10.0}};
  const ContextVariable rate{"rate", Real{1.0, 16.0, Scale::log}};
  const ContextVariable kind{"kind", Choice{{"a", "b", "c"}}};
  const ContextVariable hour{"hour", Real{0.0, 24.0}, 24.0};
  expect_near(features({}, {}), {1.0});
  expect_near(features({z}, {2.5}), {1.0, -0.5, 0.25});
  expect_near(features({z, rate}, {10.0, 8.0}), {1.0, 1.0, 0.5, 1.0, 0.5, 0.25});
  expect_near(features({kind}, {0.0}), {1.0, 0.0, 0.0});
  expect_near(features({kind}, {2.0}), {1.0, 0.0, 1.0});
  expect_near(features({z, kind}, {2.5, 1.0}), {1.0, -0.5, 1.0, 0.0, 0.25, -0.5, 0.0});
  const double half = std::sqrt(0.5);
  expect_near(features({hour}, {3.0}), {1.0, half, half, 0.5, 0.5, 0.5});
}

TEST(LinUcb, FollowsTheHandComputedIndex) {
  // One feature of 1: theta = sum / (1 + pulls), and the width is alpha / sqrt(1 + pulls).
  LinUcb bandit(kLinUcbLine, {.points = 2, .confidence_scale = 1.0}, testing::unit_range());
  Pull pull = bandit.ask();
  EXPECT_EQ(pull.arm[0], 0.25) << "the first of equal ones";
  EXPECT_EQ(bandit.tell(pull.ticket, 0.4), Status::ok);
  // 0.4 / 2 + 1 / sqrt(2) = 0.907 against 1.
  pull = bandit.ask();
  EXPECT_EQ(pull.arm[0], 0.75);
  EXPECT_EQ(bandit.tell(pull.ticket, 0.6), Status::ok);
  // 0.907 against 0.3 + 0.707 = 1.007.
  pull = bandit.ask();
  EXPECT_EQ(pull.arm[0], 0.75);
  EXPECT_EQ(bandit.tell(pull.ticket, 0.2), Status::ok);
  // 0.907 against 0.8 / 3 + 1 / sqrt(3) = 0.844.
  EXPECT_EQ(bandit.ask().arm[0], 0.25);
}

/// The algorithm of Li and others, solving every linear system from scratch.
class TextbookLinUcb {
 public:
  TextbookLinUcb(std::size_t arms, std::size_t features) : features_(features) {
    Matrix unit(features, std::vector<double>(features));
    for (std::size_t i = 0; i < features; ++i) unit[i][i] = 1.0;
    products_.assign(arms, unit);
    sums_.assign(arms, std::vector<double>(features));
  }

  [[nodiscard]] std::vector<double> indices(const std::vector<double>& phi, double alpha) const {
    std::vector<double> found;
    for (std::size_t arm = 0; arm < products_.size(); ++arm) {
      const double mean = product(phi, solved(products_[arm], sums_[arm]));
      found.push_back(mean + alpha * std::sqrt(product(phi, solved(products_[arm], phi))));
    }
    return found;
  }

  void learn(std::size_t arm, const std::vector<double>& phi, double reward) {
    for (std::size_t i = 0; i < features_; ++i) {
      for (std::size_t j = 0; j < features_; ++j) products_[arm][i][j] += phi[i] * phi[j];
      sums_[arm][i] += reward * phi[i];
    }
  }

 private:
  using Matrix = std::vector<std::vector<double>>;

  static double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  /// x with matrix x = right, by elimination.
  static std::vector<double> solved(Matrix matrix, std::vector<double> right) {
    const std::size_t size = right.size();
    for (std::size_t pivot = 0; pivot < size; ++pivot) {
      for (std::size_t row = pivot + 1; row < size; ++row) {
        const double factor = matrix[row][pivot] / matrix[pivot][pivot];
        for (std::size_t column = pivot; column < size; ++column) {
          matrix[row][column] -= factor * matrix[pivot][column];
        }
        right[row] -= factor * right[pivot];
      }
    }
    for (std::size_t row = size; row-- > 0;) {
      for (std::size_t column = row + 1; column < size; ++column) {
        right[row] -= matrix[row][column] * right[column];
      }
      right[row] /= matrix[row][row];
    }
    return right;
  }

  std::size_t features_;
  std::vector<Matrix> products_;
  std::vector<std::vector<double>> sums_;
};

RC_GTEST_PROP(LinUcb, EqualsTheTextbookOnRandomConfigurations, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto points = *rc::gen::inRange<std::uint64_t>(1, 7);
  const double alpha = *rc::gen::element(0.1, 0.5, 2.0);
  RC_LOG() << "seed " << seed << " points " << points << " alpha " << alpha;
  const ContextSpace contexts({{"z", Real{0.0, 1.0}}, {"kind", Choice{{"a", "b", "c"}}}});
  LinUcb bandit(kLinUcbLine, {.points = points, .confidence_scale = alpha}, testing::unit_range(),
                contexts);
  TextbookLinUcb textbook(points, 7);
  RandomStream random({.seed = seed});
  for (int i = 0; i < 400; ++i) {
    const std::vector<double> context{random.uniform(), std::floor(3.0 * random.uniform())};
    const std::vector<double> phi = bandit.features_of(context);
    const std::vector<double> indices = textbook.indices(phi, alpha);
    const Pull pull = bandit.ask_in(context);
    const auto chosen = static_cast<std::size_t>(pull.arm[0] * static_cast<double>(points));
    const double largest = *std::max_element(indices.begin(), indices.end());
    RC_ASSERT(indices[chosen] > largest - 1e-9);
    const double reward =
        0.8 - std::abs(pull.arm[0] - 0.4 * (context[0] + context[1])) + 0.2 * random.normal();
    RC_ASSERT(bandit.tell(pull.ticket, reward) == Status::ok);
    textbook.learn(chosen, phi, reward);
  }
}

TEST(LinUcb, LearnsAFunctionOfDegreeTwoExactly) {
  const ContextSpace contexts({{"z", Real{-1.0, 1.0}}});
  LinUcb bandit({{"c", Choice{{"a", "b"}}}}, {.confidence_scale = 1.0}, testing::unit_range(),
                contexts);
  const auto f = [](double z, double arm) {
    return arm == 0.0 ? 0.5 : 0.8 - 0.9 * z * z + 0.1 * z;
  };
  RandomStream random({.seed = 8});
  for (int i = 0; i < 5'000; ++i) {
    const std::vector<double> context{2.0 * random.uniform() - 1.0};
    const Pull pull = bandit.ask_in(context);
    ASSERT_EQ(bandit.tell(pull.ticket, f(context[0], pull.arm[0])), Status::ok);
  }
  for (const double z : {-0.9, -0.4, 0.0, 0.3, 0.8}) {
    const double better = f(z, 0.0) > f(z, 1.0) ? 0.0 : 1.0;
    const auto best = bandit.best_in(std::vector{z});
    EXPECT_EQ(best->arm, std::vector{better}) << z;
    EXPECT_NEAR(best->mean, f(z, better), 0.02) << z;
  }
}

TEST(LinUcb, WhatItCannotDoIsNamed) {
  EXPECT_EQ(testing::complaint_of<LinUcb>(kLinUcbLine, LinUcbOptions{.confidence_scale = 0.0}),
            "optimizer.confidence_scale = 0: must be a number from 1e-50 to 1e50");
  Choice many;
  for (int i = 0; i < 30; ++i) many.choices.push_back(std::to_string(i));
  const ContextSpace contexts({{"a", many}, {"b", many}});
  EXPECT_EQ(
      testing::complaint_of<LinUcb>(kLinUcbLine, LinUcbOptions{}, Objective{}, contexts),
      "context = 900 features: lin-ucb takes at most 64: use choices with fewer values, or fewer "
      "variables");
}

}  // namespace
}  // namespace canopy
