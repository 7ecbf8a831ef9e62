#pragma once

#include "canopy/mdp.hpp"
#include "canopy/noisy_function.hpp"
#include "canopy/options.hpp"

#include <cmath>
#include <numbers>
#include <optional>

namespace canopy {

/// f(x) = x (1 - x) (4 - sqrt|sin 60x|) on [0, 1]: many local maxima; around the global one, at x =
/// pi/6, f falls like a square root (Azar, Lazaric, Brunskill, ICML 2014, Section 6).
[[nodiscard]] inline double garland(double x) {
  return x * (1.0 - x) * (4.0 - std::sqrt(std::abs(std::sin(60.0 * x))));
}

inline constexpr double kGarlandArgmax = std::numbers::pi / 6.0;
inline constexpr double kGarlandMaximum =
    2.0 * std::numbers::pi / 3.0 * (1.0 - std::numbers::pi / 6.0);

struct GarlandFunction {
  explicit GarlandFunction(const FunctionOptions<GarlandFunction>& /*options*/) {}
  double operator()(Arm arm) const { return garland(arm[0]); }
  [[nodiscard]] static Space space();
  [[nodiscard]] static Optimum optimum() { return {{kGarlandArgmax}, kGarlandMaximum}; }
};

/// Independent rewards: f(x) + noise, by default uniform with width 1. (The paper draws it
/// from [0, 1]; centred, it has the same effect and leaves the mean reward equal to f.)
using GarlandOptions = FunctionOptions<GarlandFunction>;
using Garland = NoisyFunction<GarlandFunction>;

struct GarlandMdpOptions {
  Noise noise = Noise::uniform;
  double noise_width = 1.0;  ///< >= 0; see Noise
  /// In [1e-6, 1]: fraction of the distance to the arm that the state moves at each pull. 1: no
  /// memory.
  double beta = 0.2;
};

template <class Visit>
void visit_fields(GarlandMdpOptions& options, Visit&& visit) {
  visit_noise(options, visit);
  visit(
      Field{"beta", "fraction of the distance to the arm that the state moves at each pull", kRate},
      options.beta);
}

/// A state that follows the action, s' = (1 - beta) s + beta x, with the reward f(s') + noise.
struct GarlandProcess {
  using State = double;
  using Observation = double;
  using Action = double;

  Noise noise = Noise::uniform;
  double noise_width = 1.0;
  double beta = 0.2;

  [[nodiscard]] Transition<double> start(RandomStream& random) const {
    const double state = random.uniform();
    return {0.0, state, state};
  }
  [[nodiscard]] Transition<double> step(double state, double x, RandomStream& random) const {
    const double next = (1.0 - beta) * state + beta * x;
    return {noisy(garland(next), noise, noise_width, random), next, next};
  }
};

/// The reward of an arm depends on the arms played before it. An arm x that is held earns f(x) on
/// average.
class GarlandMdp final
    : public PolicyEnvironment<GarlandProcess, ConstantPolicy, SteadyEnvironment> {
 public:
  /// Throws ConfigurationError.
  explicit GarlandMdp(const GarlandMdpOptions& options = {});

  [[nodiscard]] double mean_reward(Arm arm) const override { return garland(arm[0]); }
  [[nodiscard]] Optimum optimum() const override { return {{kGarlandArgmax}, kGarlandMaximum}; }

  /// |f(s) - f(x)| <= 4 |s - x| + sqrt(60 |s - x|) / 4, and the distance shrinks by 1 - beta a
  /// step: with q = 1 - beta at most 4 q / (1 - q) + sqrt(15)/2 sqrt(q) / (1 - sqrt(q)).
  [[nodiscard]] std::optional<double> mixing_time() const override;
};

}  // namespace canopy
