#pragma once

#include "canopy/partition.hpp"
#include "canopy/state.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace canopy {

/// Follows where a system is that takes some pulls to settle after a change of arm: at every pull
/// it comes nearer to the arm by the same part of the way.
class Settling {
 public:
  /// After so many pulls 5 % of a change are left; 0: it is there at once.
  explicit Settling(std::uint64_t pulls);

  /// Pulls of a cell's arm come next. Whether the first of them tells about the arm: the system is
  /// then within a quarter of the cell's side of it, along every coordinate.
  [[nodiscard]] bool play(const Partition& partition, std::span<const double> cell,
                          std::uint64_t pulls);

  void transfer(State& state) { state(place_); }

 private:
  double kept_;                // part of the way to the arm that a pull leaves
  std::vector<double> place_;  // in the unit box; empty before the first pull
};

}  // namespace canopy
