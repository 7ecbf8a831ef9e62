#pragma once

#include "canopy/arm_slots.hpp"
#include "canopy/random.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

struct RandomSearchOptions {
  std::uint64_t seed = 1;
};

/// Plays an arm drawn uniformly from the space (on a log scale, uniformly in log units) at every
/// pull and recommends the one that earned most: a floor that every other algorithm should beat.
class RandomSearch final : public TurnOptimizer {
 public:
  /// Throws ConfigurationError.
  explicit RandomSearch(Space space, const RandomSearchOptions& options = {},
                        const Objective& objective = {});

  [[nodiscard]] std::optional<Best> best() const override;
  [[nodiscard]] Summary summary() const override { return turn_summary(); }
  [[nodiscard]] std::vector<NodeView> tree() override { return {}; }
  [[nodiscard]] std::string path(NodeIndex /*node*/) const override { return {}; }

 private:
  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return arms_[node]; }
  [[nodiscard]] std::uint32_t depth_of(NodeIndex /*node*/) const override { return 0; }
  void transfer(State& state) override;
  [[nodiscard]] Choice choose() override;
  void learn(NodeIndex node, double pulls, double sum) override;

  Space space_;
  ArmSlots arms_;
  std::vector<double> unit_;  // a point of the unit cube
  std::vector<double> best_arm_;
  double best_mean_ = 0.0;
  double best_pulls_ = 0.0;
  RandomStream random_;
};

}  // namespace canopy
