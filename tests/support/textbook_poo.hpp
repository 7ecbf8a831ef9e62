#pragma once

#include "canopy/optimizers.hpp"
#include "canopy/partition.hpp"
#include "canopy/random.hpp"

#include "support/textbook_hoo.hpp"
#include "support/textbook_scale.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace canopy::testing {

/// The function that POO and GPO are run on: noisy, with a limited number of evaluations.
struct Budget {
  std::function<double(Arm)> function;
  std::size_t left = 0;
  std::vector<std::vector<double>> played = {};

  double evaluate(Arm arm) {
    --left;
    played.emplace_back(arm.begin(), arm.end());
    return function(arm);
  }
};

/// The objective of the instances: mapped rewards.
inline Objective objective_inside(const Objective& objective) {
  Objective inside;
  if (const auto& range = objective.reward_range)
    inside.reward_range = {0.0, (*range)[1] - (*range)[0]};
  return inside;
}

/// One HOO of POO: a textbook HOO with its own random stream and the scale of its rewards.
class TextbookInstance {
 public:
  TextbookInstance(std::shared_ptr<const Partition> partition, const Objective& objective,
                   double nu1, double rho, double confidence_scale, std::uint64_t seed)
      : scale_(objective_inside(objective)),
        hoo_(std::move(partition), scale_, nu1, rho, confidence_scale),
        coin_({.seed = seed, .algorithm = "hoo"}) {}

  void evaluate(Budget& budget, TextbookScale& outside) {
    ++t_;
    if (std::has_single_bit(t_) || scale_.is_due()) scale_.update(std::has_single_bit(t_));
    const auto path = hoo_.select(coin_);
    const double reward = budget.evaluate(hoo_.arm(*path.back()));
    outside.see(reward);
    const double mapped = outside.to_mapped(reward);
    scale_.see(mapped);
    hoo_.learn(path, scale_.to_mapped(mapped));
  }

 private:
  TextbookScale scale_;
  TextbookHoo hoo_;
  RandomStream coin_;
  std::uint64_t t_ = 0;
};

/// POO as in its paper, over textbook HOOs, until the budget is used up.
inline void textbook_poo(const std::shared_ptr<const Partition>& partition,
                         const Objective& objective, double nu_max, double rho_max,
                         double confidence_scale, std::uint64_t seed, Budget& budget) {
  TextbookScale outside(objective);
  std::vector<std::unique_ptr<TextbookInstance>> instances;
  const auto start = [&](double rho) {
    instances.push_back(std::make_unique<TextbookInstance>(
        partition, objective, nu_max, rho, confidence_scale, seed + instances.size()));
  };
  const double d_max = std::log(2.0) / std::log(1.0 / rho_max);
  std::size_t n = 0;
  std::size_t count = 1;
  start(rho_max);
  while (budget.left > 0) {
    while (n >= 2 &&
           static_cast<double>(count) <=
               0.5 * d_max * std::log(static_cast<double>(n) / std::log(static_cast<double>(n)))) {
      for (std::size_t i = 1; i <= count; ++i) {
        start(std::pow(rho_max,
                       2.0 * static_cast<double>(count) / (2.0 * static_cast<double>(i) + 1.0)));
        for (std::size_t pull = 0; pull < n / count; ++pull) {
          if (budget.left == 0) return;
          instances.back()->evaluate(budget, outside);
        }
      }
      n *= 2;
      count *= 2;
    }
    for (const auto& instance : instances) {
      if (budget.left == 0) return;
      instance->evaluate(budget, outside);
    }
    n += count;
  }
}

/// GPO as in its paper, over optimizers of the catalogue. Returns the winning arm.
inline std::vector<double> textbook_gpo(const std::string& base, OptionValues others, double nu_max,
                                        double rho_max, std::size_t horizon, const Space& space,
                                        SplitRule partition, const Objective& objective,
                                        Budget& budget) {
  TextbookScale outside(objective);
  const auto evaluate = [&](Arm arm) {
    const double reward = budget.evaluate(arm);
    outside.see(reward);
    return outside.to_mapped(reward);
  };
  const double d_max = std::log(2.0) / std::log(1.0 / rho_max);
  const double half = static_cast<double>(horizon) / 2.0;
  const double count = std::ceil(0.5 * d_max * std::log(half / std::log(half)));
  const auto share = static_cast<std::size_t>(static_cast<double>(horizon) / (2.0 * count));

  std::vector<std::vector<double>> found;
  for (double i = 1.0; i <= count; i += 1.0) {
    others.set("nu1", nu_max);
    others.set("rho", std::pow(rho_max, 2.0 * count / (2.0 * i + 1.0)));
    const auto instance =
        make_optimizer({base, others}, space, partition, objective_inside(objective));
    for (std::size_t pull = 0; pull < share; ++pull) {
      const Pull next = instance->ask();
      (void)instance->tell(next.ticket, evaluate(next.arm));
    }
    const Best best = instance->best().value();
    found.push_back(best.own.empty() ? best.arm : best.own);
  }

  std::vector<double> winner;
  double largest = -std::numeric_limits<double>::infinity();
  for (const std::vector<double>& arm : found) {
    double sum = 0.0;
    for (std::size_t pull = 0; pull < share; ++pull) sum += evaluate(arm);
    if (sum / static_cast<double>(share) <= largest) continue;
    largest = sum / static_cast<double>(share);
    winner = arm;
  }
  while (budget.left > 0) (void)evaluate(winner);
  return winner;
}

}  // namespace canopy::testing
