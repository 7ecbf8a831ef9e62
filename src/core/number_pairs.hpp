#pragma once

#include <cstdint>
#include <cstring>

namespace canopy {

/// Two numbers side by side, on which one instruction works: rewards are looked over every few
/// steps, and a step takes some nanoseconds.
using NumberPair __attribute__((vector_size(16))) = double;
/// What a comparison of pairs gives: 0, or -1 where it is so.
using FlagPair __attribute__((vector_size(16))) = std::int64_t;

inline NumberPair pair_at(const double* numbers) {
  NumberPair pair;
  std::memcpy(&pair, numbers, sizeof(pair));
  return pair;
}

inline auto total(auto pair) {
  return pair[0] + pair[1];
}

}  // namespace canopy
