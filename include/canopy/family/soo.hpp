#pragma once

#include "canopy/family/detail/opening_tree.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace canopy {

struct SooOptions {
  /// In (0, 1]: after t - 1 cuts, no cell deeper than h_max(t) = t^depth_power is cut. Raising it
  /// refines fewer arms more. The paper uses 1/2 for functions with few best cells per depth.
  double depth_power = 0.5;
};

template <class Visit>
void visit_fields(SooOptions& options, Visit&& visit) {
  visit(
      Field{"depth_power", "the t-th cell to be cut is at most t^depth_power deep", kHalfOpenUnit},
      options.depth_power);
}

/// Simultaneous optimistic optimization (Munos, "Optimistic optimization of a deterministic
/// function without the knowledge of its smoothness", NIPS 2011, Figure 2), for rewards without
/// noise. It needs neither the smoothness of f nor a horizon. It passes down the tree from the root
/// repeatedly:
///
///     v_max = -infinity
///     for h = 0 to min(depth of the tree, h_max(t)):
///       v = the leaf of depth h with the largest f(x_v)
///       if f(x_v) >= v_max: cut it and play the arms of its parts; v_max = f(x_v); t = t + 1
///
/// It recommends the best arm seen.
///
/// Details not specified by the paper. The depth of the tree and h_max(t) are evaluated at every h,
/// with the current t. Ties go to the leaf created first. The root's arm is played first, since
/// v_max needs it. A part that has the arm of its parent cell, such as the middle one of three, is
/// not played again; hence three parts are the default. If no leaf is as shallow as h_max(t), the
/// paper's loop never ends; with two parts and h_max(t) = sqrt(t) this happens at the eighth cell.
/// Here the shallowest leaves are then allowed. With noise the single reward of an arm is taken for
/// f; observed rewards are averaged. A step costs O(log t), and a pass O(depth) for all its cuts.
class Soo final : public OpeningTree {
 public:
  static constexpr std::uint32_t kParts = 3;

  /// Throws ConfigurationError.
  explicit Soo(const Space& space, const SooOptions& options = {}, const Objective& objective = {});
  explicit Soo(const std::shared_ptr<const Partition>& partition, const SooOptions& options = {},
               const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  [[nodiscard]] std::optional<Choice> explore() override;
  void transfer(State& state) override;
  bool open_next();
  [[nodiscard]] std::uint32_t deepest();

  double depth_power_;
  std::uint32_t depth_ = 0;  // h
  double v_max_ = -kInfinity;
  std::uint64_t cuts_ = 0;        // t - 1
  std::uint32_t shallowest_ = 0;  // no candidate leaf is shallower
};

}  // namespace canopy
