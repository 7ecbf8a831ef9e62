// Compares the adaptive tree with a slow implementation of the formulas: both must choose the same
// arms, for as many pulls, at every turn.

#include "canopy/adaptive.hpp"
#include "canopy/garland.hpp"
#include "canopy/random.hpp"

#include "support/every_optimizer.hpp"
#include "support/gaussian_tree.hpp"
#include "support/objectives.hpp"
#include "support/textbook_adaptive.hpp"
#include "support/textbook_drift.hpp"
#include "support/textbook_limited.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::TextbookAdaptive;
using testing::TextbookDrift;
using testing::TextbookLimited;

Space random_space(std::uint64_t kind) {
  switch (kind) {
    case 0:
      return {{"x", Real{0.0, 1.0}}};
    case 1:
      return {{"x", Real{-5.0, 5.0}}, {"y", Real{0.1, 10.0, Scale::log}}};
    case 2:
      return {{"c", Choice{{"a", "b", "c", "d", "e"}}}};
    case 3:
      return {{"n", Integer{1, 300, Scale::log}}};
    case 4:
      return {{"n", Integer{0, 12}}};
    default:
      return testing::mixed_space();
  }
}

/// A random function of an arm, rough or smooth, with noise that may be autocorrelated.
class RandomSystem {
 public:
  RandomSystem(std::uint64_t seed, double noise, double memory)
      : random_({.seed = seed}), noise_(noise), memory_(memory) {
    for (double& number : numbers_) number = random_.uniform();
  }

  double reward(Arm arm) {
    double value = 0.0;
    for (const double x : arm) {
      value += numbers_[0] * std::sin((3.0 + 20.0 * numbers_[1]) * x + 6.0 * numbers_[2]) -
               numbers_[3] * std::abs(x - numbers_[4]);
    }
    last_ = memory_ * last_ + noise_ * random_.normal();
    return value + last_;
  }

 private:
  RandomStream random_;
  double noise_;
  double memory_;
  double last_ = 0.0;
  std::array<double, 5> numbers_{};
};

