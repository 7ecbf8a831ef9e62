#pragma once

#include "canopy/family/detail/arm_slots.hpp"
#include "canopy/options.hpp"
#include "canopy/random.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace canopy {

struct PowerOptions {
  /// In (0, 1]: the standard deviation of the exploration, in units of a parameter's range. Raising
  /// it explores more widely.
  double sigma = 0.1;

  /// 1 to 1e6: number of best rollouts that are averaged. Raising it moves more slowly and is more
  /// robust to noise.
  std::uint64_t window = 10;

  /// 1 to 1e6: pulls per rollout. Raising it averages out noise and transients, and learns less
  /// often.
  std::uint64_t rollout_length = 10;

  /// Seed of the starting point and the exploration.
  std::uint64_t seed = 1;
};

template <class Visit>
void visit_fields(PowerOptions& options, Visit&& visit) {
  visit(Field{"sigma", "size of the exploration, in units of a parameter's range", kHalfOpenUnit},
        options.sigma);
  visit(Field{"window", "number of best rollouts that are averaged", kMillion}, options.window);
  visit(Field{"rollout_length", "pulls per rollout", kMillion}, options.rollout_length);
  visit(Field{"seed", "seed of the algorithm's random choices", kAnyWhole}, options.seed);
}

/// PoWER, policy learning by weighting exploration with the returns (Kober, Peters, "Policy search
/// for motor primitives in robotics", Machine Learning 84, 2011): a local search that starts at a
/// random point theta of the unit cube. A rollout plays theta + eps, eps ~ N(0, sigma^2 I),
/// reflected into the cube, and its return R is the mean reward. The best rollouts so far attract
/// theta:
///
///     theta <- theta + sum_k R_k (theta_k - theta) / sum_k R_k       over the `window` best
///
/// Returns are shifted by the least return so far if it is negative. Rewards told after the end of
/// their rollout count as pulls and are not learnt. Observed rewards of an arm count as a rollout
/// of it.
class Power final : public TurnOptimizer {
 public:
  /// Throws ConfigurationError.
  explicit Power(Space space, const PowerOptions& options = {}, const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  struct Rollout {
    std::vector<double> theta;  // in the unit cube
    double mean_reward = 0.0;
    double pulls = 0.0;

    void transfer(State& state) {
      state(theta, mean_reward, pulls);
      state.require_restored(State::are_rewards({mean_reward}) && pulls >= 1.0 &&
                             State::are_counts({pulls}));
    }
  };

  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return arms_[node]; }
  [[nodiscard]] bool contains(Arm arm) const override { return space_.contains(arm); }
  void transfer(State& state) override;

  /// theta, with the mean return of the rollouts in the window.
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  [[nodiscard]] Choice choose() override;
  void learn(NodeIndex node, const Rewards& mapped) override;
  void accept_observed(Arm arm, const Rewards& mapped) override;
  void accept_bar(Arm arm, double mapped, std::uint64_t weight) override;
  void add_rollout(std::vector<double> theta, const Rewards& mapped);
  void move_theta();
  [[nodiscard]] bool is_in_cube(std::span<const double> theta) const;

  Space space_;
  PowerOptions options_;
  ArmSlots arms_;
  RandomStream random_;
  std::vector<double> theta_;         // in the unit cube
  std::vector<double> theta_arm_;     // in the space
  std::vector<double> explored_;      // arm of the running rollout, in the unit cube
  std::optional<NodeIndex> running_;  // the slot of the running rollout
  std::vector<Rollout> window_;       // best rollouts so far, the best first
  double least_return_ = 0.0;         // least return so far, at most 0
};

}  // namespace canopy
