#include "tuning/comparison.hpp"

#include "canopy/random.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// Plays a comparison to its end. `reward` draws a reward of the baseline (true) or the arm.
Comparison play(const ComparisonBegun& begun, const std::function<double(bool)>& reward) {
  Comparison comparison(begun, 0.95);
  while (!comparison.is_over(Direction::maximize)) {
    const bool is_baseline = comparison.is_baseline_next();
    comparison.add({is_baseline, reward(is_baseline)});
  }
  return comparison;
}

double normal(RandomStream& random) {
  const double u = 1.0 - random.uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * random.uniform());
}

const std::map<std::string, std::function<double(RandomStream&, double)>> kNoises{
    {"Gaussian", [](RandomStream& random, double mean) { return mean + 0.3 * normal(random); }},
    {"uniform", [](RandomStream& random, double mean) { return mean + random.uniform() - 0.5; }},
    {"zero or one",
     [](RandomStream& random, double mean) { return random.uniform() < mean ? 1.0 : 0.0; }},
    {"rarely one",
     [](RandomStream& random, double mean) { return random.uniform() < 0.1 * mean ? 1.0 : 0.0; }},
    {"exponential",
     [](RandomStream& random, double mean) { return -mean * std::log(1.0 - random.uniform()); }},
};

TEST(Comparison, ConfirmsWhatIsNoBetterInFewerThanFiveRunsOfAHundred) {
  for (const auto& each : kNoises) {
    const std::string& name = each.first;
    const auto& noise = each.second;
    RandomStream random({.seed = 5});
    int better = 0;
    int decided = 0;
    constexpr int kRuns = 2000;
    for (int run = 0; run < kRuns; ++run) {
      const Comparison comparison =
          play({200, 1, {0.5}}, [&](bool /*is_baseline*/) { return noise(random, 0.5); });
      const auto verdict = comparison.is_better(Direction::maximize);
      better += verdict.value_or(false) ? 1 : 0;
      decided += verdict ? 1 : 0;
    }
    std::cout << name << ": confirmed " << better << ", decided " << decided << " of " << kRuns
              << '\n';
    EXPECT_LE(better, kRuns * 25 / 1000) << name;
    EXPECT_LE(decided, kRuns * 5 / 100) << name;
  }
}

TEST(Comparison, FindsADifferenceOfTwoStandardDeviationsInTwentyPairs) {
  RandomStream random({.seed = 6});
  int found = 0;
  for (int run = 0; run < 200; ++run) {
    const Comparison comparison = play({40, 1, {0.5}}, [&](bool is_baseline) {
      return (is_baseline ? 0.0 : 0.6) + 0.3 * normal(random);
    });
    if (comparison.is_better(Direction::maximize).value_or(false)) ++found;
  }
  EXPECT_GE(found, 190);
}

TEST(Comparison, VisitsBothEquallyOftenAndInAnOrderThatIsNotForetold) {
  Comparison comparison({120, 3, {0.5}}, 0.95);
  int first_is_baseline = 0;
  for (int pair = 0; pair < 20; ++pair) {
    int baseline = 0;
    for (int pull = 0; pull < 6; ++pull) {
      const bool is_baseline = comparison.is_baseline_next();
      if (pull == 0 && is_baseline) ++first_is_baseline;
      if (is_baseline) ++baseline;
      comparison.add({is_baseline, 0.0});
    }
    EXPECT_EQ(baseline, 3);
  }
  EXPECT_GT(first_is_baseline, 4);
  EXPECT_LT(first_is_baseline, 16);
  EXPECT_TRUE(comparison.is_over(Direction::maximize));
  EXPECT_FALSE(comparison.is_better(Direction::maximize)) << "they are equal";
}

TEST(Comparison, LessIsBetterWhenMinimizing) {
  const auto verdict = [](Direction direction) {
    Comparison comparison({100, 1, {0.5}}, 0.95);
    while (!comparison.is_over(direction)) {
      const bool is_baseline = comparison.is_baseline_next();
      comparison.add({is_baseline, is_baseline ? 2.0 : 1.0});
    }
    return comparison.is_better(direction);
  };
  EXPECT_EQ(verdict(Direction::minimize), true);
  EXPECT_EQ(verdict(Direction::maximize), false);
}

TEST(Comparison, GoesOnFromItsSavedState) {
  RandomStream random({.seed = 7});
  Comparison whole({200, 2, {0.5}}, 0.95);
  Comparison kept({200, 2, {0.5}}, 0.95);
  for (int pull = 0; pull < 100; ++pull) {
    const Compared next{whole.is_baseline_next(), random.uniform()};
    EXPECT_EQ(kept.is_baseline_next(), next.is_baseline);
    whole.add(next);
    State saving;
    saving.mark("comparison");
    kept.transfer(saving);
    const std::string saved = saving.text();
    Comparison restored;
    State restoring{saved};
    restoring.mark("comparison");
    restored.transfer(restoring);
    kept = restored;
    kept.add(next);
  }
  EXPECT_EQ(kept.difference(), whole.difference());
  EXPECT_EQ(kept.interval(), whole.interval());
}

}  // namespace
}  // namespace canopy
