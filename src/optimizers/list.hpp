#pragma once

#include "canopy/optimizers.hpp"

namespace canopy {

// The built-in optimizers, which are in every catalogue. Each entry is defined beside its
// algorithm.
[[nodiscard]] OptimizerEntry adaptive_entry();
[[nodiscard]] OptimizerEntry hct_entry();

}  // namespace canopy
