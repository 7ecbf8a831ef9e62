#pragma once

namespace canopy {

/// Count, mean and sum of squared deviations from the mean: sums of raw squares would lose all
/// digits at a level of 1e6.
struct Moments {
  double count = 0.0;
  double mean = 0.0;
  double squared_deviations = 0.0;

  /// Adds a value (Welford, 1962).
  void add(double value) {
    count += 1.0;
    const double apart = value - mean;
    mean += apart / count;
    squared_deviations += apart * (value - mean);
  }

  /// Adds other values, at least one (Chan, Golub, LeVeque, 1979). Returns the increase of the
  /// squared deviations.
  double merge(const Moments& others) {
    const double all = count + others.count;
    const double apart = others.mean - mean;
    const double added = others.squared_deviations + apart * apart * (count * others.count / all);
    mean = count == 0.0 ? others.mean : mean + apart * (others.count / all);
    squared_deviations += added;
    count = all;
    return added;
  }

  /// The sample variance; requires at least two values.
  [[nodiscard]] double variance() const { return squared_deviations / (count - 1.0); }

  template <class State>
  void transfer(State& state) {
    state(count, mean, squared_deviations);
    state.require_restored(State::are_counts({count}) && State::are_finite({mean}) &&
                           State::are_sizes({squared_deviations}));
  }
};

}  // namespace canopy
