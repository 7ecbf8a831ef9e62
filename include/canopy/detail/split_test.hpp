#pragma once

#include "canopy/context.hpp"
#include "canopy/detail/adaptive_model.hpp"
#include "canopy/detail/level_effect.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace canopy {

/// A split of contexts by one variable: some of its bins against the others.
struct ContextSplit {
  std::size_t variable = 0;
  BinSet right = 0;

  [[nodiscard]] bool is_right(ContextBins bins) const {
    return ((right >> ContextSpace::bin(bins, variable)) & 1U) != 0;
  }
};

/// Tests whether two trees, one for the contexts on either side of a split, would have predicted
/// the rewards of a region better than one tree for both, in which the sides may differ by a
/// constant for all arms. Only an *interaction* passes: arms that are better on one side and worse
/// on the other.
class SplitTest {
 public:
  /// A side with fewer rewards is not tested.
  static constexpr double kFewestRewards = 8.0;

  /// The model, the rewards it was given and the effect subtracted from them must outlive the test.
  SplitTest(const AdaptiveModel& model, const RewardsByContext& rewards, const LevelEffect& effect);

  /// The evidence for two trees, in nats; none if a side has too few rewards.
  [[nodiscard]] std::optional<double> gain(const ContextSplit& split) const;

 private:
  /// Rewards of a node, less the effect.
  struct Seen {
    double count = 0.0;
    double mean = 0.0;
  };

  [[nodiscard]] double evidence_of(const std::vector<Seen>& seen) const;
  [[nodiscard]] double evidence_together(const std::vector<Seen>& left,
                                         const std::vector<Seen>& right, double apart) const;

  const AdaptiveModel& model_;
  const LevelEffect& effect_;
  std::vector<const ContextRewards*> rewards_;  // by node; null: none
  std::vector<double> noise_;                   // variance of a reward, by node
  double unit_ = 1.0;                           // scale of differences in level
};

}  // namespace canopy
