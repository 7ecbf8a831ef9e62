#pragma once

#include "canopy/family/detail/grid_arms.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

/// The option `points` of every bandit on a grid.
inline constexpr Field kPointsField{
    "points", "arms along each parameter; about 1000 in total unless set", kMillion};

/// Base of all bandits on a fixed grid of arms, with the rewards of each arm. Observed rewards
/// count if their arm is on the grid.
class GridBandit : public TurnOptimizer {
 public:
  [[nodiscard]] std::size_t size() const { return statistics_.size(); }

 protected:
  using Statistics = ArmSums;

  /// With `points` arms along each parameter: see GridArms. Throws ConfigurationError.
  GridBandit(const Space& space, std::uint64_t points, const Objective& objective);

  [[nodiscard]] const std::vector<Statistics>& statistics() const { return statistics_; }

  /// The first arm without rewards; none if all arms have rewards.
  [[nodiscard]] std::optional<NodeIndex> first_without_pulls();

  /// Forgets some rewards of an arm.
  void unlearn(NodeIndex node, double pulls, double sum);

  /// Multiplies the weight of all rewards. An arm with almost no weight counts as one without
  /// rewards.
  void fade(double factor);

  /// Learns rewards with the weight of `pulls` rewards.
  void learn(NodeIndex node, double pulls, double mean);
  void learn(NodeIndex node, const Rewards& mapped) override;
  void transfer(State& state) override;
  [[nodiscard]] Arm arm_of(NodeIndex node) const final { return arms_[node]; }

 private:
  [[nodiscard]] bool contains(Arm arm) const final { return space_.contains(arm); }
  void accept_observed(Arm arm, const Rewards& mapped) final;

  Space space_;
  GridArms arms_;
  std::vector<Statistics> statistics_;
  std::size_t with_pulls_ = 0;  // number of leading arms that all have rewards
};

}  // namespace canopy
