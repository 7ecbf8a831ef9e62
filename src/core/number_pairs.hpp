#pragma once

#include <cstdint>
#include <cstring>

namespace canopy {

/// Two numbers processed by one SIMD instruction: rewards are scanned every few steps, and a step
/// takes only a few nanoseconds.
using NumberPair __attribute__((vector_size(16))) = double;
/// The result of comparing pairs: -1 where true, else 0.
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
