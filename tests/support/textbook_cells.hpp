#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/partition.hpp"
#include "canopy/random.hpp"

#include "support/random_hct.hpp"
#include "support/rounded_halves.hpp"
#include "support/textbook_scale.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <rapidcheck.h>

namespace canopy::testing {

/// A plain tree of cells for algorithms written as in their papers, as loops that call a function
/// for every pull. It shares only the partition with canopy's.
class TextbookCells {
 public:
  static constexpr double kInf = std::numeric_limits<double>::infinity();

  struct Cell {
    std::vector<double> box;
    std::vector<double> arm;
    int depth = 0;
    double pulls = 0.0;
    double sum = 0.0;
    bool refuses = false;  ///< cannot be cut
    std::vector<Cell*> parts;

    [[nodiscard]] double mean() const { return sum / pulls; }
  };

  explicit TextbookCells(std::shared_ptr<const Partition> partition)
      : partition_(std::move(partition)) {
    std::vector<double> box(partition_->cell_size());
    partition_->root(box);
    add(box, 0);
  }

  [[nodiscard]] Cell& root() { return *cells_.front(); }
  [[nodiscard]] const Partition& partition() const { return *partition_; }

  /// Returns false if the cell cannot be cut, or if all parts would have its own arm or one would
  /// be the cell itself.
  bool cut(Cell& cell) {
    std::vector<double> boxes(partition_->arity() * cell.box.size());
    const std::uint32_t count =
        partition_->cut(cell.box, static_cast<std::uint32_t>(cell.depth), boxes);
    std::vector<std::vector<double>> parts;
    cell.refuses = true;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto first = boxes.begin() + static_cast<std::ptrdiff_t>(i * cell.box.size());
      parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(cell.box.size()));
      if (arm_of(parts.back()) != cell.arm) cell.refuses = false;
    }
    for (const std::vector<double>& part : parts) {
      if (part == cell.box) cell.refuses = true;
    }
    if (cell.refuses) return false;
    for (const std::vector<double>& part : parts) cell.parts.push_back(&add(part, cell.depth + 1));
    return true;
  }

  /// All cells of a depth in order of creation, or all cells.
  [[nodiscard]] std::vector<Cell*> at(int depth) const {
    std::vector<Cell*> found;
    for (const auto& cell : cells_) {
      if (cell->depth == depth) found.push_back(cell.get());
    }
    return found;
  }
  [[nodiscard]] std::vector<Cell*> all() const {
    std::vector<Cell*> found;
    for (const auto& cell : cells_) found.push_back(cell.get());
    return found;
  }

  /// The leaves of a depth that may be cut.
  [[nodiscard]] std::vector<Cell*> leaves(int depth) const {
    std::vector<Cell*> found;
    for (Cell* cell : at(depth)) {
      if (cell->parts.empty() && !cell->refuses) found.push_back(cell);
    }
    return found;
  }

  [[nodiscard]] int depth() const {
    int deepest = 0;
    for (const auto& cell : cells_) deepest = std::max(deepest, cell->depth);
    return deepest;
  }

  /// The first cell with the largest value; null if there is none.
  template <class Value>
  [[nodiscard]] static Cell* best(const std::vector<Cell*>& cells, Value&& value) {
    Cell* found = nullptr;
    for (Cell* cell : cells) {
      if (found == nullptr || value(*cell) > value(*found)) found = cell;
    }
    return found;
  }

 private:
  [[nodiscard]] std::vector<double> arm_of(const std::vector<double>& box) const {
    std::vector<double> arm(partition_->dimension());
    partition_->arm(box, arm);
    return arm;
  }

  Cell& add(std::vector<double> box, int depth) {
    auto cell = std::make_unique<Cell>();
    cell->arm = arm_of(box);
    cell->box = std::move(box);
    cell->depth = depth;
    cells_.push_back(std::move(cell));
    return *cells_.back();
  }

  std::shared_ptr<const Partition> partition_;
  std::vector<std::unique_ptr<Cell>> cells_;
};

/// Plays an optimizer beside a textbook: whenever the textbook pulls an arm, the optimizer must ask
/// for the same.
class SideBySide {
 public:
  using Cell = TextbookCells::Cell;

  /// Thrown at the end of a test's pulls.
  struct Over {};

  SideBySide(const RandomHct& setting, Optimizer& optimizer, std::uint64_t seed,
             std::uint64_t steps)
      : setting_(setting),
        optimizer_(optimizer),
        noise_({.seed = seed}),
        steps_(steps),
        known_(setting.objective) {
    known_.update(true);
  }

  /// One pull of a cell's arm.
  void play(Cell& cell) {
    if (t_ > steps_) throw Over();
    const Pull pull = optimizer_.ask(1);
    RC_ASSERT(std::vector<double>(pull.arm.begin(), pull.arm.end()) == cell.arm);
    const double reward = setting_.reward(pull.arm, noise_.uniform());
    known_.see(reward);
    cell.pulls += 1.0;
    cell.sum += known_.to_mapped(reward);
    RC_ASSERT(optimizer_.tell(pull.ticket, reward) == Status::ok);
    ++t_;
    if (std::has_single_bit(t_) || known_.is_due()) known_.update(std::has_single_bit(t_));
  }

  /// Plays the parts of a cell that was cut, once each; a part with the cell's arm takes over its
  /// rewards instead.
  void play_parts(const Cell& cell) {
    for (Cell* part : cell.parts) {
      if (part->arm == cell.arm) {
        part->pulls = cell.pulls;
        part->sum = cell.sum;
      } else {
        play(*part);
      }
    }
  }

  /// The index of the next pull.
  [[nodiscard]] std::uint64_t t() const { return t_; }
  [[nodiscard]] double scale() const { return known_.scale(); }

 private:
  const RandomHct& setting_;
  Optimizer& optimizer_;
  RandomStream noise_;
  std::uint64_t steps_;
  TextbookScale known_;
  std::uint64_t t_ = 1;
};

/// A random rule for cutting a space of `dimension` parameters.
inline PartitionRule random_rule(std::size_t dimension) {
  PartitionRule rule(*rc::gen::element(SplitRule::cyclic, SplitRule::longest_side,
                                       SplitRule::random_side, SplitRule::random_cut,
                                       SplitRule::every_side));
  if (rule.split == SplitRule::every_side && dimension > 3) rule.split = SplitRule::cyclic;
  if (rule.split != SplitRule::every_side) rule.parts = *rc::gen::element(2U, 3U, 3U, 4U, 5U, 10U);
  rule.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  return rule;
}

/// A random space, partition, rewards and objective.
inline RandomHct random_setting() {
  auto setting = *rc::gen::arbitrary<RandomHct>();
  const Space space = RandomHct::make_space(setting.space);
  if (*rc::gen::inRange(0, 6) == 0) {
    RC_LOG() << setting << " partition of rounded halves";
    setting.partition = std::make_shared<RoundedHalves>();
    return setting;
  }
  const PartitionRule rule = random_rule(space.dimension());
  RC_LOG() << setting << " partition " << text_of(rule);
  setting.partition = std::make_shared<BoxPartition>(space, rule);
  return setting;
}

/// Runs a textbook until it ends or the pulls of the test are over.
template <class Run>
void run_to_the_end(Run&& run) {
  try {
    run();
  } catch (const SideBySide::Over&) {  // the textbook was interrupted
  }
}

}  // namespace canopy::testing
