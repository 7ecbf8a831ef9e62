#pragma once

#include "canopy/state.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace canopy {

/// Detects a moving level or autocorrelated noise from the rewards of one arm that is measured
/// repeatedly regardless of its rewards. If the rewards are exchangeable, their ranks
///
///     u_n = 2 (#{j < n: y_j < y_n} + U (1 + #{j < n: y_j = y_n})) / n - 1
///
/// with U random, uniform in [0, 1), are independent and uniform on (-1, 1), whatever the
/// distribution of the rewards, so that
///
///     A_n = 1/3 sum_m prod_i (1 + 0.9 u_i tanh(S_i(m) / sqrt(m / 3)))     m = 1, 4, 16
///
/// with S_i(m) the sum of the last m of them before i (fewer at the start), is a martingale that
/// starts at 1, and the probability that it ever reaches 100 is at most 1 %. At 100 the alarm
/// fires, permanently.
class LevelAlarm {
 public:
  /// Adds the next reward, with a random number uniform in [0, 1).
  void add(double reward, double tossed);

  [[nodiscard]] bool has_fired() const { return has_fired_; }

  void transfer(State& state);

 private:
  static constexpr std::array<std::size_t, 3> kMemories{1, 4, 16};

  std::vector<double> rewards_;  // sorted
  std::vector<double> ranks_;    // the last 16 u
  std::array<double, kMemories.size()> logs_{};
  bool has_fired_ = false;
};

}  // namespace canopy
