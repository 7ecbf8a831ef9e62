#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace canopy::testing {

/// A tree of unknown values: f(child) = f(parent) + N(0, edge), with a flat prior for the root, and
/// optionally a measurement of the value at each node.
struct GaussianTreeNode {
  std::size_t parent = 0;  ///< ignored for node 0, the root
  double edge = 1.0;       ///< variance of f - f(parent), > 0; ignored for the root
  double precision = 0.0;  ///< 1 / variance of the measurement, 0 without one
  double measured = 0.0;
};

struct GaussianTreePosterior {
  std::vector<double> mean;
  std::vector<double> variance;
};

/// The joint posterior of all values, without message passing. The logarithm of the density is a
/// quadratic form, -f'Qf/2 + f'b: each measurement adds its precision to a diagonal entry of Q,
/// each edge adds 1/variance of the difference of its two ends. The covariance is the inverse of Q
/// and the mean Q^-1 b, by Gauss-Jordan elimination with pivots. At least one node must be
/// measured.
[[nodiscard]] inline GaussianTreePosterior gaussian_tree_posterior(
    std::span<const GaussianTreeNode> tree) {
  using Row = std::vector<long double>;
  const std::size_t n = tree.size();
  std::vector<Row> rows(n, Row(2 * n + 1, 0.0L));  // Q, then the unit matrix, then b
  for (std::size_t i = 0; i < n; ++i) {
    const long double precision = tree[i].precision;
    rows[i][i] += precision;
    rows[i][n + i] = 1.0L;
    rows[i][2 * n] = precision * static_cast<long double>(tree[i].measured);
    if (i == 0) continue;
    const std::size_t up = tree[i].parent;
    const long double tie = 1.0L / static_cast<long double>(tree[i].edge);
    rows[i][i] += tie;
    rows[up][up] += tie;
    rows[i][up] -= tie;
    rows[up][i] -= tie;
  }

  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
    }
    std::swap(rows[k], rows[pivot]);
    const long double divisor = rows[k][k];
    if (divisor == 0.0L) throw std::invalid_argument("gaussian_tree_posterior: nothing measured");
    for (long double& value : rows[k]) value /= divisor;
    for (std::size_t i = 0; i < n; ++i) {
      const long double factor = rows[i][k];
      if (i == k || factor == 0.0L) continue;
      for (std::size_t j = k; j <= 2 * n; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }

  GaussianTreePosterior posterior;
  for (std::size_t i = 0; i < n; ++i) {
    posterior.mean.push_back(static_cast<double>(rows[i][2 * n]));
    posterior.variance.push_back(static_cast<double>(rows[i][n + i]));
  }
  return posterior;
}

}  // namespace canopy::testing
