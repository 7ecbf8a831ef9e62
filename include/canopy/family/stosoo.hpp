#pragma once

#include "canopy/family/detail/opening_tree.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace canopy {

struct StosooOptions {
  /// n, at least 1: the total number of pulls. After it, the recommended arm is played.
  std::uint64_t horizon = 1000;

  /// k, at least 1: pulls of a cell before it is cut; ceil(n / (ln n)^3) unless set. More noise
  /// requires more pulls.
  std::optional<std::uint64_t> cell_pulls = std::nullopt;

  /// h_max, at least 1: no deeper cell is cut; ceil(sqrt(n / k)) unless set.
  std::optional<std::uint64_t> depth_limit = std::nullopt;

  /// In (0, 1): the probability with which the bounds may fail; 1 / sqrt(n) unless set.
  std::optional<double> delta = std::nullopt;
};

template <class Visit>
void visit_fields(StosooOptions& options, Visit&& visit) {
  visit(Field{"horizon", "the total number of pulls", kAtLeastOne}, options.horizon);
  visit(Field{"cell_pulls", "pulls of a cell before it is cut", kAtLeastOne}, options.cell_pulls);
  visit(Field{"depth_limit", "largest depth of a cell that is cut", kMillion}, options.depth_limit);
  visit(Field{"delta", "probability with which the bounds may fail", kOpenUnit}, options.delta);
}

/// The options with computed defaults.
[[nodiscard]] StosooOptions resolved(StosooOptions options);

/// Stochastic simultaneous optimistic optimization (Valko, Carpentier, Munos, ICML 2013, Figure 1):
/// SOO for noisy rewards, in which a cell is played k times before it is cut. It passes down the
/// tree from the root repeatedly, until n pulls are over:
///
///     b_max = -infinity
///     for h = 0 to min(depth of the tree, h_max):
///       v = the leaf of depth h with the largest b(v) = mean + R sqrt(ln(n k / delta) / (2 T))
///       if b(v) >= b_max:
///         if T < k: play its arm; else: cut its cell; b_max = b(v)
///
/// with T the pulls of a cell, b infinite without any, and R as in HCT. Among the deepest cells
/// that were cut, it recommends the one with the highest mean; before the first cut, the root.
///
/// Details not specified by the paper. The depth of the tree is evaluated at every h. Ties go to
/// the leaf created first. A part with the arm of its parent cell starts without rewards, as that
/// cell was selected for its high mean. Once all cells down to h_max are cut, the recommended arm
/// is played. A step costs O(log n), and a pass O(h_max) for all its pulls.
class Stosoo final : public OpeningTree {
 public:
  static constexpr std::uint32_t kParts = 3;

  /// Throws ConfigurationError.
  explicit Stosoo(const Space& space, const StosooOptions& options = {},
                  const Objective& objective = {});
  explicit Stosoo(const std::shared_ptr<const Partition>& partition,
                  const StosooOptions& options = {}, const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  [[nodiscard]] std::optional<Choice> explore() override;
  [[nodiscard]] double value_of(const Node& node) const override;
  [[nodiscard]] bool may_recommend(const Node& node) const override;
  void transfer(State& state) override;

  std::uint64_t horizon_ = 0;
  double cell_pulls_ = 0.0;
  std::uint32_t depth_limit_ = 0;
  double log_ = 0.0;         // ln(n k / delta) / 2
  std::uint32_t depth_ = 0;  // h
  double b_max_ = -kInfinity;
};

}  // namespace canopy
