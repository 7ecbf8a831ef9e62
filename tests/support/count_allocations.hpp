#pragma once

#include <cstdint>

namespace canopy::testing {

/// How often memory was allocated so far, in programs that link count_allocations.cpp.
[[nodiscard]] std::uint64_t allocations();

}  // namespace canopy::testing
