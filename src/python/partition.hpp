#pragma once

#include "canopy/partition.hpp"

#include "python/space.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <sys/types.h>
#include <thread>
#include <tuple>
#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// A partition written in Python: an object with `root()`, `split(cell, depth)` and `arm(cell)`,
/// whose cells are tuples of numbers. Needs the interpreter's lock.
///
/// A Python exception in the middle of a call would leave the algorithm in an inconsistent state.
/// Therefore `prepare` asks for the parts of all leaves between calls; if it throws, nothing has
/// changed. Python is called from inside an algorithm only if one call cuts a cell and also its
/// parts.
///
/// The Python code may release the interpreter's lock. Therefore every use of the partition, or of
/// an optimizer over it, takes a turn first; other threads wait for its end.
class PythonPartition final : public Partition {
 public:
  static constexpr std::uint32_t kMostParts = 10;

  /// Exclusive use of a partition; null: does nothing. Waits, without the interpreter's lock, until
  /// other turns have ended. Throws std::runtime_error if that would be a deadlock: in code called
  /// by the partition itself, and after a fork in the middle of a turn.
  class Turn {
   public:
    explicit Turn(const PythonPartition* partition) : partition_(partition) {
      if (partition_ != nullptr) partition_->enter();
    }
    ~Turn() {
      if (partition_ != nullptr) partition_->leave();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    const PythonPartition* partition_;
  };

  /// The owner keeps `partition` and `space` alive: Python's garbage collector could not see
  /// references from here. Throws ConfigurationError.
  PythonPartition(nb::handle partition, const PythonSpace& space);

  /// Asks for the parts that the next call may need. Requires a turn, like all functions below.
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

  void enter() const;
  void leave() const;

  [[nodiscard]] Cell cell_from(const char* method, nb::handle given) const;
  [[nodiscard]] const std::optional<std::vector<Cell>>& parts_of(const Place& place) const;
  [[nodiscard]] std::vector<Cell> parts_from(nb::handle answer) const;
  const std::vector<double>& arm_of(const Cell& cell) const;

  nb::handle partition_;
  const PythonSpace& space_;
  std::uint32_t arity_;
  Cell root_;

  // Cached answers of Python; none: the cell cannot be cut.
  mutable std::map<Place, std::optional<std::vector<Cell>>> parts_;
  mutable std::map<Cell, std::vector<double>> arms_;
  mutable std::vector<Place> leaves_;  // new leaves whose parts were not requested yet

  // The turn. Changed only under the interpreter's lock; atomic so that threads can wait for it.
  mutable std::atomic<std::uint32_t> is_taken_ = 0;
  mutable std::thread::id taken_by_;
  mutable pid_t taken_in_ = 0;  // the process in which it was taken
};

}  // namespace canopy::python
