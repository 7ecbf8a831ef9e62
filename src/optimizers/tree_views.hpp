#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/optimizer.hpp"

#include <optional>
#include <vector>

namespace canopy {

/// Every node for people, the shallow ones first, from left to right.
[[nodiscard]] std::vector<NodeView> views_of(const CoverTree& tree);

/// The pulled node with the largest mean - width(node). A tie goes to more pulls, then to the
/// shallower, then to the left node.
template <class Width>
[[nodiscard]] std::optional<NodeIndex> best_node(const CoverTree& tree, Width&& width) {
  std::optional<NodeIndex> best;
  double best_lower = 0.0;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree[i];
    if (node.pulls == 0.0) continue;
    const double lower = node.mean() - width(node);
    const bool better = [&] {
      if (!best) return true;
      const Node& leader = tree[*best];
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
