#pragma once

#include "canopy/moments.hpp"

#include <optional>
#include <span>

namespace canopy {

/// The mean of independent measurements and its 95 % interval (Student's t).
struct Estimate {
  struct Interval {
    double low = 0.0;
    double high = 0.0;
  };

  double mean = 0.0;
  std::optional<Interval> interval;  ///< None for a single measurement.
};

/// The estimate from at least one value.
[[nodiscard]] Estimate estimate(std::span<const double> values);

/// Estimates from values that arrive one at a time and are not stored.
class RunningEstimate {
 public:
  void add(double value) { values_.add(value); }

  [[nodiscard]] double count() const { return values_.count; }
  [[nodiscard]] double mean() const { return values_.mean; }

  /// The squared standard error of the mean; requires at least two values.
  [[nodiscard]] double squared_error() const { return values_.variance() / values_.count; }

  /// Requires at least one value.
  [[nodiscard]] Estimate estimate() const;

 private:
  Moments values_;
};

}  // namespace canopy
