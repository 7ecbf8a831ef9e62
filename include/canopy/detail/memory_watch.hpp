#pragma once

#include "canopy/state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace canopy {

/// Finds out whether rewards take some pulls to settle after a change of arm, which nobody has
/// declared.
///
/// If they do, the level of rewards is carried from arm to arm: one that was left at a level z is
/// entered with the deviation z - m, of which every pull leaves the part r. Rewards of one turn,
/// compared with those before them in the same turn, then follow a curve that is known but for its
/// height. For seven values of r the evidence for such a curve is summed up over turns; once it is
/// enough, the r with the most of it says how long to wait. What is compared was fixed before the
/// turn began (its length, its noise, the curve), so that looking all the time does no harm; and
/// surprises are measured by their own size, where that is larger than the noise of the model, so
/// that one reward that is far off decides nothing.
class MemoryWatch {
 public:
  /// A turn begins, before the reward of that number, at an arm where f is about `level` and a
  /// reward has the variance `noise`. `left` is what f is about where the turn before it was.
  void turn(std::uint64_t number, double left, double level, double noise);

  /// The reward of that number, off any value that is the same for the whole turn.
  void add(std::uint64_t number, double off) {
    if (number == next_ && earlier_ < kListened) compare(off);
  }

  /// Arms are played in an order that is not known.
  void lose_track() { next_ = 0; }

  /// How many pulls rewards seem to take until 5 % of a change are left; none: they may be there
  /// at once.
  [[nodiscard]] std::optional<std::uint64_t> settling() const;

  void transfer(State& state);

 private:
  static constexpr std::size_t kParts = 7;
  static constexpr std::array<double, kParts> kKept{0.333, 0.667, 0.833, 0.917, 0.958, 0.979, 0.99};
  static constexpr double kListened = 256.0;  // rewards of a turn; later ones hardly tell
  static constexpr double kAlarm = 7.0;       // nats

  using Parts = std::array<double, kParts>;

  void compare(double off);
  void weigh();

  std::uint64_t began_ = 0;  // the number of the turn's first reward; 0: nothing is known
  std::uint64_t next_ = 0;   // of the reward that is to be compared; 0: none
  double earlier_ = 0.0;     // rewards of the turn
  double mean_ = 0.0;        // of them
  double noise_ = 1.0;
  Parts deviation_{};    // that the arm was entered with
  Parts left_{};         // of it, at the next reward
  Parts left_before_{};  // the same, on average over the earlier ones

  Parts product_{};             // U
  Parts information_{};         // I: the variance of U by the noise that the model has,
  Parts squares_{};             // Q: ... and as it was
  double evidence_ = 0.0;       // the most there ever was
  std::uint64_t settling_ = 0;  // by it
};

}  // namespace canopy
