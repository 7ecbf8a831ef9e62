#pragma once

namespace canopy {

[[nodiscard]] inline double squared(double x) {
  return x * x;
}

}  // namespace canopy
