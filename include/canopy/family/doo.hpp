#pragma once

#include "canopy/family/detail/opening_tree.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace canopy {

struct DooOptions {
  /// nu1 > 0 and rho in (0, 1): f varies by at most nu1 rho^h, in mapped units, around the maximum
  /// within a cell at depth h. Raising either explores more. Unless set, rho is 3^(-1/dimension),
  /// which suits cells cut in three along one side after the other, and an f that varies in
  /// proportion to the distance.
  double nu1 = 1.0;
  std::optional<double> rho = std::nullopt;
};

template <class Visit>
void visit_fields(DooOptions& options, Visit&& visit) {
  visit(Field{"nu1", "f varies by at most nu1 rho^h in a cell at depth h", kPositive}, options.nu1);
  visit(Field{"rho", "see nu1", kOpenUnit}, options.rho);
}

/// Deterministic optimistic optimization (Munos, "Optimistic optimization of a deterministic
/// function without the knowledge of its smoothness", NIPS 2011, Figure 1), for rewards without
/// noise. It cuts the leaf with the largest
///
///     b(v) = f(x_v) + R nu1 rho^h
///
/// and plays the arms of its parts, once each. It recommends the best arm it has seen.
///
/// Details not specified by the paper: ties go to the shallower leaf, and at equal depth to the
/// leaf created first. R, and the exceptions for cells of a list, are as in HCT. A part that has
/// the arm of its parent cell, such as the middle one of three, is not played again. With noise the
/// single reward of an arm is taken for f; observed rewards are averaged. A step costs O(depth), to
/// compare the best leaves of all depths.
class Doo final : public OpeningTree {
 public:
  static constexpr std::uint32_t kParts = 3;

  /// Throws ConfigurationError.
  explicit Doo(const Space& space, const DooOptions& options = {}, const Objective& objective = {});
  explicit Doo(const std::shared_ptr<const Partition>& partition, const DooOptions& options = {},
               const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  [[nodiscard]] std::optional<Choice> explore() override;
  [[nodiscard]] double value_of(const Node& node) const override;
  [[nodiscard]] std::optional<NodeIndex> best_of_all() const;
  void transfer(State& state) override;

  double nu1_;
  double rho_;
};

}  // namespace canopy
