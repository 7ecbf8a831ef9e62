#pragma once

#include "canopy/detail/bounded_node.hpp"
#include "canopy/optimizer.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

/// The B rule: a leaf's bound is its own upper bound; above, the children tighten it.
[[nodiscard]] inline double backed_up_bound(const BoundedTree& tree,
                                            const BoundedTree::Node& node) {
  if (node.is_leaf()) return node.upper;
  return std::min(node.upper, std::max(tree[node.children].bound, tree[node.children + 1].bound));
}

/// The child with the larger bound; a tie goes to the left one.
[[nodiscard]] inline NodeIndex better_child(const BoundedTree& tree,
                                            const BoundedTree::Node& node) {
  const NodeIndex left = node.children;
  return tree[left].bound >= tree[left + 1].bound ? left : left + 1;
}

/// Every node for people, the shallow ones first, from left to right.
[[nodiscard]] std::vector<NodeView> views_of(const BoundedTree& tree);

/// The pulled node with the largest mean - width(node). A tie goes to more pulls, then to the
/// shallower, then to the left node.
template <class Width>
[[nodiscard]] std::optional<NodeIndex> best_node(const BoundedTree& tree, Width&& width) {
  std::optional<NodeIndex> best;
  double best_lower = 0.0;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const BoundedTree::Node& node = tree[i];
    if (node.pulls == 0.0) continue;
    const double lower = node.mean() - width(node);
    const bool better = [&] {
      if (!best) return true;
      const BoundedTree::Node& leader = tree[*best];
      if (lower != best_lower) return lower > best_lower;
      if (node.pulls != leader.pulls) return node.pulls > leader.pulls;
      if (node.depth != leader.depth) return node.depth < leader.depth;
      return tree.is_left_of(i, *best);
    }();
    if (!better) continue;
    best = i;
    best_lower = lower;
  }
  return best;
}

}  // namespace canopy
