#pragma once

#include "canopy/cover_tree.hpp"

namespace canopy {

/// What the optimistic trees keep in a node. With its links a node is 48 bytes:
///
///      0  pulls | 8  bound | 16  upper | 24  sum
///     32  parent | 36  children | 40  depth | 44  splittable | 45  extent | 46  parts
///
/// The sum and the pulls change together at every reward; side by side, compilers would pack them
/// into one register and lose more time than they gain.
struct BoundedNode {
  double pulls = 0.0;        ///< T: how many rewards; whole, but every formula needs a real
  double bound = kInfinity;  ///< B: the upper bound tightened by the children.
  double upper = kInfinity;  ///< U: the node's own upper bound.
  double sum = 0.0;  ///< of the rewards observed here (HOO: in the subtree), in mapped units

  [[nodiscard]] double mean() const { return pulls == 0.0 ? 0.0 : sum / pulls; }

  void transfer(State& state) {
    state(bound, upper, sum, pulls);
    state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
  }
};

using BoundedTree = CoverTree<BoundedNode>;

/// The same over a partition into any number of parts.
using BoundedTreeOfAny = CoverTree<BoundedNode, kAnyArity>;

/// How much f may vary in the cell of a node, given R nu1 rho^h by depth: nothing where it holds a
/// single arm; depth says nothing about values without an order.
template <class Node>
[[nodiscard]] double cell_resolution(const Node& node, const std::vector<double>& by_depth) {
  if (node.extent == Extent::shrinks) return by_depth[node.depth];
  return node.extent == Extent::one_arm ? 0.0 : by_depth[0];
}

static_assert(sizeof(BoundedTree::Node) <= 64, "a hot node fits a cache line");

}  // namespace canopy
