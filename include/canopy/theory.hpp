#pragma once

#include "canopy/confidence.hpp"

namespace canopy {

/// The paper's bounds as numbers, for comparison with measurements. The algorithm never uses them.
/// docs/hct.md names the proof and line of each bound.

/// The quantities in the theorems.
struct TheoryParameters {
  double nu1 = 1.0;
  double rho = 0.5;
  double delta = 0.05;
  Confidence confidence;                   ///< c and c1.
  double nu2 = 1.0;                        ///< Every cell contains a ball of radius nu2 rho^h.
  double near_optimality_dimension = 0.0;  ///< d
  double near_optimality_constant = 1.0;   ///< C: at most C eps^(-d) cells are eps-optimal.
};

/// Lemma 1: ln(n nu1^2 / (2 (c rho)^2)) / (1 - rho).
[[nodiscard]] double depth_bound(const TheoryParameters& parameters, double steps);

/// The second-to-last line of the proof of Lemma 1: 1/2 ln(n nu1^2 / (2 (c rho)^2)) / ln(1/rho).
[[nodiscard]] double tight_depth_bound(const TheoryParameters& parameters, double steps);

/// A bound that holds for every n and every constant for which L of the first phase, L1, is
/// positive: max(1, 1 + 1/2 ln(n nu1^2 / (c^2 L1)) / ln(1/rho)). Infinite when L1 is zero.
[[nodiscard]] double certain_depth_bound(const TheoryParameters& parameters, double steps);

/// The corresponding bound on nodes: a node at depth h has children after at least max(1, c^2 L1
/// rho^(-2h) / nu1^2) pulls, and there are 2^h of them, so n steps create most nodes if they fill
/// one level after the other: 3 + 2 (expanded nodes).
[[nodiscard]] double certain_node_bound(const TheoryParameters& parameters, double steps);

/// The least n after which a node below the root can have children: tau_1 pulls of the node, and
/// one pull of its sibling, unless a single pull is enough.
[[nodiscard]] double first_expansion(const TheoryParameters& parameters);

/// Theorem 1 (iid) or 2 (correlated): a bound on the regret of n steps that holds with probability
/// 1 - delta. For Theorem 2 take the constants of the supplement.
[[nodiscard]] double regret_bound(const TheoryParameters& parameters, Feedback feedback,
                                  double steps);

/// Theorem 3: the minimum over depths H in 1..H_max of
/// 1 + 2 H_max C (nu2 rho^(H-1))^(-d) + 2 nu1^2 n rho^(2H).
[[nodiscard]] double node_bound(const TheoryParameters& parameters, double steps);

/// Lemma 2: bound on the number of episodes of a node with T pulls by step t: log2(4T) + log2(t).
[[nodiscard]] double episode_bound(double pulls, double step);

/// Lemma 2: bound on the deviation of a node's mean from f under correlated feedback, with
/// probability 1 - delta: (3 Gamma + 1) sqrt(2 ln(5/delta) / T) + Gamma log2(t) / T.
[[nodiscard]] double concentration_bound(double mixing_time, double delta, double pulls,
                                         double step);

}  // namespace canopy
