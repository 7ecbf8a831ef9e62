#pragma once

#include "canopy/errors.hpp"
#include "canopy/optimizer.hpp"

#include <bit>
#include <cstdint>
#include <vector>

namespace canopy {

/// Everything that is wrong with the objective.
[[nodiscard]] std::vector<Violation> violations(const Objective& objective);

/// Rewards between the user's units and the algorithm's.
class RewardMap {
 public:
  /// Beyond this, squares and sums could overflow.
  static constexpr double kLargest = 1e100;

  explicit RewardMap(const Objective& objective)
      : minimizes_(objective.direction == Direction::minimize),
        origin_(objective.reward_range[minimizes_ ? 1 : 0]),
        span_(objective.reward_range[minimizes_ ? 0 : 1] - origin_),
        unit_span_(span_ == 1.0) {
    if (origin_ == 0.0) origin_ = -0.0;  // x - -0 is never -0
  }

  /// Never -0.
  [[nodiscard]] double to_mapped(double reward) const {
    const double above = reward - origin_;
    return unit_span_ ? above : above / span_ + 0.0;
  }

  [[nodiscard]] double to_user(double mapped) const { return origin_ + mapped * span_; }

  /// Several rewards, mapped.
  [[nodiscard]] Rewards to_mapped(const Rewards& rewards) const;

  // The two checks below see a double as a whole number: the order of positive doubles is the
  // order of their bits, with infinities and NaN on top. Doubling the number drops the sign.

  /// False for NaN, infinities and anything too large to add up.
  [[nodiscard]] static bool usable(double mapped) {
    return bits_of(mapped) * 2 <= bits_of(kLargest) * 2;
  }

  /// Whether a mapped reward lies outside [0, 1]: a negative number has the highest bit set.
  /// Without a branch, which noise would make unpredictable.
  [[nodiscard]] static bool out_of_range(double mapped) { return bits_of(mapped) > bits_of(1.0); }

  [[nodiscard]] bool minimizes() const { return minimizes_; }

 private:
  static std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

  bool minimizes_;
  double origin_;  // the reward that is mapped to 0: a, or b when minimizing
  double span_;    // from there to the reward that is mapped to 1: below 0 when minimizing
  bool unit_span_;
};

/// Refuses what is not a number, too large, or contradicts itself.
[[nodiscard]] Status check(const Rewards& rewards, const RewardMap& map);

}  // namespace canopy
