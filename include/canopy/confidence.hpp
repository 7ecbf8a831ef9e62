#pragma once

#include "canopy/enum_names.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace canopy {

/// The formulas of the algorithm, each once, as pure functions. Equation numbers and derivations
/// are in docs/hct.md. "L" below is `log_confidence` at the end of the current phase.

/// How rewards depend on each other and on earlier pulls.
enum class Feedback {
  iid,         ///< Independent draws: HCT-iid.
  correlated,  ///< Rewards may depend on all earlier pulls, with decaying influence: HCT-Gamma.
};

/// The paper's main text and its supplement differ in the constant of correlated feedback.
enum class Constants { main, supplement };

template <>
struct EnumNames<Feedback> {
  static constexpr std::array<std::string_view, 2> names{"iid", "correlated"};
};
template <>
struct EnumNames<Constants> {
  static constexpr std::array<std::string_view, 2> names{"main", "supplement"};
};

/// The two constants of the confidence bounds.
struct Confidence {
  double c = 0.0;   ///< Multiplies every width.
  double c1 = 0.0;  ///< Scales delta.
};

/// iid: c = 2 sqrt(1/(1-rho)), c1 = (rho/(3 nu1))^(1/8).
/// correlated: c = 3 (3 Gamma + 1) sqrt(1/(1-rho)), c1 = (rho/(4 nu1))^(1/9); the supplement proves
/// its theorem with 6 in place of 3. `scale` multiplies c.
[[nodiscard]] inline Confidence confidence_constants(Feedback feedback, double nu1, double rho,
                                                     double mixing_time, Constants constants,
                                                     double scale) {
  const double spread = std::sqrt(1.0 / (1.0 - rho));
  if (feedback == Feedback::iid) {
    return {scale * (2.0 * spread), std::pow(rho / (3.0 * nu1), 1.0 / 8.0)};
  }
  const double factor = constants == Constants::main ? 3.0 : 6.0;
  return {scale * (factor * (3.0 * mixing_time + 1.0) * spread),
          std::pow(rho / (4.0 * nu1), 1.0 / 9.0)};
}

/// delta_tilde(s) = min(c1 delta / s, 1): the failure probability spent at step s.
[[nodiscard]] inline double delta_tilde(double c1, double delta, double s) {
  return std::min(c1 * delta / s, 1.0);
}

/// L = ln(1 / delta_tilde(t_plus)).
[[nodiscard]] inline double log_confidence(double c1, double delta, double t_plus) {
  return std::log(1.0 / delta_tilde(c1, delta, t_plus));
}

/// t+ = 2^(floor(log2 t) + 1): the end of the phase to which step t >= 1 belongs.
[[nodiscard]] inline std::uint64_t phase_end(std::uint64_t t) {
  return std::bit_floor(t) * 2;
}

/// nu1 rho^h: how much f may vary within a cell at depth h.
[[nodiscard]] inline double resolution(double nu1, double rho, std::uint32_t depth) {
  return nu1 * std::pow(rho, static_cast<double>(depth));
}

/// c sqrt(L / pulls): half-width of the confidence interval around the mean of `pulls` rewards.
[[nodiscard]] inline double confidence_width(double c, double log_confidence, double pulls) {
  return c * std::sqrt(log_confidence / pulls);
}

/// U = mean + nu1 rho^h + c sqrt(L / pulls), for pulls > 0.
[[nodiscard]] inline double upper_bound(double mean, double resolution, double width) {
  return mean + resolution + width;
}

/// tau_h = c^2 L rho^(-2h) / nu1^2: the pulls at which the width has shrunk to the resolution.
[[nodiscard]] inline double expansion_threshold(double c, double log_confidence, double nu1,
                                                double rho, std::uint32_t depth) {
  return c * c * log_confidence * std::pow(rho, -2.0 * static_cast<double>(depth)) / (nu1 * nu1);
}

/// c sqrt(2 V L / pulls) + 3 b c^2 L / pulls: the half-width for rewards with variance V and range
/// b (VHCT). `weight` is c^2 L.
[[nodiscard]] inline double variance_width(double weight, double variance, double range,
                                           double pulls) {
  return std::sqrt(2.0 * variance * weight / pulls) + 3.0 * range * weight / pulls;
}

/// tau = c^2 L (V + 3 b e + sqrt(V^2 + 6 b V e)) / e^2: the pulls at which `variance_width` has
/// shrunk to the resolution e.
[[nodiscard]] inline double variance_threshold(double weight, double variance, double range,
                                               double resolution) {
  const double linear = 3.0 * range * resolution;
  const double root = std::sqrt(variance * (variance + 2.0 * linear));
  return weight * (variance + linear + root) / (resolution * resolution);
}

}  // namespace canopy
