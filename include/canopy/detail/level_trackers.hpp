#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace canopy {

/// Follows what all rewards have in common, whatever arm they are from:
///
///     y = f(arm) + level + noise
///
/// Five trackers predict every reward one step ahead from the rewards before it. One of them is in
/// use: its level L is taken off rewards before the model learns them. At first that is the frozen
/// one, with L = 0. Another one that predicts better by (5 + ln t) (1 + max(0, sqrt(k) - sqrt(5)))
/// nats (a CUSUM) raises an alarm: the level moves, the noise depends on itself, or f has changed.
/// k is the kurtosis of surprises, so that rare large rewards are no alarm. Letters as in
/// docs/adaptive.md.
class LevelTrackers {
 public:
  enum Tracker : std::uint8_t {
    returning,  ///< Autocorrelated noise: the level returns to a base, by phi per reward.
    slow,       ///< The level stays where surprises have moved it, by 1/64 of each,
    medium,     ///< ... by 1/8,
    fast,       ///< ... or wholly.
    frozen,     ///< The level stays where it is.
  };
  static constexpr std::size_t kTrackers = 5;

  /// What the model expects of rewards of a leaf.
  struct Expected {
    double level = 0.0;      ///< m
    double part = 1.0;       ///< w = s / (v + s): of a surprise, what is not due to f
    double precision = 1.0;  ///< 1 / (v + s)
    double threshold = 0.0;  ///< A score beyond it is an alarm.
    bool is_known = false;   ///< v <= s / 2
    bool is_scored = false;  ///< The first rewards of the study are over.

    void transfer(State& state);
  };

  /// f is about `level` with a variance v, and a reward has the variance s around it. The turn
  /// begins with the reward of this number.
  [[nodiscard]] Expected expect(double level, double variance, double noise,
                                std::uint64_t number) const;

  [[nodiscard]] Tracker used() const { return used_; }
  [[nodiscard]] bool is_following() const { return used_ != frozen; }
  /// Whether the level may move for good, not only until noise is over.
  [[nodiscard]] bool level_moves() const { return moves(used_); }

  /// L: what is taken off rewards.
  [[nodiscard]] double level() const { return levels_[used_]; }
  [[nodiscard]] double level_of(Tracker tracker) const { return levels_[tracker]; }
  /// phi: by which part of itself noise is expected to last until the next reward.
  [[nodiscard]] double phi() const { return phi_; }

  /// u = 1 - a: the part of an error in what is expected of the present leaf that is not taken for
  /// level yet. A reward is worth u^2 of one from another leaf.
  [[nodiscard]] double part_left() const { return 1.0 - taken_[used_]; }

  /// Rewards of this leaf come next, in a new turn or after those of other leaves. A leaf with many
  /// pulls defines the level: every turn of it is as if others had been between.
  void turn_to(NodeIndex leaf, bool has_many_pulls) {
    if (leaf == leaf_ && !has_many_pulls) return;
    taken_.fill(0.0);
    leaf_ = leaf;
  }

  /// Sees a reward as it came: those of two values are scored later.
  void see(double reward) {
    if (distinct_ <= 2) count_value(reward);
  }

  /// Whether the last reward was more than three standard deviations above what was expected; the
  /// first time this is asked, and up to 32 + pulls/256 times: where that is more frequent, it is
  /// how rewards are. Those of two values are so by chance, and cannot rise.
  [[nodiscard]] bool take_surprise(std::uint64_t pulls) {
    if (!std::exchange(is_surprised_, false) || distinct_ <= 2) return false;
    if (surprises_ >= 32 + pulls / 256) return false;
    ++surprises_;
    return true;
  }