RC_GTEST_PROP(AdaptiveTrace, EveryTurnIsThatOfTheTextbook, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto kind = *rc::gen::inRange<std::uint64_t>(0, 6);
  const double noise = *rc::gen::element(1e-3, 0.05, 0.3, 2.0);
  const double memory = *rc::gen::element(0.0, 0.0, 0.8);
  const double coverage = *rc::gen::element(0.06, 0.06, 0.0, 0.5);
  // Learning feeds back into choices, so that differences in the last digit grow, fastest if the
  // noise is larger than f.
  const std::uint64_t pulls = *rc::gen::element<std::uint64_t>(30, 300, noise < 1.0 ? 2'000 : 300);
  RC_LOG() << "seed " << seed << " space " << kind << " noise " << noise << " memory " << memory
           << " coverage " << coverage << " pulls " << pulls << '\n';
  const auto partition = std::make_shared<BoxPartition>(random_space(kind));
  Adaptive adaptive(partition, {.coverage = coverage, .drift = Drift::none}, testing::unit_range());
  TextbookAdaptive textbook(partition, coverage);
  RandomSystem system(seed, noise, memory);
  for (std::uint64_t done = 0; done < pulls;) {
    const TextbookAdaptive::Turn turn = textbook.choose();
    const Pull pull = adaptive.ask();
    const std::vector<double>& arm = textbook.arm(turn.node);
    RC_ASSERT(std::equal(arm.begin(), arm.end(), pull.arm.begin(), pull.arm.end()));
    RC_ASSERT(pull.length == turn.pulls);
    std::vector<double> rewards;
    for (std::uint64_t i = 0; i < turn.pulls; ++i) rewards.push_back(system.reward(arm));
    textbook.learn(rewards);
    for (const double reward : rewards) {
      RC_ASSERT(adaptive.tell(pull.ticket, reward) == Status::ok);
    }
    done += turn.pulls;
  }
  const AdaptiveModel& model = adaptive.model();
  RC_ASSERT(model.tree().size() == textbook.nodes().size());
  RC_ASSERT(std::abs(model.smoothness() - textbook.alpha()) < 1e-6);
  RC_ASSERT(std::abs(model.noise_variance() - textbook.sigma2()) < 1e-6 * textbook.sigma2());
}

RC_GTEST_PROP(AdaptiveTrace, EveryTurnWithLimitsIsThatOfTheTextbook, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto kind = *rc::gen::inRange<std::uint64_t>(0, 6);
  const double noise = *rc::gen::element(0.05, 0.3);
  const double metric_noise = *rc::gen::element(0.0, 0.05, 0.3);
  const double share = *rc::gen::element(0.05, 0.3, 0.6, 1.1, -0.2);  // that keeps a limit
  // If no arm keeps two of them, arms at either end may be equally far beyond, up to the last
  // digit.
  const auto metrics = *rc::gen::inRange<std::size_t>(1, share < 0.0 ? 2 : 3);
  const std::uint64_t pulls = *rc::gen::element<std::uint64_t>(30, 200, 500);
  RC_LOG() << "seed " << seed << " space " << kind << " noise " << noise << " and " << metric_noise
           << " metrics " << metrics << " share " << share << " pulls " << pulls << '\n';
  const Space space = random_space(kind);
  const auto partition = std::make_shared<BoxPartition>(space);
  std::vector<RandomSystem> numbers;
  std::vector<TextbookLimited::Ends> ends(metrics);
  Objective objective = testing::unit_range();
  RandomStream random({.seed = seed});
  for (std::size_t j = 0; j < metrics; ++j) {
    numbers.emplace_back(seed + 17 * (j + 1), metric_noise, 0.0);
    RandomSystem still(seed + 17 * (j + 1), 0.0, 0.0);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    std::vector<double> point(space.dimension());
    for (int i = 0; i < 50; ++i) {
      for (double& x : point) x = random.uniform();
      std::vector<double> arm(point.size());
      space.from_unit_cube(point, arm);
      const double value = still.reward(arm);
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const bool is_max = j == 0;
    const double end = is_max ? low + share * (high - low) : high - share * (high - low);
    (is_max ? ends[j].max : ends[j].min) = end;
    Limit limit{.metric = "m" + std::to_string(j), .factor = 1e100};
    (is_max ? limit.max : limit.min) = end;
    objective.limits.push_back(limit);
  }
  Adaptive adaptive(partition, {.drift = Drift::none}, objective);
  TextbookLimited textbook(partition, ends);
  RandomSystem system(seed, noise, 0.0);
  std::size_t node = 0;
  for (std::uint64_t done = 0; done < pulls; ++done) {
    if (!textbook.is_open()) node = textbook.choose();
    const Pull pull = adaptive.ask();
    const std::vector<double>& arm = textbook.arm(node);
    RC_ASSERT(std::equal(arm.begin(), arm.end(), pull.arm.begin(), pull.arm.end()));
    const double reward = system.reward(arm);
    Metrics measured;
    std::vector<double> values;
    for (std::size_t j = 0; j < metrics; ++j) {
      values.push_back(numbers[j].reward(arm));
      measured[objective.limits[j].metric] = values[j];
    }
    RC_ASSERT(adaptive.measure(pull.ticket, pull.arm, measured) == Status::ok);
    RC_ASSERT(adaptive.tell(pull.ticket, reward) == Status::ok);
    textbook.learn(reward, values);
  }
  RC_ASSERT(adaptive.model().tree().size() == textbook.nodes().size());
  for (std::size_t i = 0; i < textbook.nodes().size(); ++i) {
    const TextbookAdaptive::Node& leaf = textbook.nodes()[i];
    if (leaf.T == 0 || leaf.left != 0) continue;  // an enclosing cell may have the same arm
    const std::vector<LimitCheck> checks = adaptive.limit_checks(textbook.arm(i));
    RC_ASSERT(checks.size() == metrics);
    for (std::size_t j = 0; j < metrics; ++j) {
      const double z = textbook.z(j, i);
      RC_ASSERT(std::abs(checks[j].deviations - z) <= 1e-5 * (1.0 + std::abs(z)));
    }
  }
}

/// Changes of a system over time, which runs from 0 to 1.
struct Motion {
  double sine = 0.0;   // amplitude of a level that oscillates
  double steps = 0.0;  // size of a level that jumps twice
  bool swaps = false;  // f is replaced by another function half-way

  [[nodiscard]] double level(double time) const {
    return sine * std::sin(25.0 * time) + steps * std::floor(3.0 * time);
  }
};

RC_GTEST_PROP(AdaptiveTrace, EveryTurnInAWorldThatMovesIsThatOfTheTextbook, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto kind = *rc::gen::inRange<std::uint64_t>(0, 6);
  const double noise = *rc::gen::element(0.05, 0.3);
  const double memory = *rc::gen::element(0.0, 0.0, 0.5, 0.95);
  const Motion motion{.sine = *rc::gen::element(0.0, 0.0, 0.3, 1.0),
                      .steps = *rc::gen::element(0.0, 0.0, -0.5, 3.0),
                      .swaps = *rc::gen::arbitrary<bool>()};
  const std::uint64_t pulls = *rc::gen::element<std::uint64_t>(400, 1'000);
  RC_LOG() << "seed " << seed << " space " << kind << " noise " << noise << " memory " << memory
           << " level " << motion.sine << " and " << motion.steps << " swaps " << motion.swaps
           << " pulls " << pulls << '\n';
  const auto partition = std::make_shared<BoxPartition>(random_space(kind));
  Adaptive adaptive(partition, {.drift = Drift::automatic}, testing::unit_range());
  TextbookDrift textbook(partition);
  RandomSystem first(seed, noise, memory);
  RandomSystem second(seed + 1, noise, memory);
  std::size_t node = 0;
  for (std::uint64_t done = 0; done < pulls; ++done) {
    if (!textbook.is_open()) node = textbook.choose();
    const Pull pull = adaptive.ask(1);
    const std::vector<double>& arm = textbook.arm(node);
    RC_ASSERT(std::equal(arm.begin(), arm.end(), pull.arm.begin(), pull.arm.end()));
    const double time = static_cast<double>(done) / static_cast<double>(pulls);
    RandomSystem& system = motion.swaps && time >= 0.5 ? second : first;
    const double reward = system.reward(arm) + motion.level(time);
    RC_ASSERT(adaptive.tell(pull.ticket, reward) == Status::ok);
    textbook.learn(reward);
  }
  RC_TAG(textbook.c());
  RC_CLASSIFY(textbook.changes_of_level() != 0, "the level has changed");
  RC_CLASSIFY(textbook.changes_of_f() != 0, "f has changed");
}

/// The textbook's best node on the sum of garland over all axes, as text.
std::string best_of_textbook(std::size_t dimension) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < dimension; ++i) {
    parameters.push_back({"x" + std::to_string(i), Real{0.0, 1.0}});
  }
  TextbookAdaptive textbook(std::make_shared<BoxPartition>(Space(parameters)));
  RandomStream random({.seed = 3});
  while (textbook.t() < 2'000) {
    const TextbookAdaptive::Turn turn = textbook.choose();
    std::vector<double> rewards(turn.pulls);
    for (double& reward : rewards) {
      for (const double x : textbook.arm(turn.node)) reward += garland(x);
      reward += 0.2 * random.normal();
    }
    textbook.learn(rewards);
  }
  const std::size_t best = textbook.recommendation();
  return textbook.path(best) + ", pulls: " + std::to_string(std::lround(textbook.nodes()[best].T)) +
         ", nodes: " + std::to_string(textbook.nodes().size());
}

TEST(TextbookAdaptive, DecidesAsInEarlierVersions) {
  EXPECT_EQ(best_of_textbook(1), "011010110100, pulls: 653, nodes: 83");
  EXPECT_EQ(best_of_textbook(3), "111000000000000111, pulls: 55, nodes: 221");
}

TEST(AdaptiveModel, APassGivesThePosteriorOfDenseLinearAlgebra) {
  for (const double noise : {0.01, 0.3}) {
    Adaptive adaptive(Space{{"x", Real{0.0, 1.0}}, {"y", Real{0.0, 1.0}}});
    RandomSystem system(3, noise, 0.0);
    for (int i = 0; i < 300; ++i) {
      const Pull pull = adaptive.ask(1);
      ASSERT_EQ(adaptive.tell(pull.ticket, system.reward(pull.arm)), Status::ok);
    }
    AdaptiveModel model = adaptive.model();
    model.pass();
    AdaptiveModel passed = model;
    passed.pass();
    // A pass uses the edges and the noise of the previous one.
    std::vector<testing::GaussianTreeNode> nodes;
    for (NodeIndex i = 0; i < model.tree().size(); ++i) {
      const AdaptiveModel::Node& node = model.tree()[i];
      nodes.push_back({node.parent, node.edge, node.pulls / passed.tree()[i].noise, node.mean});
    }
    const testing::GaussianTreePosterior dense = testing::gaussian_tree_posterior(nodes);
    for (NodeIndex i = 0; i < model.tree().size(); ++i) {
      const AdaptiveModel::Node& node = passed.tree()[i];
      EXPECT_NEAR(node.level, dense.mean[i], 1e-9 * std::max(1.0, std::abs(dense.mean[i]))) << i;
      EXPECT_NEAR(node.variance, dense.variance[i], 1e-9 * dense.variance[i]) << i;
    }
  }
}

}  // namespace
}  // namespace canopy
