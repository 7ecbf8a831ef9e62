#pragma once

#include "canopy/environment.hpp"

#include <cmath>
#include <concepts>
#include <cstdint>
#include <utility>

namespace canopy {

/// The result of a step of a Markov decision process: the reward, the next state, and the policy's
/// observation of that state.
template <class State, class Observation = State>
struct Transition {
  double reward = 0.0;
  State state{};
  Observation observation{};
};

/// A Markov decision process: three types and two functions. It keeps no state of its own, so one
/// object may serve many chains.
///
///     struct Drift {
///       using State = double;
///       using Observation = double;
///       using Action = double;
///       Transition<double> start(RandomStream& random) const;  // its reward is ignored
///       Transition<double> step(double state, double action, RandomStream& random) const;
///     };
template <class Mdp>
concept MarkovDecisionProcess = requires(const Mdp& mdp, const typename Mdp::State& state,
                                         const typename Mdp::Action& action, RandomStream& random) {
  { mdp.start(random) } -> std::same_as<Transition<typename Mdp::State, typename Mdp::Observation>>;
  {
    mdp.step(state, action, random)
    } -> std::same_as<Transition<typename Mdp::State, typename Mdp::Observation>>;
};

/// A class of policies for an MDP: the action for an observation, given the parameters.
template <class Policy, class Mdp>
concept PolicyClass = requires(const Policy& policy, Arm theta,
                               const typename Mdp::Observation& observation, RandomStream& random) {
  { policy(theta, observation, random) } -> std::convertible_to<typename Mdp::Action>;
};

/// Policy search as a bandit: an arm is the parameter vector theta of a policy, a pull is one step
/// of the chain under that policy. The chain continues when the policy changes; only `start` resets
/// it. The reward of a pull therefore depends on earlier policies: use correlated feedback.
template <MarkovDecisionProcess Mdp, PolicyClass<Mdp> Policy, class Base = Environment>
class PolicyEnvironment : public Base {
 public:
  /// Call `start` before the first pull.
  explicit PolicyEnvironment(Space space, Mdp mdp = {}, Policy policy = {})
      : space_(std::move(space)), mdp_(std::move(mdp)), policy_(std::move(policy)) {}

  [[nodiscard]] const Space& space() const final { return space_; }

  void start(RandomStream& random) final {
    move_to(mdp_.start(random));
    steps_ = 0;
  }

  /// Throws EnvironmentError if the process returns a reward that is not a finite number.
  double pull(Arm theta, RandomStream& random) final {
    const auto next = mdp_.step(state_, policy_(theta, observation_, random), random);
    ++steps_;
    if (!std::isfinite(next.reward)) [[unlikely]]
      refuse_reward(next.reward, steps_, space_, theta);
    move_to(next);
    return next.reward;
  }

  /// The current state of the chain.
  [[nodiscard]] const typename Mdp::State& state() const { return state_; }
  [[nodiscard]] const Mdp& mdp() const { return mdp_; }

 private:
  /// Copies member by member: copying the whole struct would stall on members that were just
  /// written.
  void move_to(const Transition<typename Mdp::State, typename Mdp::Observation>& next) {
    state_ = next.state;
    observation_ = next.observation;
  }

  Space space_;
  Mdp mdp_;
  [[no_unique_address]] Policy policy_;
  typename Mdp::State state_{};
  typename Mdp::Observation observation_{};
  std::uint64_t steps_ = 0;
};

/// u = -theta x: the linear policy with one parameter.
struct LinearPolicy {
  double operator()(Arm theta, double observation, RandomStream& /*random*/) const {
    return -theta[0] * observation;
  }
};

/// The action is the parameter, independent of the observation.
struct ConstantPolicy {
  double operator()(Arm theta, double /*observation*/, RandomStream& /*random*/) const {
    return theta[0];
  }
};

}  // namespace canopy
