#pragma once

#include "canopy/optimizers.hpp"

// The algorithms that canopy comes with, in the order in which they are shown. Each has its entry
// beside it; a new one is a line here.
#define CANOPY_OPTIMIZERS(entry) \
  entry(adaptive) entry(hct) entry(thoo) entry(hoo) entry(power) entry(grid) entry(random)

namespace canopy {

#define CANOPY_DECLARE(name) [[nodiscard]] OptimizerEntry name##_entry();
CANOPY_OPTIMIZERS(CANOPY_DECLARE)
#undef CANOPY_DECLARE

}  // namespace canopy
