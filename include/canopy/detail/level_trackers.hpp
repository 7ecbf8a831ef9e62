#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/detail/noise_memory.hpp"
#include "canopy/state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace canopy {

/// Tracks the level that the rewards of all arms have in common:
///
///     y = f(arm) + level + noise
///
/// Five trackers predict every reward one step ahead from the rewards before it. One of them is in
/// use: its level L is subtracted from rewards before the model learns them. At first that is the
/// frozen tracker, with L = 0. Autocorrelated noise is subtracted only while it explains at least
/// half of the variance of rewards. Otherwise its tracker only predicts, so that noise does not
/// look like a change, and L is the base that noise returns to.
/// An alarm is raised when another tracker predicts better by (5 + ln
/// t) (1 + max(0, sqrt(k) - sqrt(5))) nats (a CUSUM); the cause is a moving level, autocorrelated
/// noise, or a change of f. k is the kurtosis of prediction errors, so that rare large rewards do
/// not raise an alarm. The letters are those of docs/adaptive.md.
class LevelTrackers {
 public:
  enum Tracker : std::uint8_t {
    returning,  ///< Autocorrelated noise: the level returns to a base (see NoiseMemory).
    slow,       ///< The level moves by 1/64 of each prediction error.
    medium,     ///< The level moves by 1/8 of each prediction error.
    fast,       ///< The level moves by the whole prediction error.
    frozen,     ///< The level does not move.
  };
  static constexpr std::size_t kTrackers = 5;

  /// Prediction for rewards of a leaf.
  struct Expected {
    double level = 0.0;      ///< m
    double part = 1.0;       ///< w = s / (v + s): fraction of a prediction error not due to f
    double precision = 1.0;  ///< 1 / (v + s)
    double threshold = 0.0;  ///< A score beyond it is an alarm.
    bool is_known = false;   ///< v <= s / 2: the leaf's f is known well
    bool is_scored = false;  ///< False for the first rewards of the study.

    void transfer(State& state);
  };

  /// f is about `level` with variance v, and a reward has variance s around it. `number` is the
  /// index of the turn's first reward.
  [[nodiscard]] Expected expect(double level, double variance, double noise,
                                std::uint64_t number) const;

  [[nodiscard]] Tracker used() const { return used_; }
  /// Whether the level that is subtracted moves with the rewards.
  [[nodiscard]] bool is_following() const {
    return moves(used_) || (used_ == returning && subtracts_noise_);
  }
  /// Whether the tracker in use moves the level permanently, not only while autocorrelated noise
  /// lasts.
  [[nodiscard]] bool level_moves() const { return moves(used_); }

  /// L: the level that is subtracted from rewards.
  [[nodiscard]] double level() const {
    return used_ == returning && !subtracts_noise_ ? base_ : levels_[used_];
  }
  [[nodiscard]] double level_of(Tracker tracker) const { return levels_[tracker]; }
  /// The correlation of the noise of consecutive rewards.
  [[nodiscard]] double correlation() const { return noise_memory_.correlation(); }

  /// Call between two turns. If autocorrelated noise is tracked, decides whether it is subtracted
  /// from rewards, by how well it has predicted the last ones. Returns whether that has changed.
  bool reconsider_noise();

  /// u = 1 - a: the fraction of an error in the prediction for the current leaf that the level has
  /// not absorbed yet. A reward counts as u^2 rewards from another leaf.
  [[nodiscard]] double part_left() const { return 1.0 - taken_[used_]; }

  /// Call when the next rewards are of this leaf: in a new turn, or after rewards of other leaves.
  /// A leaf with many pulls defines the level: each of its turns is treated as if other leaves had
  /// been pulled in between.
  void turn_to(NodeIndex leaf, bool has_many_pulls) {
    if (leaf == leaf_ && !has_many_pulls) return;
    taken_.fill(0.0);
    leaf_ = leaf;
  }

  /// Records the raw reward: rewards with only two values are scored differently.
  void see(double reward) {
    if (distinct_ <= 2) count_value(reward);
  }

  /// Whether the last reward was more than three standard deviations above its prediction. Returns
  /// true at most once per reward, and at most 32 + pulls/256 times: if surprises are more
  /// frequent, they are ordinary noise. Always false for rewards with two values.
  [[nodiscard]] bool take_surprise(std::uint64_t pulls) {
    if (!std::exchange(is_surprised_, false) || distinct_ <= 2) return false;
    if (surprises_ >= 32 + pulls / 256) return false;
    ++surprises_;
    return true;
  }

  /// Adds a reward of the current leaf, less the expected level of f. Returns whether it raises an
  /// alarm.
  bool add(const Expected& expected, double surprise) {
    const Reward reward{.surprise = surprise,
                        .part = expected.part,
                        .precision = expected.precision,
                        .own_loss = loss_of_used(surprise, expected.precision),
                        .nats = expected.is_scored ? 0.5 : 0.0};
    const double threshold = expected.threshold;
    count(1.0);
    count_loss(reward.own_loss);
    is_surprised_ = reward.own_loss > kSurprise && surprise > level() && expected.is_scored;
    const double slow_score = scores_[slow];
    follow(reward, returning);
    for (std::size_t j = slow; j < kTrackers; ++j) follow(reward, j);  // two at a time
    scores_[slow] = tells_slow(expected) ? less_toll(scores_[slow], 1.0) : slow_score;
    let_return(noise_memory_.phi());
    noise_memory_.add(surprise - base_, expected.is_known);
    return largest_score() > threshold;
  }

  /// Adds several rewards at once, by their mean and their squared deviations from it.
  bool add_several(const Expected& expected, double surprise, double rewards,
                   double squared_deviations);

