#pragma once

#include "canopy/optimizers.hpp"

namespace canopy {

// The built-in entries of every catalogue. Each is defined beside its algorithm.
[[nodiscard]] OptimizerEntry adaptive_entry();
[[nodiscard]] OptimizerEntry hct_entry();

}  // namespace canopy
