#pragma once

#include "canopy/context.hpp"
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

/// An environment with known f and optimum, at every step t = 1, 2, 3, ... of a run.
class KnownEnvironment : public Environment {
 public:
  /// f at step t: the long-run average reward of an arm if the environment did not change after t.
  [[nodiscard]] virtual double mean_reward_at(Arm arm, std::uint64_t t) const = 0;

  [[nodiscard]] virtual Optimum optimum_at(std::uint64_t t) const = 0;

  /// Whether f or the optimum depends on t.
  [[nodiscard]] virtual bool drifts() const { return true; }

  /// The context observed before every pull; empty unless the best arm depends on it.
  [[nodiscard]] virtual const ContextSpace& contexts() const;

  /// The context before the pull of step t of this run, which does not depend on earlier pulls: one
  /// coordinate per variable. f and the optimum at step t are those in this context.
  [[nodiscard]] virtual std::vector<double> context_at(std::uint64_t /*t*/) const { return {}; }

  /// The range of rewards, except for added noise.
  [[nodiscard]] virtual std::array<double, 2> reward_range() const { return {0.0, 1.0}; }

  /// A bound on Gamma, the mixing time of the theory: for any initial state, if an arm is held, the
  /// differences between f and its expected rewards sum over time to at most this. None if no
  /// finite bound is known.
  [[nodiscard]] virtual std::optional<double> mixing_time() const { return std::nullopt; }
};

/// A known environment that does not change over time.
class SteadyEnvironment : public KnownEnvironment {
 public:
  /// f: the long-run average reward of an arm.
  [[nodiscard]] virtual double mean_reward(Arm arm) const = 0;

  [[nodiscard]] virtual Optimum optimum() const = 0;

  [[nodiscard]] double mean_reward_at(Arm arm, std::uint64_t /*t*/) const final {
    return mean_reward(arm);
  }
  [[nodiscard]] Optimum optimum_at(std::uint64_t /*t*/) const final { return optimum(); }
  [[nodiscard]] bool drifts() const final { return false; }
};

/// A known environment that depends on t only through the context.
class ContextualEnvironment : public KnownEnvironment {
 public:
  /// f in a context.
  [[nodiscard]] virtual double mean_reward_in(Context context, Arm arm) const = 0;

  [[nodiscard]] virtual Optimum optimum_in(Context context) const = 0;

  [[nodiscard]] double mean_reward_at(Arm arm, std::uint64_t t) const final {
    return mean_reward_in(context_at(t), arm);
  }
  [[nodiscard]] Optimum optimum_at(std::uint64_t t) const final {
    return optimum_in(context_at(t));
  }
  [[nodiscard]] bool drifts() const final { return true; }
};

/// Thrown when an environment misbehaves, for example by returning NaN as a reward.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws EnvironmentError, naming the reward, the step and the arm.
[[noreturn]] void refuse_reward(double reward, std::uint64_t step, const Space& space, Arm arm);

}  // namespace canopy
