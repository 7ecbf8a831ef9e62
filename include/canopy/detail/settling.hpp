#pragma once

#include "canopy/partition.hpp"
#include "canopy/state.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace canopy {

/// Knows which pulls come before a system has settled after a change of arm.
class Settling {
 public:
  /// It takes so many pulls; 0: none. By distance: at every pull it comes nearer to the arm by the
  /// same part of the way, so that 5 % of a change are left then, and a small change takes fewer.
  Settling(std::uint64_t pulls, bool by_distance);

  /// Pulls of a cell's arm come next. Whether the first of them tells about the arm: so many came
  /// before it; or, by distance, the system is within a quarter of the cell's side of it, along
  /// every coordinate.
  [[nodiscard]] bool play(const Partition& partition, std::span<const double> cell, Arm arm,
                          std::uint64_t pulls);

  /// The same for the next pull, which is not played yet.
  [[nodiscard]] bool tells(const Partition& partition, std::span<const double> cell, Arm arm) const;

  /// The system was elsewhere. By distance, whoever sends it elsewhere waits until it is back.
  void interrupt() { since_ = 0; }

  void transfer(State& state);

 private:
  std::uint64_t pulls_;
  double kept_;                // part of the way to the arm that a pull leaves; 0: not by distance
  std::vector<double> place_;  // the arm, or by distance the place in the unit box; empty: nowhere
  std::uint64_t since_ = 0;    // pulls at the arm
};

}  // namespace canopy
