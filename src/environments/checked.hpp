#pragma once

#include "canopy/options.hpp"

namespace canopy {

/// Returns the options if they are valid. Throws ConfigurationError.
template <class Options>
[[nodiscard]] const Options& checked(const Options& options) {
  throw_if_any(violations_of(options, "environment."));
  return options;
}

}  // namespace canopy
