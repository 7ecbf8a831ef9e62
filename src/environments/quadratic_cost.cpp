#include "environments/quadratic_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace canopy {

double mean_capped_reward(double lambda, double cap) {
  // E min(lambda z^2, cap) splits at |z| = s, where lambda s^2 = cap.
  const double s = std::sqrt(cap / lambda);
  const double within = std::erf(s / std::numbers::sqrt2);
  const double density = std::exp(-0.5 * s * s) * std::sqrt(2.0 / std::numbers::pi);
  const double mean_cost = lambda * (within - s * density) + cap * (1.0 - within);
  return 1.0 - mean_cost / cap;
}

double mean_capped_reward(double trace, double determinant, double cap) {
  // In polar coordinates the cost is 2 e g(phi) with e exponential of mean 1 and
  // g = l1 cos^2 phi + l2 sin^2 phi, and E min(2 e g, cap) = 2 g (1 - exp(-cap / (2 g))). The mean
  // over phi is that of a smooth periodic function, for which equal steps converge exponentially.
  const double half = 0.5 * trace;
  const double root = std::sqrt(std::max(0.0, half * half - determinant));
  constexpr int kSteps = 256;
  double mean_cost = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const double g = half + root * std::cos(2.0 * std::numbers::pi * (i + 0.5) / kSteps);
    if (g > 0.0) mean_cost += 2.0 * g * -std::expm1(-cap / (2.0 * g)) / kSteps;
  }
  return 1.0 - mean_cost / cap;
}

Riccati riccati(double pole, double control_cost) {
  // p = 1 + pole^2 p r / (r + p), a quadratic equation in p.
  const double r = control_cost;
  const double half = 0.5 * (1.0 + pole * pole * r - r);
  const double p = half + std::sqrt(half * half + r);
  return {p, pole * p / (r + p)};
}

}  // namespace canopy
