#pragma once

#include "canopy/mdp.hpp"
#include "canopy/options.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace canopy {

// Linear-quadratic regulators with Gaussian noise. The cost of a step is quadratic in the state and
// the action; the reward is 1 - min(cost, cap) / cap, where cap is eight times the least average
// cost, so that it lies in [0, 1] and is rarely capped. The chain is stable however policies are
// switched. The state is unbounded, and so is the time to return from a distant state, so there is
// no bound on the mixing time.

/// 1 - min(cost, cap) / cap
[[nodiscard]] inline double capped_reward(double cost, double cap) {
  return 1.0 - std::min(cost, cap) / cap;
}

struct LqrOptions {
  double pole = 1.1;          ///< In [0, 10]: growth factor of the state without control.
  double control_cost = 0.5;  ///< In [0, 100]: cost of acting. Raising it lowers the best gain.
};

/// The two options of every scalar regulator.
template <class Options, class Visit>
void visit_regulator(Options& options, Visit&& visit) {
  static constexpr Range kUpToTen{"a number from 0 to 10",
                                  [](double x) { return x >= 0.0 && x <= 10.0; }};
  static constexpr Range kUpToHundred{"a number from 0 to 100",
                                      [](double x) { return x >= 0.0 && x <= 100.0; }};
  visit(Field{"pole", "growth factor of the state without control", kUpToTen}, options.pole);
  visit(Field{"control_cost", "cost of acting", kUpToHundred}, options.control_cost);
}

template <class Visit>
void visit_fields(LqrOptions& options, Visit&& visit) {
  visit_regulator(options, visit);
}

/// x' = pole x + u + N(0, 1), cost x^2 + control_cost u^2.
struct LqrProcess {
  using State = double;
  using Observation = double;
  using Action = double;

  double pole = 1.1;
  double control_cost = 0.5;
  double cap = 1.0;

  [[nodiscard]] Transition<double> start(RandomStream& random) const {
    const double x = random.normal();
    return {0.0, x, x};
  }
  [[nodiscard]] Transition<double> step(double x, double u, RandomStream& random) const {
    const double next = pole * x + u + random.normal();
    return {capped_reward(x * x + control_cost * u * u, cap), next, next};
  }
};

/// The scalar regulator under u = -theta x, with theta within 0.9 of the pole. The closed loop is a
/// first-order autoregression, so the average cost is (1 + r theta^2) / (1 - (pole - theta)^2), and
/// the best theta is the gain of the Riccati equation, since the mean reward decreases with the
/// average cost.
class Lqr final : public PolicyEnvironment<LqrProcess, LinearPolicy, SteadyEnvironment> {
 public:
  /// Throws ConfigurationError.
  explicit Lqr(const LqrOptions& options = {});

  [[nodiscard]] double mean_reward(Arm arm) const override;
  [[nodiscard]] Optimum optimum() const override;

  [[nodiscard]] double average_cost(double theta) const;
};

/// A position and a velocity.
struct PositionVelocity {
  double position = 0.0;
  double velocity = 0.0;
};

/// A mass that is pushed: position' = position + v / 2 + N(0, 0.1^2), v' = v + u / 2 + N(0, 1),
/// cost position^2 + v^2 + u^2.
struct Lqr2dProcess {
  using State = PositionVelocity;
  using Observation = PositionVelocity;
  using Action = double;

  double cap = 1.0;

  [[nodiscard]] Transition<State> start(RandomStream& random) const {
    const double position = random.normal();
    const State state{position, random.normal()};
    return {0.0, state, state};
  }
  [[nodiscard]] Transition<State> step(const State& x, double u, RandomStream& random) const {
    const double cost = x.position * x.position + x.velocity * x.velocity + u * u;
    const double position = x.position + 0.5 * x.velocity + 0.1 * random.normal();
    const State next{position, x.velocity + 0.5 * u + random.normal()};
    return {capped_reward(cost, cap), next, next};
  }
};

/// u = -(theta_1 position + theta_2 velocity)
struct PositionVelocityPolicy {
  double operator()(Arm theta, const PositionVelocity& x, RandomStream& /*random*/) const {
    return -(theta[0] * x.position + theta[1] * x.velocity);
  }
};

struct Lqr2dOptions {};

template <class Visit>
void visit_fields(Lqr2dOptions& /*options*/, Visit&& /*visit*/) {}

/// The regulator of a mass: two gains. The state is Gaussian with the covariance of the Lyapunov
/// equation, which gives the mean reward up to one smooth integral.
class Lqr2d final
    : public PolicyEnvironment<Lqr2dProcess, PositionVelocityPolicy, SteadyEnvironment> {
 public:
  explicit Lqr2d(const Lqr2dOptions& options = {});

  [[nodiscard]] double mean_reward(Arm arm) const override;
  [[nodiscard]] Optimum optimum() const override;

  [[nodiscard]] static double average_cost(Arm theta);
};

}  // namespace canopy
