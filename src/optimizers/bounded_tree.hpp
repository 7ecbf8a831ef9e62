#pragma once

#include "canopy/detail/bounded_node.hpp"
#include "canopy/errors.hpp"
#include "canopy/optimizer.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace canopy {

// Functions for all trees whose nodes derive from BoundedNode.

/// The largest bound of a node's children.
template <class Tree>
[[nodiscard]] double largest_child_bound(const Tree& tree, const typename Tree::Node& node) {
  double largest = std::max(tree[node.children].bound, tree[node.children + 1].bound);
  for (std::uint32_t i = 2; i < Tree::child_count(node); ++i) {
    largest = std::max(largest, tree[node.children + i].bound);
  }
  return largest;
}

/// The B rule: a leaf's bound is its own upper bound; for other nodes the children's bounds tighten
/// it.
template <class Tree>
[[nodiscard]] double backed_up_bound(const Tree& tree, const typename Tree::Node& node) {
  return node.is_leaf() ? node.upper : std::min(node.upper, largest_child_bound(tree, node));
}

/// The child with the larger bound; a tie goes to the left one.
template <class Tree>
[[nodiscard]] NodeIndex better_child(const Tree& tree, const typename Tree::Node& node) {
  const NodeIndex left = node.children;
  return tree[left].bound >= tree[left + 1].bound ? left : left + 1;
}

/// Creates a tree whose root has children. Throws ConfigurationError if there is only one arm.
template <class Tree>
[[nodiscard]] Tree planted(std::shared_ptr<const Partition> partition) {
  Tree tree(std::move(partition));
  if (!tree.expand(Tree::kRoot)) {
    throw ConfigurationError({{"space", "", "must have at least two arms"}});
  }
  return tree;
}

/// All nodes in the user's units, in breadth-first order, each level from left to right.
template <class Tree>
[[nodiscard]] std::vector<NodeView> views_of(const Tree& tree) {
  std::vector<NodeView> views;
  for (const NodeIndex i : tree.shallow_first()) {
    const typename Tree::Node& node = tree[i];
    views.push_back({tree.path(i), tree.arm(i), static_cast<std::uint64_t>(node.pulls), node.mean(),
                     node.upper, node.bound, node.is_leaf()});
  }
  return views;
}

}  // namespace canopy
