#pragma once

#include "canopy/optimizer.hpp"

namespace canopy::testing {

/// Rewards are approximately in [0, 1]: the scale R is 1, as in the papers.
inline Objective unit_range() {
  return {.reward_range = {{0.0, 1.0}}};
}

}  // namespace canopy::testing
