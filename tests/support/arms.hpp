#pragma once

#include "canopy/partition.hpp"
#include "canopy/random.hpp"
#include "canopy/space.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace canopy::testing {

/// The arm of a cell of a binary partition, a random number of random cuts below the root.
inline std::vector<double> arm_of_some_cell(const Partition& partition, RandomStream& random,
                                            std::uint32_t deepest) {
  const std::size_t size = partition.cell_size();
  std::vector<double> cell(size);
  std::vector<double> parts(2 * size);
  partition.root(cell);
  const auto depth = static_cast<std::uint32_t>(random() % (deepest + 1));
  for (std::uint32_t h = 0; h < depth && partition.split(cell, h, parts); ++h) {
    const auto turn = static_cast<std::ptrdiff_t>(random.coin() ? size : 0);
    cell.assign(parts.begin() + turn, parts.begin() + turn + static_cast<std::ptrdiff_t>(size));
  }
  std::vector<double> arm(partition.dimension());
  partition.arm(cell, arm);
  return arm;
}

/// An arm drawn uniformly.
inline std::vector<double> arm_somewhere(const Space& space, RandomStream& random) {
  std::vector<double> point(space.dimension());
  for (double& coordinate : point) coordinate = random.uniform();
  std::vector<double> arm(space.dimension());
  space.from_unit_cube(point, arm);
  return arm;
}

}  // namespace canopy::testing
