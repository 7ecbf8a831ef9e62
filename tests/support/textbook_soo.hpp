#pragma once

#include "support/textbook_cells.hpp"

#include <algorithm>
#include <cmath>

namespace canopy::testing {

/// SOO as in its paper, with canopy's choices where the paper leaves details open.
inline void textbook_soo(TextbookCells& tree, double depth_power, SideBySide& world) {
  using Cell = TextbookCells::Cell;
  const auto f = [](const Cell& cell) { return cell.mean(); };
  world.play(tree.root());
  double t = 1.0;
  const auto h_max = [&] {
    double shallowest = 0.0;
    while (shallowest < tree.depth() && tree.leaves(static_cast<int>(shallowest)).empty()) {
      shallowest += 1.0;
    }
    return std::max(std::pow(t, depth_power), shallowest);
  };
  for (bool expanded = true; expanded;) {
    expanded = false;
    double v_max = -TextbookCells::kInf;
    for (int h = 0; h <= std::min<double>(tree.depth(), h_max()); ++h) {
      Cell* best = TextbookCells::best(tree.leaves(h), f);
      while (best != nullptr && f(*best) >= v_max && !tree.cut(*best)) {
        best = TextbookCells::best(tree.leaves(h), f);
      }
      if (best == nullptr || best->parts.empty()) continue;
      v_max = f(*best);
      t += 1.0;
      expanded = true;
      world.play_parts(*best);
    }
  }
}

}  // namespace canopy::testing
