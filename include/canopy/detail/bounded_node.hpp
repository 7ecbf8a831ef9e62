#pragma once

#include "canopy/cover_tree.hpp"

namespace canopy {

/// Data of a node of the optimistic trees. With its links a node is 48 bytes:
///
///      0  pulls | 8  bound | 16  upper | 24  sum
///     32  parent | 36  children | 40  depth | 44  splittable | 45  extent | 46  parts
///
/// The sum and the pulls are not adjacent: compilers would pack them into one register, which is
/// slower, since both change at every reward.
struct BoundedNode {
  double pulls = 0.0;        ///< T: number of rewards; a double because every formula needs one
  double bound = kInfinity;  ///< B: the upper bound, tightened by the children's
  double upper = kInfinity;  ///< U: the node's own upper bound
  double sum = 0.0;          ///< sum of rewards here (HOO: in the subtree), in mapped units

  [[nodiscard]] double mean() const { return pulls == 0.0 ? 0.0 : sum / pulls; }

  void transfer(State& state) {
    state(bound, upper, sum, pulls);
    state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
  }
};

using BoundedTree = CoverTree<BoundedNode>;

/// As above, over a partition into any number of parts.
using BoundedTreeOfAny = CoverTree<BoundedNode, kAnyArity>;

/// The range of f within the cell of a node, given R nu1 rho^h by depth: 0 for a cell with a single
/// arm; not used for unordered values, where depth says nothing about f.
template <class Node>
[[nodiscard]] double cell_resolution(const Node& node, const std::vector<double>& by_depth) {
  if (node.extent == Extent::shrinks) return by_depth[node.depth];
  return node.extent == Extent::one_arm ? 0.0 : by_depth[0];
}

static_assert(sizeof(BoundedTree::Node) <= 64, "a hot node fits a cache line");

}  // namespace canopy
