#pragma once

#include "canopy/detail/reward_map.hpp"
#include "canopy/options.hpp"

#include <utility>
#include <vector>

namespace canopy {

/// Returns the objective if it and the options are valid. Throws ConfigurationError.
template <class Options>
[[nodiscard]] const Objective& checked(const Options& options, const Objective& objective) {
  std::vector<Violation> found = violations_of(options, "optimizer.");
  for (Violation& violation : violations(objective)) found.push_back(std::move(violation));
  throw_if_any(std::move(found));
  return objective;
}

}  // namespace canopy
