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

/// g: what the context adds to the rewards of all arms alike. It is the sum of one table per
/// variable, with a number for each bin. Taking it off rewards changes no decision in a given
/// context; it only takes noise away.
class LevelEffect {
 public:
  LevelEffect() = default;
  explicit LevelEffect(const ContextSpace& contexts);

  /// Of a context in these bins.
  [[nodiscard]] double at(ContextBins bins) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < tables_.size(); ++k) sum += tables_[k][ContextSpace::bin(bins, k)];
    return sum;
  }

  /// One number per bin of a variable.
  [[nodiscard]] std::span<const double> table(std::size_t variable) const {
    return tables_[variable];
  }

  /// Rewards less the effect, all together.
  [[nodiscard]] Rewards without(const ContextRewards& rewards) const;

  /// What a tree knows: its model, and the rewards it was given.
  struct Known {
    const AdaptiveModel* model;
    const RewardsByContext* rewards;
  };

  /// Fits the tables to everything that is known. Returns whether they have changed.
  bool fit(std::span<const Known> trees);

  void transfer(State& state);

 private:
  std::vector<std::vector<double>> tables_;
};

}  // namespace canopy