  /// The next reward does not follow the last one.
  void interrupt() {
    turn_to(kNoNode, true);
    noise_memory_.interrupt();
    is_surprised_ = false;
  }

  /// The tracker with the largest score, which has raised the alarm.
  [[nodiscard]] Tracker alarming() const;

  /// Whether this tracker's alarm may also be due to a change of f: it adapts faster than the one
  /// in use and has another level.
  [[nodiscard]] bool may_be_of_f(Tracker tracker) const;

  /// The gain in precision from adopting a tracker.
  struct Gain {
    double noise = 0.0;  ///< variance of rewards around its predictions
    double less = 0.0;   ///< reduction against the previous tracker
  };
  /// Puts a tracker into use after a change of the level.
  Gain adopt(Tracker tracker);

  /// After a change of f: resets all other trackers to the level of the one in use.
  void start_anew();

  void transfer(State& state);

 private:
  static constexpr NodeIndex kNoNode = std::numeric_limits<NodeIndex>::max();
  /// The gain of the returning tracker is that of NoiseMemory instead.
  static constexpr std::array<double, kTrackers> kGains{1.0, 1.0 / 64.0, 1.0 / 8.0, 1.0, 0.0};
  static constexpr double kClip = 16.0;           // cap of squared standardised errors
  static constexpr double kSurprise = 9.0;        // threshold of a surprise, for the same errors
  static constexpr double kMostPerReward = 1.0;   // nats
  static constexpr double kRecent = 256.0;        // memory of E, in rewards
  static constexpr double kManyRewards = 4096.0;  // memory of the kurtosis, in rewards

  /// Whether this tracker moves the level permanently.
  [[nodiscard]] static bool moves(Tracker tracker) {
    return tracker != returning && tracker != frozen;
  }

  /// Arms are chosen for high predictions, which are therefore slightly too high. Over many rewards
  /// of less precisely known arms, the slow tracker would mistake that bias for a level.
  [[nodiscard]] static bool tells_slow(const Expected& expected) {
    return expected.part >= 32.0 / 33.0;  // v <= s / 32
  }

  /// The slow tracker's score minus a toll per reward: a level that is off by less than a ninth of
  /// the noise does not justify an alarm, and over 1e5 rewards the model is not accurate enough to
  /// detect it.
  [[nodiscard]] static double less_toll(double score, double rewards) {
    return std::max(0.0, score - 0.002 * rewards);
  }

  [[nodiscard]] static double clipped(double loss) { return std::min(loss, kClip); }

  /// A reward's data, copied so that the compiler sees that the trackers do not change it.
  struct Reward {
    double surprise;
    double part;
    double precision;
    double own_loss;  // squared standardised error of the tracker in use
    double nats;      // nats per unit of loss; 0 if the reward is not scored
  };

  [[nodiscard]] double loss_of_used(double surprise, double precision) const {
    const double error = surprise - levels_[used_];
    return clipped(error * error * precision);
  }

  [[nodiscard]] double gain_of(std::size_t j) const {
    return j == returning ? noise_memory_.gain() : kGains[j];
  }

  void follow(const Reward& reward, std::size_t j) {
    const double error = reward.surprise - levels_[j];
    const double squared = error * error;
    squares_[j] += squared * reward.part;
    const double nats = reward.nats * (reward.own_loss - clipped(squared * reward.precision));
    scores_[j] = std::max(0.0, scores_[j] + std::clamp(nats, -kMostPerReward, kMostPerReward));
    const double gain = gain_of(j) * reward.part;
    levels_[j] += gain * error;
    taken_[j] += gain * (1.0 - taken_[j]);
  }

  [[nodiscard]] double largest_score() const {
    const double of_pair = std::max(scores_[slow], scores_[medium]);
    return std::max({of_pair, scores_[returning], std::max(scores_[fast], scores_[frozen])});
  }

  void count(double rewards) {
    counted_ += rewards;
    if (counted_ <= kRecent) return;
    counted_ *= 0.5;
    for (double& squares : squares_) squares *= 0.5;
  }

  void count_loss(double loss) {
    losses_ += 1.0;
    if (losses_ > kManyRewards) {
      losses_ *= 0.5;
      loss_sum_ *= 0.5;
      loss_squares_ *= 0.5;
    }
    loss_sum_ += loss;
    loss_squares_ += loss * loss;
  }

  void count_value(double reward);
  [[nodiscard]] double caution() const;

  void let_return(double kept) {
    levels_[returning] = base_ + kept * (levels_[returning] - base_);
    taken_[returning] *= kept;
  }

  Tracker used_ = frozen;                    // c
  std::array<double, kTrackers> levels_{};   // L_j
  std::array<double, kTrackers> taken_{};    // a_j
  std::array<double, kTrackers> scores_{};   // A_j
  std::array<double, kTrackers> squares_{};  // E_j: mean squared prediction error not due to f
  double counted_ = 0.0;                     // n_E
  NodeIndex leaf_ = kNoNode;

  double losses_ = 0.0;  // squared standardised errors of the tracker in use: number, sum,
  double loss_sum_ = 0.0;
  double loss_squares_ = 0.0;
  std::uint32_t distinct_ = 0;  // different values of rewards, up to 3
  std::array<double, 2> values_{};

  double base_ = 0.0;
  NoiseMemory noise_memory_;
  bool subtracts_noise_ = false;
  std::uint64_t surprises_ = 0;  // surprises that were taken
  bool is_surprised_ = false;    // the last reward was far above its prediction
};

}  // namespace canopy
