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
/// An algorithm that is cut short in the middle of a call by an exception of Python would be left
/// half done. So cells are asked for ahead of time: `prepare` finds out how every leaf is cut,
/// between calls, and whatever it throws, nothing has happened. Only where one call cuts a cell and
/// its parts as well is Python called from inside.
///
/// The code in Python may hand the interpreter's lock to another thread. So whoever uses the
/// partition, or an optimizer over it, takes a turn first; others wait for its end.
class PythonPartition final : public Partition {
 public:
  static constexpr std::uint32_t kMostParts = 10;

  /// The only user of a partition while it lives; of none, where there is none. Waits until all
  /// others are done, without the interpreter's lock. Throws std::runtime_error where that would be
  /// forever: in code that the partition itself runs, and after a fork in the middle of a turn.
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

  /// Whoever makes it holds `partition`, and `space`, for as long as this lives: references from
  /// here could not be seen by Python's collector of garbage. Throws ConfigurationError.
  PythonPartition(nb::handle partition, const PythonSpace& space);

  /// Asks for what the next call may need. In a turn, as all that follows.
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

  // What Python has answered; none: the cell cannot be cut.
  mutable std::map<Place, std::optional<std::vector<Cell>>> parts_;
  mutable std::map<Cell, std::vector<double>> arms_;
  mutable std::vector<Place> leaves_;  // that were made and not asked about yet

  // The turn, which changes hands under the interpreter's lock alone; atomic so that one can wait.
  mutable std::atomic<std::uint32_t> is_taken_ = 0;
  mutable std::thread::id taken_by_;
  mutable pid_t taken_in_ = 0;  // this process
};

}  // namespace canopy::python
