#pragma once

#include "canopy/partition.hpp"
#include "canopy/state.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace canopy {

/// Decides which pulls come before a system has settled after a change of arm.
class Settling {
 public:
  /// The system settles in `pulls` pulls; 0: at once. By distance: every pull covers the same
  /// fraction of the remaining distance to the arm, with 5 % of a change left after `pulls`, so
  /// that a small change settles sooner.
  Settling(std::uint64_t pulls, bool by_distance);

  /// Records `pulls` pulls of a cell's arm. Returns whether the first of them measures the settled
  /// arm: the system has settled by the number of earlier pulls or, by distance, is within a
  /// quarter of the cell's side of the arm along every coordinate.
  [[nodiscard]] bool play(const Partition& partition, std::span<const double> cell, Arm arm,
                          std::uint64_t pulls);

  /// Whether the next pull of the cell's arm would measure the settled arm.
  [[nodiscard]] bool measures_settled_arm(const Partition& partition, std::span<const double> cell,
                                          Arm arm) const;

  /// Call when the system has been at another setting. By distance, the caller must wait until the
  /// system is back.
  void interrupt() { since_ = 0; }

  void transfer(State& state);

 private:
  std::uint64_t pulls_;
  double kept_;                // fraction of the distance left by a pull; 0: not by distance
  std::vector<double> place_;  // the arm; by distance, position in the unit box; empty: unknown
  std::uint64_t since_ = 0;    // pulls since the change of arm
};

}  // namespace canopy
