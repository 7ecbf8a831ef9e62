#pragma once

#include "canopy/optimizer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace canopy::testing {

// Short ways into the tree of an optimizer that has one. All of them bring its bounds up to date.

inline std::vector<NodeView> nodes_of(Optimizer& optimizer) {
  return optimizer.tree()->nodes();
}

/// The way down to the arm of an open ticket.
inline std::string path_of(Optimizer& optimizer, Ticket ticket) {
  const TreeView& tree = *optimizer.tree();
  return tree.path(tree.place(ticket).value().node);
}

inline std::uint32_t depth_of(Optimizer& optimizer, Ticket ticket) {
  return optimizer.tree()->place(ticket).value().depth;
}

}  // namespace canopy::testing
