#pragma once

#include <optional>
#include <span>

namespace canopy {

/// The mean of some independent measurements and its 95 % interval (Student's t).
struct Estimate {
  struct Interval {
    double low = 0.0;
    double high = 0.0;
  };

  double mean = 0.0;
  std::optional<Interval> interval;  ///< None when there is a single measurement.
};

/// Of at least one value.
[[nodiscard]] Estimate estimate(std::span<const double> values);

}  // namespace canopy
