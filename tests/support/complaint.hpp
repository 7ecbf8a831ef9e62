#pragma once

#include "canopy/errors.hpp"

#include <string>

namespace canopy::testing {

/// What the constructor says is wrong with what it is given; empty when it is content.
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
