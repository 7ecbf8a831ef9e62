#pragma once

#include "canopy/random.hpp"
#include "canopy/space.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

namespace canopy {

/// Something to optimise: a simulation with noise, possibly with a state that remembers past pulls.
/// Concrete classes are final, or define `pull` as final, inline; see Optimizer.
class Environment {
 public:
  virtual ~Environment() = default;

  [[nodiscard]] virtual const Space& space() const = 0;

  /// Draws the initial state of a run.
  virtual void start(RandomStream& random) = 0;

  /// Plays an arm once and returns the reward.
  virtual double pull(Arm arm, RandomStream& random) = 0;
};

/// Where an environment's mean reward is largest.
struct Optimum {
  std::vector<double> arm;
  double value = 0.0;
};

/// An environment whose answer is known.
class KnownEnvironment : public Environment {
 public:
  /// f: the long-run average reward of an arm.
  [[nodiscard]] virtual double mean_reward(Arm arm) const = 0;

  [[nodiscard]] virtual Optimum optimum() const = 0;

  /// What rewards lie in, but for noise that is added to them.
  [[nodiscard]] virtual std::array<double, 2> reward_range() const { return {0.0, 1.0}; }

  /// A bound on Gamma, the mixing time of the theory: however a run began, the expected rewards of
  /// an arm that is held from there on differ from f by no more than this in sum. None where no
  /// finite bound is known.
  [[nodiscard]] virtual std::optional<double> mixing_time() const { return std::nullopt; }
};

/// Thrown when an environment does what it must not, such as giving NaN for a reward.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws EnvironmentError: which reward, of which step, of which arm.
[[noreturn]] void refuse_reward(double reward, std::uint64_t step, const Space& space, Arm arm);

}  // namespace canopy
