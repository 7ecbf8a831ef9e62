#pragma once

#include "support/textbook_cells.hpp"

#include <cmath>

namespace canopy::testing {

/// DOO as in its paper: every b is recomputed for every cut.
inline void textbook_doo(TextbookCells& tree, double nu1, double rho, SideBySide& world) {
  using Cell = TextbookCells::Cell;
  const auto b = [&](const Cell& cell) {
    const Extent extent = tree.partition().extent(cell.box);
    if (extent == Extent::one_arm) return cell.mean();
    const int depth = extent == Extent::unordered ? 0 : cell.depth;
    return cell.mean() + world.scale() * (nu1 * std::pow(rho, depth));
  };
  world.play(tree.root());
  for (;;) {
    Cell* best = nullptr;
    for (int h = 0; h <= tree.depth(); ++h) {
      Cell* here = TextbookCells::best(tree.leaves(h), b);
      if (here != nullptr && (best == nullptr || b(*here) > b(*best))) best = here;
    }
    if (best == nullptr) return;
    if (tree.cut(*best)) world.play_parts(*best);
  }
}

}  // namespace canopy::testing
