#pragma once

#include "canopy/family/detail/hoo_tree.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace canopy {

struct HooOptions {
  /// nu1 > 0 and rho in (0, 1): f varies by at most nu1 rho^h, in mapped units, around the maximum
  /// within a cell at depth h. Raising either explores more. rho is 2^(-1/dimension) unless set.
  double nu1 = 1.0;
  std::optional<double> rho = std::nullopt;

  /// > 0: multiplies the confidence term; 1 is the value of the theorems. Raising it explores more.
  double confidence_scale = 0.2;

  /// Seed of the random choices that break ties.
  std::uint64_t seed = 1;
};

template <class Visit>
void visit_fields(HooOptions& options, Visit&& visit) {
  visit(Field{"nu1", "f varies by at most nu1 rho^h in a cell at depth h", kPositive}, options.nu1);
  visit(Field{"rho", "see nu1", kOpenUnit}, options.rho);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
  visit(Field{"seed", "seed of the algorithm's random choices", kAnyWhole}, options.seed);
}

/// Hierarchical optimistic optimization (Bubeck, Munos, Stoltz, Szepesvari, "X-Armed Bandits", JMLR
/// 12, 2011, Section 3). The root has two children from the start, and is not played. Every pull
/// expands the leaf that it played, and the logarithm ln t in U changes all bounds at every step: a
/// step costs O(nodes), a run of n pulls O(n^2) time and 2n nodes. Kept in its original form, to
/// show that cost.
class Hoo final : public HooTree {
 public:
  /// Throws ConfigurationError.
  explicit Hoo(const Space& space, const HooOptions& options = {}, const Objective& objective = {});
  explicit Hoo(const std::shared_ptr<const Partition>& partition, const HooOptions& options = {},
               const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  void learn_here(NodeIndex node, const Rewards& mapped) override;
  void transfer(State& state) override;
};

}  // namespace canopy
