#pragma once

#include "canopy/state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace canopy {

/// Detects that rewards take some pulls to settle after a change of arm although `settle` is 0.
///
/// If so, the level of rewards carries over from arm to arm: after an arm at level z, the next arm,
/// at level m, starts with the deviation z - m, and every pull leaves the fraction r of it. Rewards
/// of one turn, compared with earlier rewards of the same turn, then follow a curve known up to its
/// height. For seven values of r the evidence for such a curve is summed over turns; once it is
/// large enough, the r with the most evidence gives the settling time. The compared quantities are
/// fixed before the turn begins (its length, its noise, the curve), so that repeated looks do not
/// bias the test. Deviations are scaled by their own size where it is larger than the model's
/// noise, so that a single outlier cannot decide the test.
class MemoryWatch {
 public:
  /// Begins a turn, before the reward of that number, at an arm where f is about `level` and the
  /// variance of a reward is `noise`. `left` is f at the arm of the previous turn, approximately.
  void turn(std::uint64_t number, double left, double level, double noise);

  /// Adds the reward of that number, relative to any value that is constant within the turn.
  void add(std::uint64_t number, double off) {
    if (number == next_ && earlier_ < kListened) compare(off);
  }

  /// Call when the order in which arms are played is not known.
  void lose_track() { next_ = 0; }

  /// The estimated number of pulls until 5 % of a change is left; none: no evidence of settling.
  [[nodiscard]] std::optional<std::uint64_t> settling() const;

  void transfer(State& state);

 private:
  static constexpr std::size_t kParts = 7;
  static constexpr std::array<double, kParts> kKept{0.333, 0.667, 0.833, 0.917, 0.958, 0.979, 0.99};
  static constexpr double kListened =
      256.0;  // rewards of a turn that are used; later ones carry little information
  static constexpr double kAlarm = 7.0;  // in nats

  using Parts = std::array<double, kParts>;

  void compare(double off);
  void weigh();

  std::uint64_t began_ = 0;  // number of the turn's first reward; 0: unknown
  std::uint64_t next_ = 0;   // number of the next reward to compare; 0: none
  double earlier_ = 0.0;     // earlier rewards of the turn
  double mean_ = 0.0;        // mean of the earlier rewards
  double noise_ = 1.0;
  Parts deviation_{};    // initial deviation at the start of the turn
  Parts left_{};         // deviation left at the next reward
  Parts left_before_{};  // deviation left, averaged over the earlier rewards

  Parts product_{};             // U
  Parts information_{};         // I: variance of U by the model's noise
  Parts squares_{};             // Q: variance of U by the squared deviations
  double evidence_ = 0.0;       // largest evidence so far
  std::uint64_t settling_ = 0;  // settling time at that evidence
};

}  // namespace canopy
