#pragma once

#include "canopy/context.hpp"
#include "canopy/detail/adaptive_model.hpp"
#include "canopy/rewards.hpp"
#include "canopy/state.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace canopy {

/// Rewards of one arm, in mapped units, by the bins of their contexts.
using ContextRewards = std::map<ContextBins, Rewards>;

/// All rewards of a region of contexts, by their arms.
using RewardsByContext = std::map<std::vector<double>, ContextRewards>;

/// g: the effect of the context on the rewards of all arms alike, as the sum of one table per
/// variable with a number for each bin. Subtracting it from rewards does not change which arm is
/// best in a given context; it only removes noise.
class LevelEffect {
 public:
  LevelEffect() = default;
  explicit LevelEffect(const ContextSpace& contexts);

  /// The effect of a context in these bins.
  [[nodiscard]] double at(ContextBins bins) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < tables_.size(); ++k) sum += tables_[k][ContextSpace::bin(bins, k)];
    return sum;
  }

  /// One number per bin of a variable.
  [[nodiscard]] std::span<const double> table(std::size_t variable) const {
    return tables_[variable];
  }

  /// All rewards less the effect, pooled.
  [[nodiscard]] Rewards without(const ContextRewards& rewards) const;

  /// A tree's model and the rewards it was given.
  struct TreeData {
    const AdaptiveModel* model;
    const RewardsByContext* rewards;
  };

  /// Fits the tables to all trees. Returns whether they have changed.
  bool fit(std::span<const TreeData> trees);

  void transfer(State& state);

 private:
  std::vector<std::vector<double>> tables_;
};

}  // namespace canopy
