#pragma once

#include "support/textbook_cells.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace canopy::testing {

/// StroquOOL as in its paper. Returns the cell that it recommends.
inline TextbookCells::Cell* textbook_stroquool(TextbookCells& tree, int h_max, SideBySide& world) {
  using Cell = TextbookCells::Cell;
  const auto play = [&](Cell& cell, int times) {
    for (int i = 0; i < times; ++i) world.play(cell);
  };
  const auto open = [&](Cell& cell, int times) {
    if (!tree.cut(cell)) return false;
    for (Cell* part : cell.parts) play(*part, times);
    return true;
  };
  (void)open(tree.root(), h_max);
  for (int h = 1; h <= h_max; ++h) {
    for (int p = static_cast<int>(std::floor(std::log2(static_cast<double>(h_max) / h))); p >= 0;
         --p) {
      const int times = 1 << p;
      std::vector<Cell*> cells;
      for (Cell* cell : tree.leaves(h)) {
        if (cell->pulls >= times) cells.push_back(cell);
      }
      std::stable_sort(cells.begin(), cells.end(),
                       [](const Cell* a, const Cell* b) { return a->mean() > b->mean(); });
      int left = h_max / (h * times);
      for (Cell* cell : cells) {
        if (left > 0 && open(*cell, times)) --left;
      }
    }
  }
  std::vector<Cell*> candidates;
  for (int times = 1; times <= h_max; times *= 2) {
    std::vector<Cell*> known;
    for (Cell* cell : tree.all()) {
      if (cell->pulls >= times) known.push_back(cell);
    }
    Cell* best = TextbookCells::best(known, [](const Cell& cell) { return cell.mean(); });
    const bool is_new = std::find(candidates.begin(), candidates.end(), best) == candidates.end();
    if (best != nullptr && is_new) candidates.push_back(best);
  }
  Cell* best = nullptr;
  double highest = 0.0;
  for (Cell* candidate : candidates) {
    Cell fresh = *candidate;
    fresh.pulls = fresh.sum = 0.0;
    play(fresh, h_max);
    if (best == nullptr || fresh.mean() > highest) {
      best = candidate;
      highest = fresh.mean();
    }
  }
  return best != nullptr ? best : &tree.root();
}

/// The recommendation if the horizon ends the first loop: the highest mean among the cells with the
/// most pulls, by powers of two.
inline TextbookCells::Cell* textbook_stroquool_interrupted(const TextbookCells& tree, int h_max) {
  using Cell = TextbookCells::Cell;
  for (int p = static_cast<int>(std::floor(std::log2(h_max))); p >= 0; --p) {
    std::vector<Cell*> known;
    for (Cell* cell : tree.all()) {
      if (cell->pulls >= (1 << p)) known.push_back(cell);
    }
    if (known.empty()) continue;
    return TextbookCells::best(known, [](const Cell& cell) { return cell.mean(); });
  }
  return nullptr;
}

}  // namespace canopy::testing
