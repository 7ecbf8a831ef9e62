#pragma once

#include "canopy/detail/bounded_node.hpp"
#include "canopy/optimizer.hpp"

#include <algorithm>
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

}  // namespace canopy
