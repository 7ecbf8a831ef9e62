#pragma once

#include "canopy/hoo_tree.hpp"
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

  /// > 0: multiplies the confidence term; 1 is what the theorems are about. Raising it explores
  /// more.
  double confidence_scale = 0.2;

  /// Of the coin that breaks ties.
  std::uint64_t seed = 1;
};

/// Hierarchical optimistic optimization (Bubeck, Munos, Stoltz, Szepesvari, "X-Armed Bandits", JMLR
/// 12, 2011, Section 3). The root has two children from the start, and is not played. Every pull
/// gives the leaf it played two children, and the logarithm ln t in U moves all bounds at every
/// step: a step costs O(tree), a run of n pulls O(n^2) time and 2n nodes. Kept as the authors have
/// it, so that the cost can be seen.
class Hoo final : public HooTree {
 public:
  /// Throws ConfigurationError.
  explicit Hoo(const Space& space, const HooOptions& options = {}, const Objective& objective = {});
  explicit Hoo(const std::shared_ptr<const Partition>& partition, const HooOptions& options = {},
               const Objective& objective = {});

 private:
  void learn(NodeIndex node, double pulls, double sum) override;
  void transfer(State& state) override;
};

}  // namespace canopy