  /// Takes a reward of the leaf that was turned to, less the level of f that is expected. Returns
  /// whether that raises an alarm.
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
    let_return(phi_);
    learn_phi(expected.is_known, surprise);
    return largest_score() > threshold;
  }

  /// Several rewards at once, by their mean and their squared deviations from it.
  bool add_several(const Expected& expected, double surprise, double rewards,
                   double squared_deviations);

  /// The next reward does not follow the last one.
  void interrupt() {
    turn_to(kNobody, true);
    is_chained_ = false;
    is_surprised_ = false;
  }

  /// The tracker that has raised the alarm: that with the largest score.
  [[nodiscard]] Tracker loudest() const;

  /// Whether what this tracker says may as well be a change of f: it follows faster than the one in
  /// use, and has another level.
  [[nodiscard]] bool may_be_of_f(Tracker tracker) const;

  /// By how much less the rewards vary around the predictions of a tracker.
  struct Gain {
    double noise = 0.0;  ///< their variance around its predictions
    double less = 0.0;   ///< than around those of the tracker before
  };
  /// The change is one of the level: takes this tracker into use.
  Gain adopt(Tracker tracker);

  /// The change is one of f: all trackers but the one in use begin at its level.
  void start_anew();

  void transfer(State& state);

 private:
  static constexpr NodeIndex kNobody = std::numeric_limits<NodeIndex>::max();
  static constexpr std::array<double, kTrackers> kGains{1.0, 1.0 / 64.0, 1.0 / 8.0, 1.0, 0.0};
  static constexpr double kClip = 16.0;           // of squared standardised errors
  static constexpr double kSurprise = 9.0;        // of the same
  static constexpr double kMostPerReward = 1.0;   // nats
  static constexpr double kRecent = 256.0;        // rewards that E is about
  static constexpr double kFewPairs = 32.0;       // tell nothing about phi
  static constexpr double kManyRewards = 4096.0;  // that phi and the kurtosis are about

  /// Whether this tracker moves the level for good.
  [[nodiscard]] static bool moves(Tracker tracker) {
    return tracker != returning && tracker != frozen;
  }

  /// Arms are chosen for what is expected of them, so that it is a little too much: over many
  /// rewards of arms that are known less well, the slow tracker would take that for a level.
  [[nodiscard]] static bool tells_slow(const Expected& expected) {
    return expected.part >= 32.0 / 33.0;  // v <= s / 32
  }

  /// What is left of the slow tracker's score: a level off by less than a ninth of the noise is not
  /// worth an alarm, and over 1e5 rewards the model is not right to that.
  [[nodiscard]] static double less_toll(double score, double rewards) {
    return std::max(0.0, score - 0.002 * rewards);
  }

  [[nodiscard]] static double clipped(double loss) { return std::min(loss, kClip); }

  /// A copy of what the trackers make of it, so that the compiler sees that they do not change it.
  struct Reward {
    double surprise;
    double part;
    double precision;
    double own_loss;  // of the tracker in use
    double nats;      // a unit of loss; none if it is not scored
  };

  [[nodiscard]] double loss_of_used(double surprise, double precision) const {
    const double error = surprise - level();
    return clipped(error * error * precision);
  }

  void follow(const Reward& reward, std::size_t j) {
    const double error = reward.surprise - levels_[j];
    const double squared = error * error;
    squares_[j] += squared * reward.part;
    const double nats = reward.nats * (reward.own_loss - clipped(squared * reward.precision));
    scores_[j] = std::max(0.0, scores_[j] + std::clamp(nats, -kMostPerReward, kMostPerReward));
    const double gain = kGains[j] * reward.part;
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

  void learn_phi(bool is_known, double surprise) {
    if (is_known) {
      const double off = surprise - base_;
      if (is_chained_) add_pair(off);
      last_ = off;
    }
    is_chained_ = is_known;
  }

  void add_pair(double off) {
    pairs_ += 1.0;
    if (pairs_ > kManyRewards) {
      pairs_ *= 0.5;
      pair_products_ *= 0.5;
      pair_squares_ *= 0.5;
    }
    pair_products_ += off * last_;
    pair_squares_ += off * off;
    const bool tells = pairs_ >= kFewPairs && pair_squares_ > 0.0;
    phi_ = tells ? std::clamp(pair_products_ / pair_squares_, 0.0, 0.98) : 0.0;
  }

  Tracker used_ = frozen;                    // c
  std::array<double, kTrackers> levels_{};   // L_j
  std::array<double, kTrackers> taken_{};    // a_j
  std::array<double, kTrackers> scores_{};   // A_j
  std::array<double, kTrackers> squares_{};  // E_j: of surprises, the part that is not due to f
  double counted_ = 0.0;                     // n_E
  NodeIndex leaf_ = kNobody;

  double losses_ = 0.0;  // squared standardised errors of the one in use: their number,
  double loss_sum_ = 0.0;
  double loss_squares_ = 0.0;
  std::uint32_t distinct_ = 0;  // values of rewards, up to 3
  std::array<double, 2> values_{};

  double base_ = 0.0;
  double phi_ = 0.0;
  double pairs_ = 0.0;
  double pair_products_ = 0.0;
  double pair_squares_ = 0.0;
  double last_ = 0.0;
  bool is_chained_ = false;      // the last reward was of a leaf that is known
  std::uint64_t surprises_ = 0;  // that were taken
  bool is_surprised_ = false;    // it was far above what was expected
};

}  // namespace canopy
