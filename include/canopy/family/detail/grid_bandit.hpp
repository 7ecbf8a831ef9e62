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

/// Of the options of every bandit on a grid.
inline constexpr Field kPointsField{
    "points", "arms along each parameter; about 1000 in total unless set", kMillion};

/// A fixed grid of arms and the rewards of each: what all bandits on a grid share. Rewards that
/// nobody asked for count if their arm is on the grid.
class GridBandit : public TurnOptimizer {
 public:
  [[nodiscard]] std::size_t size() const { return statistics_.size(); }

 protected:
  using Statistics = ArmSums;

  /// For so many arms along each parameter: see GridArms. Throws ConfigurationError.
  GridBandit(const Space& space, std::uint64_t points, const Objective& objective);

  [[nodiscard]] const std::vector<Statistics>& statistics() const { return statistics_; }

  /// The first arm without rewards, if there is one.
  [[nodiscard]] std::optional<NodeIndex> first_without_pulls();

  /// Forgets some rewards of an arm.
  void unlearn(NodeIndex node, double pulls, double sum);

  /// Multiplies the weight of all rewards. An arm of next to none is one without rewards again.
  void fade(double factor);

  /// Learns rewards that weigh as much as this number of them.
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
  std::size_t with_pulls_ = 0;  // all arms before this one have rewards
};

}  // namespace canopy
