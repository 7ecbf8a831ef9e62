#pragma once

#include "canopy/options.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

struct GridOptions {
  /// 1 to 1e6: arms along each parameter, in the middle of as many equal parts; an integer or a
  /// choice has no more than it has values, and an integer on a log scale fewer where several parts
  /// have the same middle. At most 100 000 in total.
  std::uint64_t points = 32;

  /// > 0: multiplies the confidence term; 1 is UCB1. Raising it explores more.
  double confidence_scale = 0.1;
};

template <class Visit>
void visit_fields(GridOptions& options, Visit&& visit) {
  visit(Field{"points", "arms along each parameter", kMillion}, options.points);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
}

/// A fixed grid of arms under UCB1 (Auer, Cesa-Bianchi, Fischer, "Finite-time Analysis of the
/// Multiarmed Bandit Problem", Machine Learning 47, 2002): play the arm with the largest
/// mean + R confidence_scale sqrt(2 ln n / pulls), n the pulls so far, R the scale as in HCT, those
/// without pulls first. What one would do without a tree. A step looks at every arm. Rewards that
/// nobody asked for count if their arm is on the grid.
class Grid final : public TurnOptimizer {
 public:
  static constexpr std::size_t kMostArms = 100'000;

  /// Throws ConfigurationError.
  explicit Grid(const Space& space, const GridOptions& options = {},
                const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

  [[nodiscard]] std::size_t size() const { return statistics_.size(); }

 private:
  struct Statistics {
    double pulls = 0.0;
    double sum = 0.0;

    void transfer(State& state) {
      state(pulls, sum);
      state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
    }
  };

  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return arm(node); }
  [[nodiscard]] bool contains(Arm arm) const override { return space_.contains(arm); }
  void transfer(State& state) override;

  [[nodiscard]] Choice choose() override;
  void learn(NodeIndex node, const Rewards& mapped) override;
  void accept_observed(Arm arm, const Rewards& mapped) override;
  [[nodiscard]] Arm arm(std::size_t index) const;
  [[nodiscard]] double width(double pulls) const;

  Space space_;
  std::size_t arm_size_;
  double confidence_scale_;
  std::vector<double> arms_;  // rows of arm_size_ numbers
  std::vector<Statistics> statistics_;
};

}  // namespace canopy
