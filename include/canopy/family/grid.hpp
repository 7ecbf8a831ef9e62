#pragma once

#include "canopy/family/detail/grid_bandit.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace canopy {

struct GridOptions {
  /// 1 to 1e6: arms along each parameter, in the middle of as many equal parts; an integer or a
  /// choice has no more than it has values, and an integer on a log scale fewer where several parts
  /// have the same middle. At most 100 000 in total. Unless it is set: 32, or as many as make about
  /// a thousand in total: 10 for three parameters, 3 for six.
  std::optional<std::uint64_t> points = std::nullopt;

  /// > 0: multiplies the confidence term; 1 is UCB1. Raising it explores more.
  double confidence_scale = 0.1;
};

template <class Visit>
void visit_fields(GridOptions& options, Visit&& visit) {
  visit(kPointsField, options.points);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
}

/// A fixed grid of arms under UCB1 (Auer, Cesa-Bianchi, Fischer, "Finite-time Analysis of the
/// Multiarmed Bandit Problem", Machine Learning 47, 2002): play the arm with the largest
/// mean + R confidence_scale sqrt(2 ln n / pulls), n the pulls so far, R the scale as in HCT, those
/// without pulls first. What one would do without a tree. A step looks at every arm. Rewards that
/// nobody asked for count if their arm is on the grid.
class Grid final : public GridBandit {
 public:
  /// Throws ConfigurationError.
  explicit Grid(const Space& space, const GridOptions& options = {},
                const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  void transfer(State& state) override;
  [[nodiscard]] Choice choose() override;

  double confidence_scale_;
};

}  // namespace canopy
