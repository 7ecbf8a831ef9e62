#pragma once

#include "canopy/errors.hpp"
#include "canopy/optimizer.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

/// Everything that is wrong with the objective.
[[nodiscard]] std::vector<Violation> violations(const Objective& objective);
[[nodiscard]] std::vector<Violation> range_violations(const RewardRange& range);

/// Rewards between the user's units and those of the algorithms: larger is better, and they are
/// counted from an origin, so that a large level does not cost digits. The size stays; what is
/// large and what is small the scale says.
class RewardMap {
 public:
  /// Beyond this, squares and sums could overflow.
  static constexpr double kLargest = 1e100;

  explicit RewardMap(const Objective& objective);

  /// Without a range the first reward is the origin.
  [[nodiscard]] bool needs_origin() const { return !has_origin_; }
  void set_origin(double reward);

  /// Never -0.
  [[nodiscard]] double to_mapped(double reward) const { return sign_ * reward - level_; }

  [[nodiscard]] double to_user(double mapped) const {
    return minimizes_ ? origin_ - mapped : origin_ + mapped;
  }

  [[nodiscard]] double to_user_difference(double mapped) const {
    return minimizes_ ? -mapped : mapped;
  }

  /// Several rewards, mapped, and back.
  [[nodiscard]] Rewards to_mapped(const Rewards& rewards) const;
  [[nodiscard]] Rewards to_user(const Rewards& mapped) const;

  /// False for NaN, infinities and anything too large to add up. Sees a double as a whole number:
  /// the order of positive doubles is that of their bits, with infinities and NaN on top. Doubling
  /// the number drops the sign.
  [[nodiscard]] static bool usable(double mapped) {
    return bits_of(mapped) * 2 <= bits_of(kLargest) * 2;
  }

  [[nodiscard]] bool minimizes() const { return minimizes_; }

  void transfer(State& state);

 private:
  static std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

  bool minimizes_;
  bool has_origin_ = false;
  double origin_ = 0.0;  // the reward that is mapped to 0
  double sign_;          // -1 when minimizing
  double level_ = -0.0;  // sign_ origin_, but never 0: x - -0 is never -0
};

/// Refuses what is not a number, too large, or contradicts itself.
[[nodiscard]] Status check(const Rewards& rewards, const RewardMap& map);

}  // namespace canopy
