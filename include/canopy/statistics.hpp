#pragma once

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

/// Of at least one value.
[[nodiscard]] Estimate estimate(std::span<const double> values);

/// The same for values that arrive one at a time and are not kept (Welford, 1962).
class RunningEstimate {
 public:
  void add(double value) {
    count_ += 1.0;
    const double off = value - mean_;
    mean_ += off / count_;
    squares_ += off * (value - mean_);
  }

  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] double mean() const { return mean_; }

  /// Of the mean, squared; of at least two values.
  [[nodiscard]] double squared_error() const { return squares_ / (count_ - 1.0) / count_; }

  /// Of at least one value.
  [[nodiscard]] Estimate estimate() const;

 private:
  double count_ = 0.0;
  double mean_ = 0.0;
  double squares_ = 0.0;  // of the distances from the mean
};

}  // namespace canopy
