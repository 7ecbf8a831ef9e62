#pragma once

namespace canopy {

/// The cap on the cost, in units of the least average cost.
inline constexpr double kCapInLeastCosts = 8.0;

/// How far a gain may be from the pole: the closed loop forgets at least a tenth a step.
inline constexpr double kGainReach = 0.9;

/// The mean of capped_reward(cost, cap) for a cost = lambda z^2 with z standard normal. It falls as
/// lambda grows.
[[nodiscard]] double mean_capped_reward(double lambda, double cap);

/// The same for a quadratic form of a Gaussian vector of two: a cost with mean `trace` that is
/// l1 z1^2 + l2 z2^2 with l1 + l2 = trace and l1 l2 = determinant, those of the form's matrix times
/// the covariance.
[[nodiscard]] double mean_capped_reward(double trace, double determinant, double cap);

/// Least average cost (also the solution p of the Riccati equation) and best gain of
/// x' = pole x + u + N(0, 1) with cost x^2 + control_cost u^2.
struct Riccati {
  double cost;
  double gain;
};
[[nodiscard]] Riccati riccati(double pole, double control_cost);

}  // namespace canopy
