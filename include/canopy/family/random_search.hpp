#pragma once

#include "canopy/family/detail/arm_slots.hpp"
#include "canopy/options.hpp"
#include "canopy/random.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

struct RandomSearchOptions {
  std::uint64_t seed = 1;
};

template <class Visit>
void visit_fields(RandomSearchOptions& options, Visit&& visit) {
  visit(Field{"seed", "seed of the algorithm's random choices", kAnyWhole}, options.seed);
}

/// Plays an arm drawn uniformly from the space (on a log scale, uniformly in log units) at every
/// pull and recommends the one with the best mean: a baseline that every other algorithm should
/// beat.
class RandomSearch final : public TurnOptimizer {
 public:
  /// Throws ConfigurationError.
  explicit RandomSearch(Space space, const RandomSearchOptions& options = {},
                        const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return arms_[node]; }
  [[nodiscard]] bool contains(Arm arm) const override { return space_.contains(arm); }
  void transfer(State& state) override;
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  [[nodiscard]] Choice choose() override;
  void learn(NodeIndex node, const Rewards& mapped) override;
  void accept_observed(Arm arm, const Rewards& mapped) override;

  Space space_;
  ArmSlots arms_;
  std::vector<double> unit_;  // a point of the unit cube
  std::vector<double> best_arm_;
  double best_mean_ = 0.0;
  double best_pulls_ = 0.0;
  RandomStream random_;
};

}  // namespace canopy
