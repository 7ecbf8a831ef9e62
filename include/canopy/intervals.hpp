#pragma once

#include "canopy/options.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace canopy {

/// Intervals for the mean of an arm that hold at all times at once, however often one looks, as
/// pure functions. docs/algorithm.md has their sources and what was found by simulation.

/// What is known of a mean. Without ends, nothing is.
struct Interval {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool bounded() const { return std::isfinite(lower) && std::isfinite(upper); }

  friend bool operator==(const Interval&, const Interval&) = default;
};

template <class Visit>
void visit_fields(Interval& interval, Visit&& visit) {
  visit(Field{"lower", "where it begins; null: nowhere"}.or_null(), interval.lower);
  visit(Field{"upper", "where it ends; null: nowhere"}.or_null(), interval.upper);
}

/// alpha_k = 6 (1 - level) / (pi^2 k^2): the probability with which the interval of the k-th arm
/// may fail. Over all k these sum to 1 - level.
[[nodiscard]] inline double arm_alpha(double level, double k) {
  return 6.0 * (1.0 - level) / (std::numbers::pi * std::numbers::pi * k * k);
}

/// Half of the width of an asymptotic confidence sequence for the mean of T rewards, in units of
/// their standard deviation (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, "Time-uniform central
/// limit theory and asymptotic confidence sequences", 2021):
///
///     sqrt(2 (T r + 1) / (T^2 r) ln(sqrt(T r + 1) / alpha))     r = (-2 ln alpha + ln(1 - 2 ln
///     alpha)) / 50
///
/// It is tightest near T = 50.
[[nodiscard]] inline double sequence_width(double pulls, double alpha) {
  const double log_alpha = std::log(alpha);
  const double r = (-2.0 * log_alpha + std::log(1.0 - 2.0 * log_alpha)) / 50.0;
  const double spread = pulls * r + 1.0;
  return std::sqrt(2.0 * spread / (pulls * pulls * r) * (0.5 * std::log(spread) - log_alpha));
}

/// For rewards that are 0 or 1: all p that the beta-binomial mixture with Beta(1/2, 1/2) does not
/// rule out (Robbins, "Statistical methods related to the law of the iterated logarithm", 1970):
///
///     p^S (1 - p)^(T - S) > alpha B(S + 1/2, T - S + 1/2) / B(1/2, 1/2)     S successes in T
[[nodiscard]] Interval success_interval(double successes, double pulls, double alpha);

/// Whether `p` is one of them.
[[nodiscard]] bool is_possible_rate(double p, double successes, double pulls, double alpha);

}  // namespace canopy
