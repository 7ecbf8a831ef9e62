#include "optimizers/bounded_tree.hpp"

#include <cstddef>

namespace canopy {

std::vector<NodeView> views_of(const BoundedTree& tree) {
  std::vector<NodeIndex> order{BoundedTree::kRoot};
  std::vector<NodeView> views;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const BoundedTree::Node& node = tree[order[i]];
    if (!node.is_leaf()) order.insert(order.end(), {node.children, node.children + 1});
    views.push_back({tree.path(order[i]), tree.arm(order[i]),
                     static_cast<std::uint64_t>(node.pulls), node.mean(), node.upper, node.bound,
                     node.is_leaf()});
  }
  return views;
}

}  // namespace canopy
