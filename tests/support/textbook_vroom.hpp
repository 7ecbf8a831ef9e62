#pragma once

#include "canopy/random.hpp"

#include "support/textbook_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace canopy::testing {

/// VROOM as described at canopy's class, with all cells of all depths from the start, sorting all
/// of them at every step, and summing term by term.
class TextbookVroom {
 public:
  using Leaf = TextbookCells::Cell;

  struct Cell {
    Leaf* leaf = nullptr;  ///< its node in the tree, shared by depths if it cannot be cut
    double share = 1.0;
    std::vector<Cell*> parts = {};
    Cell* above = nullptr;
    double pulls = 0.0;
    double sum = 0.0;
    double weight = 0.0;
    double weighted_sum = 0.0;
    double inverse_probabilities = 0.0;
    int first_reward = 0;  ///< step of its first reward
    double probability = 0.0;
  };

  TextbookVroom(TextbookCells& tree, int depth, double n, double delta, double confidence_scale,
                std::uint64_t seed)
      : depth_(depth),
        n_(n),
        delta_(delta),
        confidence_scale_(confidence_scale),
        random_({.seed = seed, .algorithm = "vroom"}) {
    levels_.resize(static_cast<std::size_t>(depth) + 1);
    levels_[0].push_back(std::make_unique<Cell>(Cell{.leaf = &tree.root()}));
    for (int h = 0; h < depth; ++h) {
      for (const auto& cell : levels_[static_cast<std::size_t>(h)]) add_parts(tree, *cell, h);
    }
    for (int h = 1; h <= depth; ++h) {
      const auto ranks = static_cast<int>(std::lround(std::pow(tree.partition().arity(), h)));
      ranks_.push_back(ranks);
      for (int rank = 1; rank <= ranks; ++rank) total_ += 1.0 / (h * static_cast<double>(rank));
    }
  }

  /// One step.
  void step(SideBySide& world) {
    ++steps_;
    for (int h = 1; h <= depth_; ++h) rank(h, world.scale());
    auto [depth, cell] = draw();
    while (!cell->parts.empty()) cell = part_of(*cell);
    for (int h = 1; h <= depth_; ++h) {
      for (const auto& any : at(h)) any->inverse_probabilities += 1.0 / any->probability;
    }
    Leaf played = *cell->leaf;
    played.pulls = played.sum = 0.0;
    world.play(played);
    for (int h = depth_; h >= std::max(1, depth); --h, cell = cell->above) {
      if (cell->pulls == 0.0) cell->first_reward = steps_;
      cell->pulls += 1.0;
      cell->sum += played.sum;
      const double chance = chance_of(*cell, h);
      cell->weight += 1.0 / chance;
      cell->weighted_sum += played.sum / chance;
    }
  }

  /// The largest value by which cells are recommended, among all cells or among those with that
  /// arm.
  [[nodiscard]] double largest(double scale, const std::vector<double>* arm = nullptr) const {
    double largest = -TextbookCells::kInf;
    for (int h = 1; h <= depth_; ++h) {
      for (const auto& cell : at(h)) {
        if (cell->pulls == 0.0 || (arm != nullptr && cell->leaf->arm != *arm)) continue;
        const double width =
            std::sqrt(2.0 * std::log(2.0 * n_ * n_ / delta_) * cell->inverse_probabilities) /
            steps_;
        largest = std::max(largest,
                           cell->weighted_sum / cell->weight - scale * confidence_scale_ * width);
      }
    }
    return largest;
  }

 private:
  [[nodiscard]] const std::vector<std::unique_ptr<Cell>>& at(int h) const {
    return levels_[static_cast<std::size_t>(h)];
  }

  void add_parts(TextbookCells& tree, Cell& cell, int h) {
    std::vector<Leaf*> parts{cell.leaf};
    if (!cell.leaf->refuses && tree.cut(*cell.leaf)) parts = cell.leaf->parts;
    for (Leaf* part : parts) {
      levels_[static_cast<std::size_t>(h) + 1].push_back(std::make_unique<Cell>(Cell{
          .leaf = part, .share = cell.share / static_cast<double>(parts.size()), .above = &cell}));
      cell.parts.push_back(levels_[static_cast<std::size_t>(h) + 1].back().get());
    }
  }

