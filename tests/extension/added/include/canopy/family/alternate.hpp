#pragma once

#include "canopy/options.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <array>
#include <memory>
#include <vector>

namespace canopy {

struct AlternateOptions {
  /// 0 to 1: where the two arms lie, as a share of the range of every parameter.
  double first = 0.25;
  double second = 0.75;
};

template <class Visit>
void visit_fields(AlternateOptions& options, Visit&& visit) {
  visit(Field{"first", "where one arm lies, as a share of every range", kUnit}, options.first);
  visit(Field{"second", "the same for the other arm", kUnit}, options.second);
}

/// Plays two arms in turn, whatever they earn.
class Alternate final : public TurnOptimizer {
 public:
  /// Throws ConfigurationError.
  explicit Alternate(const Space& space, const AlternateOptions& options = {},
                     const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return arms_.at(node); }
  [[nodiscard]] bool contains(Arm arm) const override { return space_.contains(arm); }
  void transfer(State& state) override;
  [[nodiscard]] Choice choose() override;
  void learn(NodeIndex /*node*/, const Rewards& /*mapped*/) override {}
  void accept_observed(Arm /*arm*/, const Rewards& /*mapped*/) override {}

  Space space_;
  std::array<std::vector<double>, 2> arms_;
  NodeIndex next_ = 0;
};

}  // namespace canopy
