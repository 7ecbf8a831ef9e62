#pragma once

#include "support/textbook_cells.hpp"

#include <algorithm>
#include <cmath>

namespace canopy::testing {

/// StoSOO as in its paper. Returns the cell that it recommends.
inline TextbookCells::Cell* textbook_stosoo(TextbookCells& tree, double n, double k, int h_max,
                                            double delta, SideBySide& world) {
  using Cell = TextbookCells::Cell;
  const auto b = [&](const Cell& cell) {
    if (cell.pulls == 0.0) return TextbookCells::kInf;
    return cell.mean() + world.scale() * std::sqrt(0.5 * std::log(n * k / delta) / cell.pulls);
  };
  const auto t = [&] { return static_cast<double>(world.t()); };
  for (bool something = true; something && t() <= n;) {
    something = false;
    double b_max = -TextbookCells::kInf;
    for (int h = 0; h <= std::min(tree.depth(), h_max) && t() <= n; ++h) {
      for (bool again = true; again;) {  // repeats only if a cell cannot be cut
        again = false;
        Cell* best = TextbookCells::best(tree.leaves(h), b);
        if (best == nullptr || b(*best) < b_max) continue;
        if (best->pulls < k) {
          world.play(*best);
          something = true;
        } else if (tree.cut(*best)) {
          b_max = b(*best);
          something = true;
        } else {
          again = true;
        }
      }
    }
  }
  Cell* best = nullptr;
  for (Cell* cell : tree.all()) {
    if (cell->parts.empty()) continue;
    const bool deeper = best == nullptr || cell->depth > best->depth;
    if (deeper || (cell->depth == best->depth && cell->mean() > best->mean())) best = cell;
  }
  return best != nullptr ? best : &tree.root();
}

}  // namespace canopy::testing
