// Compares the adaptive tree with contexts to a slow implementation of the formulas: both must
// choose the same arm at every pull.

#include "canopy/contextual.hpp"
#include "canopy/random.hpp"

#include "support/every_optimizer.hpp"
#include "support/objectives.hpp"
#include "support/textbook_contextual.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::TextbookContextual;

Space some_space(std::uint64_t kind) {
  switch (kind) {
    case 0:
      return {{"x", Real{0.0, 1.0}}};
    case 1:
      return {{"x", Real{-5.0, 5.0}}, {"y", Real{0.1, 10.0, Scale::log}}};
    case 2:
      return {{"n", Integer{0, 12}}};
    default:
      return testing::mixed_space();
  }
}

ContextSpace some_contexts(std::uint64_t kind) {
  const ContextVariable load{"load", Real{0.0, 1.0}};
  const ContextVariable hour{"hour", Real{0.0, 24.0}, 24.0};
  const ContextVariable tenant{"tenant", Choice{{"a", "b", "c", "d", "e"}}};
  const ContextVariable queue{"queue", Integer{0, 30}};
  const ContextVariable size{"size", Real{1.0, 1024.0, Scale::log}};
  switch (kind) {
    case 0:
      return ContextSpace({load});
    case 1:
      return ContextSpace({hour});
    case 2:
      return ContextSpace({tenant});
    case 3:
      return ContextSpace({queue, load});
    default:
      return ContextSpace({size, tenant, hour});
  }
}

/// The best arm and the level of rewards may depend on the context.
class RandomSystem {
 public:
  RandomSystem(std::uint64_t seed, double noise) : random_({.seed = seed}), noise_(noise) {
    for (double& number : numbers_) number = random_.uniform();
  }

  std::vector<double> context(const ContextSpace& contexts) {
    std::vector<double> context;
    for (const ContextVariable& variable : contexts.variables()) {
      context.push_back(variable.domain.at(0.999 * random_.uniform()));
    }
    return context;
  }

  double reward(const ContextSpace& contexts, Context context, Arm arm) {
    double where = 0.0;
    for (std::size_t k = 0; k < context.size(); ++k) {
      where += contexts[k].domain.share(context[k]) * (k == 0 ? 1.0 : 0.3);
    }
    double value = 1.5 * numbers_[0] * std::sin(6.0 * where);
    for (const double x : arm) {
      value += std::sin((1.0 + 3.0 * numbers_[1]) * x + 6.0 * numbers_[2] +
                        (numbers_[3] < 0.3 ? 0.0 : 4.0 * numbers_[3] * where));
    }
    return value + noise_ * random_.normal();
  }

 private:
  RandomStream random_;
  double noise_;
  std::array<double, 4> numbers_{};
};

RC_GTEST_PROP(ContextualTrace, EveryPullIsThatOfTheTextbook, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto kind = *rc::gen::inRange<std::uint64_t>(0, 4);
  const auto contexts_kind = *rc::gen::inRange<std::uint64_t>(0, 5);
  const double noise = *rc::gen::element(0.02, 0.1, 0.3);
  const int pulls = *rc::gen::element(40, 100, 250);
  RC_LOG() << "seed " << seed << " space " << kind << " contexts " << contexts_kind << " noise "
           << noise << " pulls " << pulls << '\n';
  const auto partition = std::make_shared<BoxPartition>(some_space(kind));
  const ContextSpace contexts = some_contexts(contexts_kind);
  Contextual fast(partition, contexts, {}, testing::unit_range());
  TextbookContextual textbook(partition, contexts);
  RandomSystem system(seed, noise);
  for (int i = 0; i < pulls; ++i) {
    const std::vector<double> context = system.context(contexts);
    const Pull pull = fast.ask_in(context);
    const std::vector<double>& arm = textbook.ask(context);
    RC_LOG() << i << '\n';
    RC_ASSERT(std::equal(arm.begin(), arm.end(), pull.arm.begin(), pull.arm.end()));
    const double reward = system.reward(contexts, context, arm);
    RC_ASSERT(fast.tell(pull.ticket, reward) == Status::ok);
    textbook.tell(reward);
  }
  RC_ASSERT(fast.regions() == textbook.regions());
  const std::vector<double> somewhere = system.context(contexts);
  const double effect = fast.level_effect(somewhere);
  RC_ASSERT(std::abs(effect - textbook.effect(somewhere)) <= 1e-6 * (1.0 + std::abs(effect)));
  RC_CLASSIFY(fast.regions() > 1);
  RC_CLASSIFY(effect != 0.0, "with a level effect");
}

}  // namespace
}  // namespace canopy
