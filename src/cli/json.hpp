#pragma once

#include <cmath>

#include <nlohmann/json.hpp>

namespace canopy::cli {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: null.
[[nodiscard]] inline Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

}  // namespace canopy::cli
