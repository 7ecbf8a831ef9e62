#pragma once

namespace canopy {

/// The cap on the cost, in units of the least average cost.
inline constexpr double kCapInLeastCosts = 8.0;

/// The largest distance of a gain from the pole: the closed loop decays by at least a tenth per
/// step.
inline constexpr double kGainReach = 0.9;

/// The mean of capped_reward(cost, cap) for cost = lambda z^2 with z standard normal. Decreases
/// with lambda.
[[nodiscard]] double mean_capped_reward(double lambda, double cap);

/// The mean of capped_reward for a quadratic form of a two-dimensional Gaussian vector: the cost is
/// l1 z1^2 + l2 z2^2 with l1 + l2 = trace and l1 l2 = determinant, those of the form's matrix times
/// the covariance.
[[nodiscard]] double mean_capped_reward(double trace, double determinant, double cap);

/// The least average cost (also the solution p of the Riccati equation) and the best gain of x' =
/// pole x + u + N(0, 1) with cost x^2 + control_cost u^2.
struct Riccati {
  double cost;
  double gain;
};
[[nodiscard]] Riccati riccati(double pole, double control_cost);

}  // namespace canopy
