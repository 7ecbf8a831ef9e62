#pragma once

#include "canopy/mdp.hpp"
#include "canopy/options.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

/// A cart on a track and a pole hinged on it: metres, seconds, radians from upright.
struct CartPoleState {
  double position = 0.0;
  double velocity = 0.0;
  double angle = 0.0;
  double angular_velocity = 0.0;
  int fallen = 0;  ///< Steps until the pole is set up again; 0: it has not fallen.
};

/// Balancing a pole indefinitely (equations and constants of Barto, Sutton, Anderson, "Neuronlike
/// adaptive elements that can solve difficult learning control problems", 1983, without friction).
/// A step is 0.02 s. Once in twenty steps on average, the pole is pushed: its angular velocity
/// jumps by N(0, 0.5^2). When it leans by more than 0.2094 (12 degrees) or the cart leaves the
/// track of 2.4 m to either side, nothing is earned in that step and the next 50 (a second); then
/// the pole stands nearly upright in the middle again. Otherwise a step earns 1 - (angle /
/// 0.2094)^2 / 2 - (force / 10)^2 / 2.
struct CartPoleProcess {
  using State = CartPoleState;
  using Observation = CartPoleState;
  using Action = double;  ///< the force on the cart in newtons, clipped to +-10

  static constexpr double kLargestAngle = 0.20943951023931953;
  static constexpr double kTrack = 2.4;
  static constexpr double kLargestForce = 10.0;
  static constexpr int kStepsToSetUp = 50;

  [[nodiscard]] Transition<State> start(RandomStream& random) const {
    const auto small = [&] { return 0.1 * (random.uniform() - 0.5); };
    State state;
    state.position = small();
    state.velocity = small();
    state.angle = small();
    state.angular_velocity = small();
    return {0.0, state, state};
  }

  [[nodiscard]] Transition<State> step(const State& now, double action,
                                       RandomStream& random) const {
    if (now.fallen > 1) {
      State next = now;
      --next.fallen;
      return {0.0, next, next};
    }
    if (now.fallen == 1) return start(random);
    constexpr double gravity = 9.8;
    constexpr double total_mass = 1.1;
    constexpr double pole_mass = 0.1;
    constexpr double half_length = 0.5;
    constexpr double seconds = 0.02;
    const double force = std::clamp(action, -kLargestForce, kLargestForce);
    const double sine = std::sin(now.angle);
    const double cosine = std::cos(now.angle);
    const double lever = pole_mass * half_length;
    const double drive =
        (force + lever * now.angular_velocity * now.angular_velocity * sine) / total_mass;
    const double spin = (gravity * sine - cosine * drive) /
                        (half_length * (4.0 / 3.0 - pole_mass * cosine * cosine / total_mass));
    const double acceleration = drive - lever * spin * cosine / total_mass;
    State next{now.position + seconds * now.velocity, now.velocity + seconds * acceleration,
               now.angle + seconds * now.angular_velocity, now.angular_velocity + seconds * spin,
               0};
    if (random.uniform() < 0.05) next.angular_velocity += 0.5 * random.normal();
    if (std::abs(next.angle) > kLargestAngle || std::abs(next.position) > kTrack) {
      next.fallen = kStepsToSetUp;
      return {0.0, next, next};
    }
    const double lean = next.angle / kLargestAngle;
    const double effort = force / kLargestForce;
    return {1.0 - 0.5 * lean * lean - 0.5 * effort * effort, next, next};
  }
};

/// Pushes the cart under the pole: force = theta_1 angle + theta_2 angular velocity, and a little
/// to keep the cart on the track.
struct CartPolePolicy {
  double operator()(Arm theta, const CartPoleState& now, RandomStream& /*random*/) const {
    return theta[0] * now.angle + theta[1] * now.angular_velocity + 1.0 * now.position +
           2.0 * now.velocity;
  }
};

struct CartPoleOptions {};

template <class Visit>
void visit_fields(CartPoleOptions& /*options*/, Visit&& /*visit*/) {}

/// Two gains that balance the pole. There is no formula for f. It was measured on a grid of gains,
/// one apart for the angular velocity and five apart for the angle, as the mean of six million
/// steps each (`make tables` repeats this). In between it is interpolated linearly, with an
/// accuracy of about 0.005. The optimum is the best point of the grid. The time until a fall is
/// unbounded, and no bound on the mixing time is known.
class CartPole final
    : public PolicyEnvironment<CartPoleProcess, CartPolePolicy, SteadyEnvironment> {
 public:
  explicit CartPole(const CartPoleOptions& options = {});

  [[nodiscard]] double mean_reward(Arm arm) const override;
  [[nodiscard]] Optimum optimum() const override;
};

}  // namespace canopy
