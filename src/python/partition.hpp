#pragma once

#include "canopy/partition.hpp"

#include "python/space.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// A partition written in Python: an object with `root()`, `split(cell, depth)` and `arm(cell)`,
/// whose cells are tuples of numbers. Needs the interpreter's lock.
///
/// An algorithm that is cut short in the middle of a call by an exception of Python would be left
/// half done. So cells are asked for ahead of time: `prepare` finds out how every leaf is cut,
/// between calls, and whatever it throws, nothing has happened. Only where one call cuts a cell and
/// its parts as well is Python called from inside.
class PythonPartition final : public Partition {
 public:
  static constexpr std::uint32_t kMostParts = 10;

  /// Whoever makes it holds `partition`, and `space`, for as long as this lives: references from
  /// here could not be seen by Python's collector of garbage. Throws ConfigurationError.
  PythonPartition(nb::handle partition, const PythonSpace& space);

  /// Asks for what the next call may need.
  void prepare() const;

  [[nodiscard]] std::size_t dimension() const override { return space_.space().dimension(); }
  [[nodiscard]] std::size_t cell_size() const override { return root_.size(); }
  [[nodiscard]] std::uint32_t arity() const override { return arity_; }
  void root(std::span<double> cell) const override;
  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t depth,
                           std::span<double> parts) const override;
  void arm(std::span<const double> cell, std::span<double> arm) const override;
  [[nodiscard]] bool contains(Arm arm) const override { return space_.space().contains(arm); }

 private:
  using Cell = std::vector<double>;

  /// A cell and the depth at which it is cut.
  struct Place {
    std::uint32_t depth;
    Cell cell;

    friend bool operator<(const Place& left, const Place& right) {
      return std::tie(left.depth, left.cell) < std::tie(right.depth, right.cell);
    }
  };

  [[nodiscard]] Cell cell_from(const char* method, nb::handle given) const;
  [[nodiscard]] const std::optional<std::vector<Cell>>& parts_of(const Place& place) const;
  [[nodiscard]] std::vector<Cell> parts_from(nb::handle answer) const;
  const std::vector<double>& arm_of(const Cell& cell) const;

  nb::handle partition_;
  const PythonSpace& space_;
  std::uint32_t arity_;
  Cell root_;

  // What Python has answered; none: the cell cannot be cut.
  mutable std::map<Place, std::optional<std::vector<Cell>>> parts_;
  mutable std::map<Cell, std::vector<double>> arms_;
  mutable std::vector<Place> leaves_;  // that were made and not asked about yet
};

}  // namespace canopy::python