  /// Sorts the cells with rewards, and assigns every cell its probability.
  void rank(int h, double scale) {
    std::vector<Cell*>& ranked = ranked_[h];
    ranked.clear();
    double unseen = 0.0;
    for (const auto& cell : at(h)) {
      if (cell->pulls > 0.0) {
        ranked.push_back(cell.get());
      } else {
        unseen += cell->share;
      }
    }
    const auto value = [&](const Cell& cell) {
      const double log = std::log(4.0 * n_ * n_ * n_ / delta_);
      return cell.sum / cell.pulls -
             scale * confidence_scale_ * std::sqrt(log / (2.0 * cell.pulls));
    };
    std::sort(ranked.begin(), ranked.end(), [&](const Cell* a, const Cell* b) {
      return value(*a) != value(*b) ? value(*a) > value(*b) : a->first_reward < b->first_reward;
    });
    double rest = 0.0;
    for (int k = ranks_[static_cast<std::size_t>(h) - 1]; k > static_cast<int>(ranked.size());
         --k) {
      rest += 1.0 / k;
    }
    rest_[h] = rest;
    for (const auto& cell : at(h)) cell->probability = rest * cell->share / unseen / (h * total_);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      ranked[i]->probability = 1.0 / (h * static_cast<double>(i + 1) * total_);
    }
  }

  [[nodiscard]] Cell* part_of(Cell& cell) {
    // A cell that cannot be cut needs no random number.
    if (cell.parts.size() == 1) return cell.parts[0];
    const double place = random_.uniform() * static_cast<double>(cell.parts.size());
    return cell.parts[static_cast<std::size_t>(place)];
  }

  /// Draws a depth and a cell.
  [[nodiscard]] std::pair<int, Cell*> draw() {
    double left = random_.uniform() * total_;
    for (int h = 1; h <= depth_; ++h) {
      for (std::size_t i = 0; i < ranked_[h].size(); ++i) {
        const double share = 1.0 / (h * static_cast<double>(i + 1));
        if (left < share) return {h, ranked_[h][i]};
        left -= share;
      }
      if (left < rest_[h] / h || h == depth_) {
        if (all_have_rewards(h)) return {0, levels_[0].front().get()};
        return {h, draw_unseen(h)};
      }
      left -= rest_[h] / h;
    }
    return {};
  }

  [[nodiscard]] bool all_have_rewards(int h) const { return ranked_.at(h).size() == at(h).size(); }

  /// Draws from all cells until one has no rewards at that depth; after a thousand draws, from
  /// those without rewards.
  [[nodiscard]] Cell* draw_unseen(int depth) {
    for (int tries = 0; tries < 1000; ++tries) {
      Cell* cell = levels_[0].front().get();
      for (int h = 0; h < depth; ++h) cell = part_of(*cell);
      if (cell->pulls == 0.0) return cell;
    }
    double all = 0.0;
    for (const auto& cell : at(depth)) all += cell->pulls == 0.0 ? cell->share : 0.0;
    double place = random_.uniform() * all;
    Cell* last = nullptr;
    for (const auto& cell : at(depth)) {
      if (cell->pulls != 0.0) continue;
      last = cell.get();
      if (place < cell->share) break;
      place -= cell->share;
    }
    return last;
  }

  /// Q: the probability of a point drawn uniformly in this cell, or in a cell that contains it.
  [[nodiscard]] double chance_of(const Cell& cell, int depth) const {
    double chance = 0.0;
    const Cell* above = &cell;
    for (int h = depth; h > 0; --h, above = above->above) {
      chance += above->probability * cell.share / above->share;
    }
    for (int h = 1; h <= depth_; ++h) {
      if (all_have_rewards(h)) chance += rest_.at(h) / (h * total_) * cell.share;
    }
    return chance;
  }

  int depth_;
  double n_;
  double delta_;
  double confidence_scale_;
  RandomStream random_;
  std::vector<std::vector<std::unique_ptr<Cell>>> levels_;
  std::vector<int> ranks_;                    // N, from depth 1 on
  std::map<int, std::vector<Cell*>> ranked_;  // cells with rewards, the best first
  std::map<int, double> rest_;                // part of H(N) for cells without rewards
  double total_ = 0.0;
  int steps_ = 0;
};

}  // namespace canopy::testing
