#pragma once

#include <chrono>

namespace canopy {

/// By the clock on the wall, which may jump.
[[nodiscard]] inline double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace canopy
