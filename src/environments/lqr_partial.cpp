#include "canopy/lqr_partial.hpp"

#include "environments/checked.hpp"
#include "environments/maximum.hpp"
#include "environments/quadratic_cost.hpp"

#include <cmath>

namespace canopy {
namespace {

/// The variance of the state before a measurement, m = pole^2 m s^2 / (m + s^2) + 1, a quadratic
/// equation in m.
double predicted_variance(const LqrPartialOptions& options) {
  const double s2 = options.observation_noise * options.observation_noise;
  const double half = 0.5 * (1.0 + options.pole * options.pole * s2 - s2);
  return half + std::sqrt(half * half + s2);
}

LqrPartialProcess process(const LqrPartialOptions& options) {
  const double s2 = options.observation_noise * options.observation_noise;
  const double m = predicted_variance(options);
  const double filter_gain = m / (m + s2);
  // Certainty equivalence: the best gain is that of full observation. With this gain, the estimate
  // costs p times the variance of the effect of its innovations, and the error of the estimate
  // costs its own variance.
  const auto [p, gain] = riccati(options.pole, options.control_cost);
  const double least_cost = filter_gain * m * p + (1.0 - filter_gain) * m;
  return {options.pole, options.control_cost, options.observation_noise, filter_gain,
          kCapInLeastCosts * least_cost};
}

}  // namespace

LqrPartial::LqrPartial(const LqrPartialOptions& options)
    : PolicyEnvironment(
          Space{{"theta", Real{checked(options).pole - kGainReach, options.pole + kGainReach}}},
          process(options)),
      error_variance_((1.0 - mdp().filter_gain) * predicted_variance(options)),
      predicted_variance_(predicted_variance(options)),
      optimum_(maximum(
          [this](double theta) {
            return mean_reward({&theta, 1});
          },
          options.pole - kGainReach, options.pole + kGainReach)) {}

double LqrPartial::mean_reward(Arm arm) const {
  const double theta = arm[0];
  const double loop = mdp().pole - theta;
  const double estimate_variance = mdp().filter_gain * predicted_variance_ / (1.0 - loop * loop);
  const double action_cost = mdp().control_cost * theta * theta;
  const double trace = error_variance_ + (1.0 + action_cost) * estimate_variance;
  const double determinant = action_cost * error_variance_ * estimate_variance;
  return mean_capped_reward(trace, determinant, mdp().cap);
}

}  // namespace canopy
