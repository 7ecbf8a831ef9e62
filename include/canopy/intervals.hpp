#pragma once

#include "canopy/options.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace canopy {

/// Confidence intervals for the mean of an arm, as pure functions. They hold simultaneously at all
/// times, however often they are looked at. docs/intervals.md has their sources and simulation
/// results.

/// An interval for a mean. It is unbounded if nothing is known.
struct Interval {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool bounded() const { return std::isfinite(lower) && std::isfinite(upper); }

  friend bool operator==(const Interval&, const Interval&) = default;
};

template <class Visit>
void visit_fields(Interval& interval, Visit&& visit) {
  visit(Field{"lower", "lower end; null: unbounded"}.or_null(), interval.lower);
  visit(Field{"upper", "upper end; null: unbounded"}.or_null(), interval.upper);
}

/// alpha_k = (1 - level) ln 2 (1 / ln(k + 1) - 1 / ln(k + 2)): the probability with which the
/// interval of the k-th arm may fail. Over all k these sum to 1 - level.
[[nodiscard]] inline double arm_alpha(double level, double k) {
  const double here = std::log(k + 1.0);
  const double next = std::log(k + 2.0);
  return (1.0 - level) * std::numbers::ln2 * std::log1p(1.0 / (k + 1.0)) / (here * next);
}

/// Half-width of a confidence sequence for the mean of T normal rewards with unknown variance, in
/// units of sqrt(SS / T), with SS their squared deviations from their mean:
///
///     sqrt((A - 1) / (1 - A / g))     g = 1 + T / 2     A = (sqrt(g) / alpha)^(2 / T)
///
/// where A < g, otherwise infinite. It is the set of means that a Bayes factor does not reject: the
/// effect mu / sigma is normal with variance 1/2, and sigma has its right Haar prior, so that the
/// Bayes factor is a test martingale for every sigma (Perez-Ortiz, Lardy, de Heide, Grunwald,
/// "E-statistics, group invariance and anytime valid testing", 2022; Wang, Ramdas, "Anytime-valid
/// t-tests and confidence sequences for Gaussian means with unknown variance", 2023).
[[nodiscard]] inline double t_sequence_width(double pulls, double alpha) {
  const double log_g = std::log1p(0.5 * pulls);
  const double log_a = (log_g - 2.0 * std::log(alpha)) / pulls;
  if (!(log_a < log_g)) return std::numeric_limits<double>::infinity();
  return std::sqrt(std::expm1(log_a) / -std::expm1(log_a - log_g));
}

/// Half-width of a confidence sequence for the mean of T normal rewards with known variance, in
/// units of their standard deviation (Robbins, 1970; asymptotically for other distributions:
/// Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, "Time-uniform central limit theory and asymptotic
/// confidence sequences", 2021):
///
///     sqrt(2 (T r + 1) / (T^2 r) ln(sqrt(T r + 1) / alpha))
///     r = (-2 ln alpha + ln(1 - 2 ln alpha)) / 50
///
/// It is tightest near T = 50.
[[nodiscard]] inline double sequence_width(double pulls, double alpha) {
  const double log_alpha = std::log(alpha);
  const double r = (-2.0 * log_alpha + std::log(1.0 - 2.0 * log_alpha)) / 50.0;
  const double spread = pulls * r + 1.0;
  return std::sqrt(2.0 * spread / (pulls * pulls * r) * (0.5 * std::log(spread) - log_alpha));
}

/// For rewards that are 0 or 1: all p that the beta-binomial mixture with Beta(1/2, 1/2) does not
/// reject (Robbins, "Statistical methods related to the law of the iterated logarithm", 1970):
///
///     p^S (1 - p)^(T - S) > alpha B(S + 1/2, T - S + 1/2) / B(1/2, 1/2)     S successes in T
[[nodiscard]] Interval success_interval(double successes, double pulls, double alpha);

/// Whether `p` is in `success_interval`.
[[nodiscard]] bool is_possible_rate(double p, double successes, double pulls, double alpha);

/// For rewards that never leave [0, 1], with any distribution: the intersection of two sequences at
/// alpha / 2 each. One is `success_interval`, which holds for all such rewards, since their moment
/// generating functions are at most those of zeros and ones. The other is an empirical Bernstein
/// sequence (Howard, Ramdas, McAuliffe, Sekhon, "Time-uniform, nonparametric, nonasymptotic
/// confidence sequences", 2021), a union over sixteen rates l_j = 0.9 / 2^j:
///
///     mean -+ min_j (ln(4 / (alpha w_j+1)) + V psi(l_j)) / (l_j T)     psi(l) = -ln(1 - l) - l
///
/// with w as in `arm_alpha`, and V the sum of the squared differences between each reward and a
/// prediction that was made before it.
[[nodiscard]] Interval bounded_interval(double mean, double pulls, double prediction_errors,
                                        double alpha);

}  // namespace canopy
