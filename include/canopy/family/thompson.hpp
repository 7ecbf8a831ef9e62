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

  /// > 0: the standard deviation of a reward assumed by posteriors, in units of R; 1 is the paper's
  /// value and sufficient for any rewards in [0, 1]. Raising it explores more.
  double confidence_scale = 0.25;

  /// Seed of the draws.
  std::uint64_t seed = 1;
};

template <class Visit>
void visit_fields(ThompsonOptions& options, Visit&& visit) {
  visit(kPointsField, options.points);
  visit(
      Field{"confidence_scale", "multiplies the standard deviations of the posteriors", kPositive},
      options.confidence_scale);
  visit(Field{"seed", "seed of the algorithm's random choices", kAnyWhole}, options.seed);
}

/// Thompson sampling on a fixed grid of arms with Gaussian posteriors (Agrawal, Goyal, "Further
/// Optimal Regret Bounds for Thompson Sampling", AISTATS 2013). A step draws one number for each
/// arm, in the order of the grid, from
///
///     N(mean, (R confidence_scale)^2 / pulls)
///
/// and plays the arm with the largest number; ties go to the first arm. R is the scale as in HCT.
/// Each arm is first played once.
///
/// The paper uses the prior N(0, 1) for rewards in [0, 1], which acts as one more pull with reward
/// 0. There is no prior here: with a smaller confidence_scale it would make arms without pulls look
/// as bad as possible, and none of them would be tried after the first good arm. The paper's Beta
/// posterior applies only to rewards of 0 and 1; the Gaussian one handles these like any others.
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
