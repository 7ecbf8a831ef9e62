#pragma once

#include "canopy/errors.hpp"

#include <string>

namespace canopy::testing {

/// The message of a constructor's exception; empty if there is none.
template <class Made, class... From>
std::string complaint_of(const From&... from) {
  try {
    const Made made(from...);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return {};
}

}  // namespace canopy::testing
