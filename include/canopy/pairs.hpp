#pragma once

#include "canopy/intervals.hpp"
#include "canopy/state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <vector>

namespace canopy {

/// The evidence of pairs: two consecutive measurements, one of an arm and one of a baseline, in
/// random order. Let D be their difference and delta the true difference. Given all earlier pairs
/// and the size of D - delta, its sign is a fair coin, whatever the noise and the level of rewards
/// do. Therefore each of
///
///     E+(delta) = 1/6 sum_c prod_i (1 + tanh(c z_i))     c = 1/16, 1/8, 1/4, 1/2, 1, 2
///     E-(delta) = 1/6 sum_c prod_i (1 - tanh(c z_i))
///
///     z_i = (D_i - delta) / s_i     s_i^2 = (1/i) sum_{j <= i} (D_j - delta)^2
///
/// is a martingale that starts at 1, and reaches 1/alpha with a probability of at most alpha, over
/// all looks together (Ville). No parameter is estimated. A single difference at most doubles the
/// evidence.
class Pairs {
 public:
  /// Adds the next difference: the arm's measurement less the baseline's.
  void add(double difference);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean() const;
  [[nodiscard]] double largest() const { return largest_; }  ///< the largest |D|

  /// ln of the evidence that the true difference is above 0; `below`: that it is below 0.
  [[nodiscard]] double above() const { return at_zero_.evidence(Side::above); }
  [[nodiscard]] double below() const { return at_zero_.evidence(Side::below); }

  /// Whether the true difference is above 0, with an error probability of alpha for both sides
  /// together; none while that is undecided.
  [[nodiscard]] std::optional<bool> is_above(double alpha) const;

  /// The true differences that are not rejected; unbounded while there are too few pairs. If the
  /// difference changes with time, the interval is for its mean over the pairs. Takes about 50
  /// passes over the pairs.
  [[nodiscard]] Interval interval(double alpha) const;

  /// The number of pairs with equal differences that suffices for a decision.
  [[nodiscard]] static std::uint64_t fewest(double alpha);

  void transfer(State& state);

 private:
  enum class Side { above, below };

  static constexpr std::size_t kBets = 6;

  /// The evidence against one delta.
  struct Bets {
    std::array<double, kBets> above{};  ///< ln of the products, by c
    std::array<double, kBets> below{};
    double squares = 0.0;
    double count = 0.0;

    void add(double difference);
    [[nodiscard]] double evidence(Side side) const;
  };

  [[nodiscard]] double evidence_at(double delta, Side side) const;

  std::vector<double> entries_;  // differences; later, means of 2, 4, ... differences
  std::uint64_t count_ = 0;
  double sum_ = 0.0;
  double largest_ = 0.0;
  double part_sum_ = 0.0;  // sum of the incomplete entry
  std::uint64_t part_count_ = 0;
  Bets at_zero_;
};

/// 6 (1 - level) / (pi k)^2: the probability with which the claim about the k-th compared arm may
/// fail. Over all k these sum to 1 - level.
[[nodiscard]] inline double challenger_alpha(double level, double k) {
  return 6.0 * (1.0 - level) / (std::numbers::pi * std::numbers::pi * k * k);
}

}  // namespace canopy
