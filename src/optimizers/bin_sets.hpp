#pragma once

#include "canopy/context.hpp"

#include <bit>
#include <cstddef>

namespace canopy {

/// The lowest and the highest bin of a set.
inline std::size_t lowest(BinSet bins) {
  return static_cast<std::size_t>(std::countr_zero(bins));
}
inline std::size_t highest(BinSet bins) {
  return static_cast<std::size_t>(63 - std::countl_zero(bins));
}

/// The first bin of a region: its lowest bin, unless the region wraps around the end of a period.
inline std::size_t first_bin(BinSet all, BinSet bins) {
  const BinSet others = all & ~bins;
  const bool wraps = others != 0 && (bins & 1U) != 0 && ((bins >> highest(all)) & 1U) != 0;
  return wraps ? highest(others) + 1 : 0;
}

/// All bins from this one on.
inline BinSet from_bin(std::size_t bin) {
  return bin >= ContextSpace::kMostBins ? 0 : ~BinSet{0} << bin;
}

inline BinSet only_bin(std::size_t bin) {
  return BinSet{1} << bin;
}

}  // namespace canopy
