#pragma once

#include "canopy/optimizer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace canopy::testing {

// Shortcuts to the tree of an optimizer that has one. All of them update its bounds.

inline std::vector<NodeView> nodes_of(Optimizer& optimizer) {
  return optimizer.tree()->nodes();
}

/// The path to the arm of an open ticket.
inline std::string path_of(Optimizer& optimizer, Ticket ticket) {
  const TreeView& tree = *optimizer.tree();
  return tree.path(tree.place(ticket).value().node);
}

inline std::uint32_t depth_of(Optimizer& optimizer, Ticket ticket) {
  return optimizer.tree()->place(ticket).value().depth;
}

}  // namespace canopy::testing
