#pragma once

#include "canopy/optimizers.hpp"

namespace canopy {

// The entries that every catalogue has. Each is beside its algorithm.
[[nodiscard]] OptimizerEntry adaptive_entry();
[[nodiscard]] OptimizerEntry hct_entry();

}  // namespace canopy
