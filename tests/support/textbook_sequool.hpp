#pragma once

#include "support/textbook_cells.hpp"

#include <algorithm>
#include <cmath>

namespace canopy::testing {

/// SequOOL as in its paper, for `n` cells to be cut.
inline void textbook_sequool(TextbookCells& tree, int n, SideBySide& world) {
  using Cell = TextbookCells::Cell;
  double harmonic = 0.0;
  for (int i = n; i >= 1; --i) harmonic += 1.0 / i;
  const int h_max = std::max(1, static_cast<int>(std::floor(n / harmonic)));
  world.play(tree.root());
  if (tree.cut(tree.root())) world.play_parts(tree.root());
  for (int h = 1; h <= h_max; ++h) {
    std::vector<Cell*> cells = tree.at(h);
    std::stable_sort(cells.begin(), cells.end(),
                     [](const Cell* a, const Cell* b) { return a->mean() > b->mean(); });
    int left = h_max / h;
    for (Cell* cell : cells) {
      if (left == 0) break;
      if (!tree.cut(*cell)) continue;
      --left;
      world.play_parts(*cell);
    }
  }
}

}  // namespace canopy::testing
