#pragma once
// Values that many tests use.
#include <canopy/context.hpp>
#include <canopy/space.hpp>
#include <limits>
#include <string>

namespace canopy::testing {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// One real parameter, x, from 0 to 1.
inline Space line() {
  return {{"x", Real{0.0, 1.0}}};
}

/// One context, load, from 0 to 1.
inline ContextSpace load() {
  return ContextSpace({{"load", Real{0.0, 1.0}}});
}

inline std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace canopy::testing
