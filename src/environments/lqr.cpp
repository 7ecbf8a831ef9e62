#include "canopy/lqr.hpp"

#include "environments/checked.hpp"
#include "environments/quadratic_cost.hpp"

#include <algorithm>

namespace canopy {
namespace {

LqrProcess process(const LqrOptions& options) {
  return {.pole = options.pole,
          .control_cost = options.control_cost,
          .cap = kCapInLeastCosts * riccati(options.pole, options.control_cost).cost};
}

/// The stationary covariance of the closed loop of Lqr2d, from the Lyapunov equation P = F P F' +
/// W.
struct Covariance {
  double xx, xv, vv;
};

Covariance stationary(Arm theta) {
  // F = [1 h; -h k1, 1 - h k2], W = diag(0.01, 1), h = 1/2, for the unknowns xx, xv, vv:
  //   xx = xx + 2 h xv + h^2 vv + 0.01
  //   xv = c xx + (d + h c) xv + h d vv                with c = -h k1, d = 1 - h k2
  //   vv = c^2 xx + 2 c d xv + d^2 vv + 1
  constexpr double h = 0.5;
  const double c = -h * theta[0];
  const double d = 1.0 - h * theta[1];
  // The first equation gives xv = a + b vv, the second then xx = k + g vv, and the third vv.
  const double a = -0.01 / (2.0 * h);
  const double b = -0.5 * h;
  const double left = 1.0 - d - h * c;  // factor of xv on the left side of the second equation
  const double k = left * a / c;
  const double g = (left * b - h * d) / c;
  const double vv =
      (1.0 + c * c * k + 2.0 * c * d * a) / (1.0 - d * d - c * c * g - 2.0 * c * d * b);
  return {k + g * vv, a + b * vv, vv};
}

/// The matrix of the cost under a policy, Q + r theta theta', times the covariance, represented by
/// its trace and determinant.
struct CostForm {
  double trace, determinant;
};

CostForm cost_form(Arm theta) {
  const auto [xx, xv, vv] = stationary(theta);
  const double q11 = 1.0 + theta[0] * theta[0];
  const double q12 = theta[0] * theta[1];
  const double q22 = 1.0 + theta[1] * theta[1];
  return {q11 * xx + 2.0 * q12 * xv + q22 * vv, (q11 * q22 - q12 * q12) * (xx * vv - xv * xv)};
}

// Solution of the Riccati equation, by iteration to the last digit; a test recomputes it.
constexpr double kLeastCost2d = 5.5531708158366655;
// The maximum of mean_reward, by a pattern search to 1e-8; a test recomputes it. Because of the
// cap, it is half a per cent away from the gains of the Riccati equation, 0.64863 and 1.48287.
constexpr std::array<double, 2> kBestGains2d{0.6512077342453, 1.4861126422346826};

}  // namespace

Lqr::Lqr(const LqrOptions& options)
    : PolicyEnvironment(
          Space{{"theta", Real{checked(options).pole - kGainReach, options.pole + kGainReach}}},
          process(options)) {}

double Lqr::average_cost(double theta) const {
  const double loop = mdp().pole - theta;
  return (1.0 + mdp().control_cost * theta * theta) / (1.0 - loop * loop);
}

double Lqr::mean_reward(Arm arm) const {
  return mean_capped_reward(average_cost(arm[0]), mdp().cap);
}

Optimum Lqr::optimum() const {
  // The average cost is unimodal, so the best gain in the box is the one nearest to the optimal
  // gain.
  const double gain = riccati(mdp().pole, mdp().control_cost).gain;
  const double best = std::clamp(gain, mdp().pole - kGainReach, mdp().pole + kGainReach);
  return {{best}, mean_reward({&best, 1})};
}

Lqr2d::Lqr2d(const Lqr2dOptions& /*options*/)
    : PolicyEnvironment(Space{{"position_gain", Real{0.1, 1.0}}, {"velocity_gain", Real{1.1, 2.6}}},
                        Lqr2dProcess{.cap = kCapInLeastCosts * kLeastCost2d}) {}

double Lqr2d::average_cost(Arm theta) {
  return cost_form(theta).trace;
}

double Lqr2d::mean_reward(Arm arm) const {
  const auto [trace, determinant] = cost_form(arm);
  return mean_capped_reward(trace, determinant, mdp().cap);
}

Optimum Lqr2d::optimum() const {
  return {{kBestGains2d.begin(), kBestGains2d.end()}, mean_reward(kBestGains2d)};
}

}  // namespace canopy
