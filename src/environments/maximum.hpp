#pragma once

#include "canopy/environment.hpp"

#include <algorithm>
#include <utility>

#include <boost/math/tools/minima.hpp>

namespace canopy {

/// The maximum of a smooth function on [low, high]: the best of a thousand equal steps, then
/// Brent's method between its neighbours. Accuracy: about 1e-8 of the interval for the argument,
/// about 1e-15 for the value.
template <class Function>
[[nodiscard]] Optimum maximum(Function&& f, double low, double high) {
  constexpr int kSteps = 1000;
  const double step = (high - low) / kSteps;
  const auto at = [&](int i) { return i == kSteps ? high : low + i * step; };
  int best = 0;
  double largest = f(low);
  for (int i = 1; i <= kSteps; ++i) {
    if (const double value = f(at(i)); value > largest) {
      best = i;
      largest = value;
    }
  }
  const auto [place, negative] = boost::math::tools::brent_find_minima(
      [&](double x) { return -f(x); }, at(std::max(best - 1, 0)), at(std::min(best + 1, kSteps)),
      40);
  if (largest >= -negative) return {{at(best)}, largest};  // the maximum is at an end
  return {{place}, -negative};
}

}  // namespace canopy
