#include "optimizers/bounded_tree.hpp"

namespace canopy {

std::vector<NodeView> views_of(const BoundedTree& tree) {
  std::vector<NodeView> views;
  for (const NodeIndex i : tree.shallow_first()) {
    const BoundedTree::Node& node = tree[i];
    views.push_back({tree.path(i), tree.arm(i), static_cast<std::uint64_t>(node.pulls), node.mean(),
                     node.upper, node.bound, node.is_leaf()});
  }
  return views;
}

}  // namespace canopy
