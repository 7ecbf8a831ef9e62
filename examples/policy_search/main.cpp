// Policy search in a user-defined system: a cart that drifts, is nudged to the left or to the right
// at every step, and is pulled back by a force u = -theta x. Which theta costs least in the long
// run?

#include <canopy/canopy.hpp>
#include <cmath>
#include <cstdio>

constexpr double kGrowth = 1.2;  // growth of the drift
constexpr double kPrice = 0.1;   // price of the force

/// The system. State, observation and action are numbers here.
struct Drift {
  using State = double;
  using Observation = double;
  using Action = double;

  canopy::Transition<double> start(canopy::RandomStream& /*random*/) const { return {}; }

  /// Returns the reward, the next state, and the observation of that state.
  canopy::Transition<double> step(double x, double force, canopy::RandomStream& random) const {
    const double cost = x * x + kPrice * force * force;
    const double next = kGrowth * x + force + (random.coin() ? 1.0 : -1.0);
    return {-cost, next, next};
  }
};

/// The policies: the action for theta and an observation.
struct PullBack {
  double operator()(canopy::Arm theta, double x, canopy::RandomStream& /*random*/) const {
    return -theta[0] * x;
  }
};

int main() {
  canopy::PolicyEnvironment<Drift, PullBack> chain({{"theta", canopy::Real{0.5, 1.9}}});
  // Near the best theta the cost is quadratic: half a cell varies by a quarter, so rho is 1/4.
  canopy::Hct optimizer(
      chain.space(),
      {.feedback = canopy::Feedback::correlated, .nu1 = 1.0, .rho = 0.25, .confidence_scale = 0.02},
      {.reward_range = {{-5.0, 0.0}}});
  canopy::RandomStream random({.seed = 1});
  chain.start(random);
  for (std::uint64_t pulls = 0; pulls < 40'000'000;) {
    const canopy::Pull pull = optimizer.ask();
    for (std::uint64_t i = 0; i < pull.length; ++i) {
      const double reward = chain.pull(pull.arm, random);  // the chain continues
      if (optimizer.tell(pull.ticket, reward) != canopy::Status::ok) return 1;
    }
    pulls += pull.length;
  }

  // The solution of the textbook: p = 1 + a^2 p r / (r + p), theta = a p / (r + p).
  const double half = 0.5 * (1.0 + kGrowth * kGrowth * kPrice - kPrice);
  const double p = half + std::sqrt(half * half + kPrice);
  const double exact = kGrowth * p / (kPrice + p);
  const double found = optimizer.best()->arm[0];
  std::printf("found theta = %.4f; the gain of the Riccati equation is %.4f: %.2f %% apart\n",
              found, exact, 100.0 * std::abs(found - exact) / exact);
}
