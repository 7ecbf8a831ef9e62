#pragma once

#include "canopy/options.hpp"
#include "canopy/random.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace canopy::testing {

struct RoundRobinOptions {
  std::uint64_t points = 4;
};

template <class Visit>
void visit_fields(RoundRobinOptions& options, Visit&& visit) {
  visit(Field{"points", "number of arms played in turn", kThousand}, options.points);
}

/// Plays some points of the diagonal in turn and recommends the one with the best last reward.
class RoundRobin final : public TurnOptimizer {
 public:
  RoundRobin(const Space& space, const RoundRobinOptions& options, const Objective& objective)
      : TurnOptimizer(objective, space.dimension()),
        space_(space),
        means_(options.points, -kInfinity) {
    for (std::uint64_t i = 0; i < options.points; ++i) {
      const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(options.points);
      arms_.emplace_back(space.dimension());
      space.from_unit_cube(std::vector<double>(space.dimension(), place), arms_.back());
    }
  }

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override {
    return std::make_unique<RoundRobin>(*this);
  }

 private:
  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return arms_[node]; }
  [[nodiscard]] bool contains(Arm arm) const override { return space_.contains(arm); }
  [[nodiscard]] std::optional<Recommendation> recommendation() const override {
    const auto largest = std::max_element(means_.begin(), means_.end());
    if (*largest == -kInfinity) return std::nullopt;
    return Recommendation{arms_[static_cast<std::size_t>(largest - means_.begin())], *largest, 1.0};
  }
  [[nodiscard]] Choice choose() override {
    return {.node = static_cast<NodeIndex>(next_++ % arms_.size())};
  }
  void learn(NodeIndex node, const Rewards& mapped) override { means_[node] = mapped.mean(); }
  void accept_observed(Arm /*arm*/, const Rewards& /*mapped*/) override {}
  void transfer(State& state) override {
    state.mark("round-robin");
    TurnOptimizer::transfer(state);
    state(next_, means_);
  }

  Space space_;
  std::vector<std::vector<double>> arms_;
  std::vector<double> means_;
  std::uint64_t next_ = 0;
};

}  // namespace canopy::testing
