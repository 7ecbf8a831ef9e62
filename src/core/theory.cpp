#include "canopy/theory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace canopy {
namespace {

// ln(n nu1^2 / (2 (c rho)^2)), shared by the two bounds of Lemma 1.
double log_depth_ratio(const TheoryParameters& p, double steps) {
  const double c_rho = p.confidence.c * p.rho;
  return std::log(steps * p.nu1 * p.nu1 / (2.0 * c_rho * c_rho));
}

// L of the first phase, which is the smallest L of all phases.
double first_log_confidence(const TheoryParameters& p) {
  return log_confidence(p.confidence.c1, p.delta, static_cast<double>(phase_end(1)));
}

}  // namespace

double depth_bound(const TheoryParameters& p, double steps) {
  return log_depth_ratio(p, steps) / (1.0 - p.rho);
}

double tight_depth_bound(const TheoryParameters& p, double steps) {
  return 0.5 * log_depth_ratio(p, steps) / std::log(1.0 / p.rho);
}

double certain_depth_bound(const TheoryParameters& p, double steps) {
  const double c = p.confidence.c;
  const double first_log = first_log_confidence(p);
  if (first_log <= 0.0) return std::numeric_limits<double>::infinity();
  const double ratio = std::log(steps * p.nu1 * p.nu1 / (c * c * first_log));
  return std::max(1.0, 1.0 + 0.5 * ratio / std::log(1.0 / p.rho));
}

double certain_node_bound(const TheoryParameters& p, double steps) {
  double expanded = 0.0;
  double left = steps;
  for (std::uint32_t depth = 1; left > 0.0; ++depth) {
    const double pulls = std::max(
        1.0, expansion_threshold(p.confidence.c, first_log_confidence(p), p.nu1, p.rho, depth));
    const double nodes = std::min(std::exp2(depth), std::floor(left / pulls));
    if (nodes < 1.0) break;
    expanded += nodes;
    left -= nodes * pulls;
  }
  return 3.0 + 2.0 * expanded;
}

double first_expansion(const TheoryParameters& p) {
  for (double phase = 1.0;; phase *= 2.0) {  // the threshold grows with the phase
    const double log = log_confidence(p.confidence.c1, p.delta, 2.0 * phase);
    const double threshold = expansion_threshold(p.confidence.c, log, p.nu1, p.rho, 1);
    const double pulls = threshold > 1.0 ? std::ceil(threshold) + 1.0 : 1.0;
    if (pulls < 2.0 * phase || !std::isfinite(pulls)) return std::max(phase, pulls);
  }
}

double regret_bound(const TheoryParameters& p, Feedback feedback, double steps) {
  const double d = p.near_optimality_dimension;
  const double c = p.confidence.c;
  const double log_term = std::log(2.0 / delta_tilde(p.confidence.c1, p.delta, steps));
  const double x = c * c * p.near_optimality_constant * std::pow(p.nu2, -d) * std::pow(p.rho, d) *
                   log_term / (p.nu1 * p.nu1 * (1.0 - p.rho));
  const double growth = std::pow(x, 1.0 / (d + 2.0)) * std::pow(steps, (d + 1.0) / (d + 2.0));
  if (feedback == Feedback::iid) {
    return 24.0 * p.nu1 * growth + std::sqrt(steps) +
           2.0 * std::sqrt(steps * std::log(4.0 * steps / p.delta));
  }
  return 4.0 * (3.0 * std::numbers::sqrt2 + 4.0) * p.nu1 * growth + std::sqrt(steps);
}

double node_bound(const TheoryParameters& p, double steps) {
  const double d = p.near_optimality_dimension;
  const double deepest = std::max(1.0, std::floor(depth_bound(p, steps)));
  const double shallow = 2.0 * depth_bound(p, steps) * p.near_optimality_constant;
  const double deep = 2.0 * p.nu1 * p.nu1 * steps;
  const auto nodes = [&](double depth) {
    return 1.0 + std::max(0.0, shallow) * std::pow(p.nu2 * std::pow(p.rho, depth - 1.0), -d) +
           deep * std::pow(p.rho, 2.0 * depth);
  };
  // A sum of two exponentials is convex in the depth, so the best whole depth is next to the zero
  // of the derivative: rho^(H (d+2)) = shallow d rho^d / (nu2^d 2 deep).
  const double power = shallow * d * std::pow(p.rho, d) / (std::pow(p.nu2, d) * 2.0 * deep);
  const double flat = power > 0.0 ? std::log(power) / ((d + 2.0) * std::log(p.rho)) : deepest;
  const double below = std::clamp(std::floor(flat), 1.0, deepest);
  const double above = std::clamp(std::ceil(flat), 1.0, deepest);
  return std::min(nodes(below), nodes(above));
}

double episode_bound(double pulls, double step) {
  return std::log2(4.0 * pulls) + std::log2(step);
}

double concentration_bound(double mixing_time, double delta, double pulls, double step) {
  return (3.0 * mixing_time + 1.0) * std::sqrt(2.0 * std::log(5.0 / delta) / pulls) +
         mixing_time * std::log2(step) / pulls;
}

}  // namespace canopy
