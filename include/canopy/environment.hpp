#pragma once

#include "canopy/random.hpp"
#include "canopy/space.hpp"

#include <string>
#include <vector>

namespace canopy {

/// Where an environment's mean reward is largest.
struct Optimum {
  std::vector<double> arm;
  double value = 0.0;
};

/// Something to optimise whose answer is known: a simulation with noise, possibly with a state that
/// remembers past pulls. Concrete classes are final and define `pull` inline; see Optimizer.
class Environment {
 public:
  virtual ~Environment() = default;

  [[nodiscard]] virtual const Space& space() const = 0;

  /// f: the long-run average reward of an arm.
  [[nodiscard]] virtual double mean_reward(Arm arm) const = 0;

  [[nodiscard]] virtual Optimum optimum() const = 0;

  /// Draws the initial state of a run.
  virtual void start(RandomStream& random) = 0;

  /// Plays an arm once and returns the reward.
  virtual double pull(Arm arm, RandomStream& random) = 0;
};

}  // namespace canopy
