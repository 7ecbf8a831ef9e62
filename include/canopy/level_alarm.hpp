#pragma once

#include "canopy/state.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace canopy {

/// Tells whether the level of rewards moves, or their noise depends on itself, from the rewards of
/// one arm that is measured again and again whatever it gave. If they are exchangeable, their
/// ranks
///
///     u_n = 2 (#{j < n: y_j < y_n} + U (1 + #{j < n: y_j = y_n})) / n - 1     U: tossed
///
/// are independent and uniform on (-1, 1), whatever their distribution, so that
///
///     A_n = 1/3 sum_m prod_i (1 + 0.9 u_i tanh(S_i(m) / sqrt(m / 3)))     m = 1, 4, 16
///
/// with S_i(m) the sum of the last m of them before i (fewer at the start) is a martingale from 1,
/// and ever reaches 100 with a probability of at most 1 %. It then fires, for good.
class LevelAlarm {
 public:
  /// The next reward, and a number that was tossed in [0, 1).
  void add(double reward, double tossed);

  [[nodiscard]] bool has_fired() const { return has_fired_; }

  void transfer(State& state);

 private:
  static constexpr std::array<std::size_t, 3> kMemories{1, 4, 16};

  std::vector<double> rewards_;  // in order of size
  std::vector<double> ranks_;    // u, the last 16 of them
  std::array<double, kMemories.size()> logs_{};
  bool has_fired_ = false;
};

}  // namespace canopy
