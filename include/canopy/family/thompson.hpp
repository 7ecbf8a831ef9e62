#pragma once

#include "canopy/family/detail/grid_bandit.hpp"
#include "canopy/options.hpp"
#include "canopy/random.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace canopy {

struct ThompsonOptions {
  /// As in GridOptions.
  std::optional<std::uint64_t> points = std::nullopt;

  /// > 0: the standard deviation of a reward that posteriors assume, as a share of R; 1 is the
  /// paper's and enough for any rewards in [0, 1]. Raising it explores more.
  double confidence_scale = 0.25;

  /// Of the draws.
  std::uint64_t seed = 1;
};

template <class Visit>
void visit_fields(ThompsonOptions& options, Visit&& visit) {
  visit(kPointsField, options.points);
  visit(Field{"confidence_scale", "multiplies the deviations of the posteriors", kPositive},
        options.confidence_scale);
  visit(Field{"seed", "of the algorithm's own random choices", kAnyWhole}, options.seed);
}

/// Thompson sampling on a fixed grid of arms with Gaussian posteriors (Agrawal, Goyal, "Further
/// Optimal Regret Bounds for Thompson Sampling", AISTATS 2013). A step draws one number for each
/// arm, in the order of the grid, from
///
///     N(mean, (R confidence_scale)^2 / pulls)
///
/// and plays the arm whose number is the largest, of equal ones the first. R is the scale as in
/// HCT. Each arm is played once before that.
///
/// The paper has the prior N(0, 1) for rewards in [0, 1], so one more pull with the reward 0 in the
/// mean and in the variance. There is none here: with a smaller confidence_scale it would say that
/// arms without pulls are as bad as can be, and none would be tried once one is good. The paper's
/// Beta posterior is for rewards of 0 and 1 alone; the Gaussian one takes those like any others. A
/// step draws a normal number for every arm.
class Thompson final : public GridBandit {
 public:
  /// Throws ConfigurationError.
  explicit Thompson(const Space& space, const ThompsonOptions& options = {},
                    const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  void transfer(State& state) override;
  [[nodiscard]] Choice choose() override;

  double confidence_scale_;
  RandomStream random_;
};

}  // namespace canopy
