#include "canopy/intervals.hpp"

#include <algorithm>

namespace canopy {
namespace {

double log_beta(double a, double b) {
  // lgamma_r, since std::lgamma writes to a global variable.
  int sign = 0;
  return lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign);
}

/// successes ln p + failures ln(1 - p), where 0 ln 0 = 0.
double log_likelihood(double p, double successes, double failures) {
  return (successes > 0.0 ? successes * std::log(p) : 0.0) +
         (failures > 0.0 ? failures * std::log1p(-p) : 0.0);
}

/// The least log-likelihood of a rate that is not rejected.
double least_log_likelihood(double successes, double failures, double alpha) {
  return std::log(alpha) + log_beta(successes + 0.5, failures + 0.5) - std::log(std::numbers::pi);
}

}  // namespace

bool is_possible_rate(double p, double successes, double pulls, double alpha) {
  const double failures = pulls - successes;
  return p >= 0.0 && p <= 1.0 &&
         log_likelihood(p, successes, failures) > least_log_likelihood(successes, failures, alpha);
}

Interval success_interval(double successes, double pulls, double alpha) {
  const double failures = pulls - successes;
  const double least = least_log_likelihood(successes, failures, alpha);
  // The likelihood is unimodal, with its maximum at the observed rate.
  const auto end_towards = [&](double end) {
    double inside = successes / pulls;
    double outside = end;
    if (log_likelihood(end, successes, failures) > least) return end;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (inside + outside);
      (log_likelihood(middle, successes, failures) > least ? inside : outside) = middle;
    }
    return outside;
  };
  return {end_towards(0.0), end_towards(1.0)};
}

Interval bounded_interval(double mean, double pulls, double prediction_errors, double alpha) {
  constexpr int kRates = 16;
  double furthest = std::numeric_limits<double>::infinity();  // largest deviation of the sum
  double rate = 0.9;
  for (int j = 1; j <= kRates; ++j, rate *= 0.5) {
    const double log_weight = std::log(arm_alpha(0.0, j));
    const double psi = -std::log1p(-rate) - rate;
    const double off = std::log(4.0 / alpha) - log_weight + psi * prediction_errors;
    furthest = std::min(furthest, off / rate);
  }
  const double successes = std::clamp(mean * pulls, 0.0, pulls);
  const Interval by_rate = success_interval(successes, pulls, 0.5 * alpha);
  return {std::max(by_rate.lower, mean - furthest / pulls),
          std::min(by_rate.upper, mean + furthest / pulls)};
}

}  // namespace canopy
