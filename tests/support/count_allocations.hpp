#pragma once

#include <cstdint>

namespace canopy::testing {

/// The number of memory allocations so far, in programs that link count_allocations.cpp.
[[nodiscard]] std::uint64_t allocations();

}  // namespace canopy::testing
