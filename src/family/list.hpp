#pragma once

#include "canopy/optimizers.hpp"

// The algorithms for comparison, in the order in which they are listed. Each entry is defined
// beside its algorithm; a new algorithm needs one line here.
// clang-format off
#define CANOPY_FAMILY(entry) \
  entry(vhct) \
  entry(thoo) \
  entry(hoo) \
  entry(poo) \
  entry(gpo) \
  entry(pct) \
  entry(vpct) \
  entry(restarted) \
  entry(zooming) \
  entry(doo) \
  entry(soo) \
  entry(stosoo) \
  entry(sequool) \
  entry(stroquool) \
  entry(vroom) \
  entry(power) \
  entry(grid) \
  entry(kl_ucb) \
  entry(thompson) \
  entry(lin_ucb) \
  entry(successive_halving) \
  entry(random)
// clang-format on

namespace canopy {

#define CANOPY_DECLARE(name) [[nodiscard]] OptimizerEntry name##_entry();
CANOPY_FAMILY(CANOPY_DECLARE)
#undef CANOPY_DECLARE

}  // namespace canopy
