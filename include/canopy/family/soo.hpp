#pragma once

#include "canopy/family/detail/opening_tree.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace canopy {

struct SooOptions {
  /// In (0, 1]: once t - 1 cells were cut, none deeper than h_max(t) = t^depth_power is. Raising it
  /// looks closer around few arms. The paper has 1/2 where the best cells of a depth are few.
  double depth_power = 0.5;
};

template <class Visit>
void visit_fields(SooOptions& options, Visit&& visit) {
  visit(Field{"depth_power", "the t-th cell that is cut is no deeper than t^depth_power",
              kHalfOpenUnit},
        options.depth_power);
}

/// Simultaneous optimistic optimization (Munos, "Optimistic optimization of a deterministic
/// function without the knowledge of its smoothness", NIPS 2011, Figure 2), for rewards without
/// noise. It knows nothing about how smooth f is, and needs no horizon. It goes from the root down,
/// again and again:
///
///     v_max = -infinity
///     for h = 0 to min(depth of the tree, h_max(t)):
///       v = the leaf of depth h with the largest f(x_v)
///       if f(x_v) >= v_max: cut it and play the arms of its parts; v_max = f(x_v); t = t + 1
///
/// It recommends the best arm it has seen.
///
/// What the paper leaves open. The depth of the tree and h_max(t) are taken anew at every h, with
/// the t of the moment. Of equal leaves the one that was made first is cut. The root's arm is
/// played first, since v_max needs it. A part that has the arm of the cell it was cut from, as
/// the middle one of three, is not played again; hence the three parts that are the default.
/// If no leaf is as shallow as h_max(t) the paper's loop would never end: two parts and
/// h_max(t) = sqrt(t) get there with the eighth cell. The shallowest leaves are then admitted.
/// With noise the one reward of an arm is taken for f; rewards that come from elsewhere are
/// averaged. A step costs O(log t), and to go down once O(depth) for all that is cut on the way.
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
  std::uint32_t shallowest_ = 0;  // no leaf in question is above
};

}  // namespace canopy
