#include "canopy/detail/change_probe.hpp"

#include <cmath>

namespace canopy {

double ChangeProbe::proof_of_level(double moved) const {
  constexpr double kClip = 16.0;  // cap of squared standardised deviations
  const double squared = moved * moved;
  double nats = 0.0;
  for (const Reading& reading : readings_) {
    const double r = reading.surprise;
    const double by_level = (r - moved) * (r - moved) / reading.variance;
    const double by_f = r * r / (reading.variance + squared);
    nats += 0.5 * (std::log1p(squared / reading.variance) - std::min(by_level, kClip) +
                   std::min(by_f, kClip));
  }
  return nats;
}

bool ChangeProbe::is_below(NodeIndex end) const {
  const auto is_less = [end](NodeIndex leaf) { return leaf < end; };
  return std::all_of(to_come_.begin(), to_come_.end(), is_less) &&
         std::all_of(awaited_.begin(), awaited_.end(), is_less) &&
         std::all_of(readings_.begin(), readings_.end(),
                     [&](const Reading& reading) { return is_less(reading.leaf); });
}

}  // namespace canopy
