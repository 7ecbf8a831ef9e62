#pragma once

#include "canopy/partition.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace canopy::testing {

/// The unit interval, with arms rounded to sixteenths, as a simple custom partition: cells are
/// halved and no cell refuses, so that after a few cuts many cells have the same arm. It has no
/// other information about its cells, not even which arms they hold.
class RoundedHalves final : public Partition {
 public:
  /// Throws std::runtime_error after `most_cuts` cuts, to end an infinite loop of cuts.
  explicit RoundedHalves(std::uint64_t most_cuts = 100'000) : left_(most_cuts) {}

  [[nodiscard]] std::size_t dimension() const override { return 1; }
  [[nodiscard]] std::size_t cell_size() const override { return 2; }
  void root(std::span<double> cell) const override {
    cell[0] = 0.0;
    cell[1] = 1.0;
  }
  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t /*depth*/,
                           std::span<double> parts) const override {
    if (left_-- == 0) throw std::runtime_error("too many cuts");
    const double middle = 0.5 * (cell[0] + cell[1]);
    parts[0] = cell[0];
    parts[1] = parts[2] = middle;
    parts[3] = cell[1];
    return true;
  }
  void arm(std::span<const double> cell, std::span<double> arm) const override {
    arm[0] = std::round(8.0 * (cell[0] + cell[1])) / 16.0;
  }

 private:
  mutable std::uint64_t left_;
};

}  // namespace canopy::testing
