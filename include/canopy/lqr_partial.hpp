#pragma once

#include "canopy/lqr.hpp"

namespace canopy {

struct LqrPartialOptions {
  double pole = 1.1;               ///< As in LqrOptions.
  double control_cost = 0.5;       ///< As in LqrOptions.
  double observation_noise = 1.0;  ///< In [0.001, 1000]: standard deviation of the measurement.
};

template <class Visit>
void visit_fields(LqrPartialOptions& options, Visit&& visit) {
  visit_regulator(options, visit);
  visit(Field{"observation_noise", "standard deviation of the measurement", kAroundOne},
        options.observation_noise);
}

/// The state, and the filter's estimate of it.
struct FilteredState {
  double state = 0.0;
  double estimate = 0.0;
};

/// The scalar regulator with noisy measurements: y = x + N(0, observation_noise^2). The policy sees
/// only the estimate of the steady-state Kalman filter.
struct LqrPartialProcess {
  using State = FilteredState;
  using Observation = double;
  using Action = double;

  double pole = 1.1;
  double control_cost = 0.5;
  double observation_noise = 1.0;
  double filter_gain = 0.5;
  double cap = 1.0;

  [[nodiscard]] Transition<State, double> start(RandomStream& random) const {
    return {0.0, {random.normal(), 0.0}, 0.0};
  }
  [[nodiscard]] Transition<State, double> step(const State& x, double u,
                                               RandomStream& random) const {
    const double cost = x.state * x.state + control_cost * u * u;
    const double next = pole * x.state + u + random.normal();
    const double measured = next + observation_noise * random.normal();
    const double predicted = pole * x.estimate + u;
    const double estimate = predicted + filter_gain * (measured - predicted);
    return {capped_reward(cost, cap), {next, estimate}, estimate};
  }
};

/// A partially observed problem: u = -theta estimate. The estimate and its error are independent
/// Gaussians, which gives the mean reward up to one smooth integral.
class LqrPartial final
    : public PolicyEnvironment<LqrPartialProcess, LinearPolicy, SteadyEnvironment> {
 public:
  /// Throws ConfigurationError.
  explicit LqrPartial(const LqrPartialOptions& options = {});

  [[nodiscard]] double mean_reward(Arm arm) const override;
  [[nodiscard]] Optimum optimum() const override { return optimum_; }

 private:
  double error_variance_;      // variance of the estimate's error
  double predicted_variance_;  // variance of the state before the measurement
  Optimum optimum_;
};

}  // namespace canopy
