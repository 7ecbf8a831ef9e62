#pragma once

#include "canopy/errors.hpp"
#include "canopy/optimizer.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

/// All violations of the objective's constraints.
[[nodiscard]] std::vector<Violation> violations(const Objective& objective);
[[nodiscard]] std::vector<Violation> range_violations(const RewardRange& range);

/// Converts rewards between the user's units and those of the algorithms, in which larger is better
/// and an origin is subtracted, so that a large level does not cost precision. Rewards are not
/// rescaled; `scale` gives the size of differences.
class RewardMap {
 public:
  /// Beyond this, squares and sums could overflow.
  static constexpr double kLargest = 1e100;

  explicit RewardMap(const Objective& objective);

  /// Without a range the first reward is the origin.
  [[nodiscard]] bool needs_origin() const { return !has_origin_; }
  void set_origin(double reward);

  /// Never returns -0.
  [[nodiscard]] double to_mapped(double reward) const { return sign_ * reward - level_; }

  [[nodiscard]] double to_user(double mapped) const {
    return minimizes_ ? origin_ - mapped : origin_ + mapped;
  }

  [[nodiscard]] double to_user_difference(double mapped) const {
    return minimizes_ ? -mapped : mapped;
  }

  /// Maps several rewards, and back.
  [[nodiscard]] Rewards to_mapped(const Rewards& rewards) const;
  [[nodiscard]] Rewards to_user(const Rewards& mapped) const;

  /// False for NaN, infinities and values too large to sum. Compares doubles as integers: positive
  /// doubles are ordered like their bit patterns, with infinities and NaN on top. Doubling the
  /// integer drops the sign bit.
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

/// The status for rewards that are not numbers, too large, or inconsistent.
[[nodiscard]] Status check(const Rewards& rewards, const RewardMap& map);

}  // namespace canopy
