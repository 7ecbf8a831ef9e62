#pragma once

#include <cstdint>

namespace canopy {

class State;

/// Learns how noise depends on the noise before it: a part that returns to 0 by the factor phi per
/// reward, and an independent part.
///
///     noise(t) = lasting(t) + independent(t),  lasting(t) = phi lasting(t - 1) + innovation(t)
///
/// If the lasting part has the fraction q of the variance, the autocorrelation at lag k is q phi^k.
/// Two averages give q and phi: over products of each deviation with the previous one, and with a
/// moving average of all earlier ones. The gain K is that of the stationary Kalman filter: it
/// predicts lasting(t + 1) as phi (p + K (noise(t) - p)), where p is its prediction of lasting(t).
/// If all noise is lasting, K = 1.
class NoiseMemory {
 public:
  /// Adds the deviation of a reward from its mean. If the mean is not well known, the deviation is
  /// not used, and pairs with it are left out.
  void add(double deviation, bool mean_is_known);

  /// The next reward does not follow the last one.
  void interrupt() { is_chained_ = false; }

  [[nodiscard]] double phi() const { return phi_; }
  [[nodiscard]] double gain() const { return gain_; }

  /// Correlation of consecutive rewards: q phi; 0 if it is not positive or there are few pairs.
  [[nodiscard]] double correlation() const;

  void transfer(State& state);

 private:
  void estimate();

  double pairs_ = 0.0;              // number of pairs of consecutive deviations
  double products_ = 0.0;           // sum of products of a pair
  double squares_ = 0.0;            // sum of squares of the second of a pair
  double past_products_ = 0.0;      // sum of products with the moving average
  double last_ = 0.0;               // the last deviation
  double past_ = 0.0;               // moving average of all deviations
  bool is_chained_ = false;         // whether the last deviation was used
  std::uint32_t unused_pairs_ = 0;  // since the last estimate
  double phi_ = 0.0;
  double gain_ = 1.0;
};

}  // namespace canopy
