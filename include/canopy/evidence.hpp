#pragma once

#include "canopy/detail/block_means.hpp"
#include "canopy/detail/reward_shape.hpp"
#include "canopy/enum_names.hpp"
#include "canopy/intervals.hpp"
#include "canopy/moments.hpp"
#include "canopy/rewards.hpp"
#include "canopy/space.hpp"
#include "canopy/state.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace canopy {

/// The assumption about an arm's rewards that its interval is based on.
enum class Assumption {
  none,          ///< There is no interval.
  about_normal,  ///< Rewards are about normal, with outliers at most as extreme as those seen at
                 ///< any arm.
  noise_as_elsewhere,  ///< Their variance is about that of the other arms.
  two_values,          ///< Rewards have two values.
  hard_range,          ///< Rewards stay within the declared range; nothing else.
};

template <>
struct EnumNames<Assumption> {
  static constexpr std::array<std::string_view, 5> names{
      "none", "about_normal", "noise_as_elsewhere", "two_values", "hard_range"};
};

/// Mean and interval of one arm, in the user's units.
struct ArmEstimate {
  double mean = 0.0;
  Interval interval;
  std::uint64_t pulls = 0;
  Assumption assumes = Assumption::none;
};

/// All rewards of a study, arm by arm, in the user's units, with an interval for the mean of each
/// arm that is valid however the arms were chosen. With probability `level`, the intervals of all
/// arms hold simultaneously at all times. For the k-th arm ever played, with T rewards, mean m and
/// squared deviations SS, alpha_k as in `arm_alpha` and L = -ln alpha_k:
///
///     m - max(t, c_down L / T)  to  m + max(t, c_up L / T)
///     t = sqrt(SS / T) t_sequence_width(T, alpha_k)
///
/// t is exact for normal rewards of any variance. c L / T covers outliers: a reward that is c
/// beyond the mean and has a probability below L / T may not have occurred in T pulls. c is
/// estimated from all arms: the largest studentized residual (at least 4) times the standard
/// deviation of this arm, but at most the distance to the largest reward of the study. If rewards
/// are coarse, or those of the arm are all equal, c is that distance.
///
/// - With 4 to 15 rewards, either side is at most s sequence_width(T, alpha_k), where s^2 = max(v,
///   (SS + 8 v) / (T + 7)) and v is the variance within arms: variances are pooled upward only.
/// - There is no interval with fewer than 4 rewards (except in the next two cases), while repeated
///   rewards of an arm have never differed, or while all rewards of the study are equal.
/// - For rewards with two values, the interval is `success_interval`.
/// - For rewards in a declared hard range, it is `bounded_interval`, unless a reward was outside.
///
/// For autocorrelated rewards t is multiplied by sqrt(inflation); see `BlockMeans`.
class Evidence {
 public:
  /// Number of rewards before a range is checked.
  static constexpr std::uint64_t kRewardsToJudge = 100;

  explicit Evidence(std::size_t dimension, double level = 0.95);

  /// Reserves memory for `arms` arms, so that new arms allocate nothing.
  void reserve(std::size_t arms);

  /// From now on `add(double)` adds rewards of this arm.
  void turn_to(Arm arm);

  /// The current arm; empty before the first `turn_to`.
  [[nodiscard]] Arm here() const { return is_somewhere_ ? Arm(here_) : Arm(); }

  /// Adds the next reward of the current arm, in the order of pulls.
  void add(double reward) {
    recent_[recent_count_] = reward;
    if (++recent_count_ == kRecent) [[unlikely]]
      absorb();
  }

  /// Fast path for callers that track the batch: at most `rewards` rewards, and none beyond the end
  /// of the current batch, may be added by `add_fast`.
  void open_fast_path(double rewards) {
    const auto room = static_cast<double>(kRecent - 1 - recent_count_);
    fast_until_ = recent_count_ + static_cast<std::uint64_t>(std::clamp(rewards, 0.0, room));
  }
  [[nodiscard]] bool has_fast_path() const { return recent_count_ < fast_until_; }
  void add_fast(double reward) { recent_[recent_count_++] = reward; }

  /// Adds rewards of any arm.
  void add(Arm arm, const Rewards& rewards);
  void add(Arm arm, double reward) {
    turn_to(arm);
    add(reward);
  }

  /// Adds rewards of any arm without affecting `min`, `max` and the check of the range.
  void add_apart(Arm arm, const Rewards& rewards);

  /// Call when the system has changed: forgets all rewards of arms and the noise. The least and
  /// largest reward are kept, and so is the order of arms, so that no alpha is spent twice. If
  /// `level_moves`, there are no intervals until the next call.
  void start_anew(bool level_moves);

  /// Excludes an arm: the functions below neither name it nor count it as a rival.
  void bar(Arm arm);

  /// Ends the current batch of rewards and processes it. Call where decisions depend on the
  /// rewards, not when results are only read, so that reading does not affect decisions.
  void absorb();

  /// Sets Gamma of Assumption 2 in HCT's paper: until the system has settled after a change of arm,
  /// the sum of the arm's rewards may be off by up to Gamma times their spread. Every visit to an
  /// arm widens its interval accordingly.
  void set_mixing_time(double mixing_time) { mixing_time_ = mixing_time; }

  /// Counts single rewards outside of this range from now on. If the range is hard, rewards are
  /// assumed never to leave it.
  void set_range(const std::optional<std::array<double, 2>>& range, bool is_hard = false);
  [[nodiscard]] std::uint64_t out_of_range() const;

  /// The range of rewards so far if the declared range does not fit: more than 5 % of the first 100
  /// rewards are outside of it, or all of them lie within a tenth of it. Else none.
  [[nodiscard]] std::optional<std::array<double, 2>> fitting_range() const;

  [[nodiscard]] double level() const { return level_; }

  // The functions below see only absorbed rewards.

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double min() const { return min_; }
  [[nodiscard]] double max() const { return max_; }

  /// The number of arms.
  [[nodiscard]] std::size_t size() const { return records_.size(); }
  /// Valid until more rewards are added.
  [[nodiscard]] Arm arm(std::size_t index) const {
    return {arms_.data() + index * dimension_, dimension_};
  }
  [[nodiscard]] ArmEstimate estimate(std::size_t index) const;
  [[nodiscard]] std::uint64_t pulls(std::size_t index) const {
    return static_cast<std::uint64_t>(records_[index].pulls);
  }
  [[nodiscard]] double mean(std::size_t index) const { return records_[index].mean; }
  [[nodiscard]] bool is_barred(std::size_t index) const { return records_[index].barred; }
  [[nodiscard]] std::optional<std::size_t> find(Arm wanted) const;

  /// Whether the level of rewards moves, so that there are no intervals.
  [[nodiscard]] bool level_moves() const { return level_moves_; }

  /// The variance of single rewards around the means of their arms; 0 while no arm has two.
  [[nodiscard]] double noise() const { return within_freedom_ > 0.0 ? variance() : 0.0; }

  /// Whether an arm has rewards, absorbed or not.
  [[nodiscard]] bool knows(Arm arm) const;

  /// Whether at least eight rewards repeated the earlier rewards of their arm, and none differed.
  /// If rewards have two values, both must have occurred eight times; always false for zeros and
  /// ones.
  [[nodiscard]] bool has_no_noise() const {
    return within_freedom_ >= kFreedom && variance() == 0.0 && !shape_.may_be_rates() &&
           !level_moves_;
  }

  /// Whether rewards have rare extreme values; false for rewards with two values.
  [[nodiscard]] bool has_rare_extremes() const {
    return shape_.has_rare_extremes() && shape_.distinct() > 2;
  }

  /// Whether the mean of an arm is about normally distributed: it has eight rewards, there are no
  /// rare extreme ones, and if rewards have two values, it has ten of each.
  [[nodiscard]] bool is_about_normal(std::size_t index) const;

  /// The interval of an arm with any number of rewards, under the assumption that its variance is
  /// about that of the others. Used to drop arms early where waiting for more rewards may do harm;
  /// not for claims.
  [[nodiscard]] Interval borrowed_interval(std::size_t index) const;

  /// The arm with the largest m - t' (least m + t' when minimizing), where t' is t with max(SS, T
  /// v) in place of SS, and at most the half-width of `borrowed_interval` while no arm has 16
  /// rewards. Variances are pooled upward, so that no arm is chosen because its own variance is
  /// unknown or small by chance. If rewards have two values, returns the arm whose interval has the
  /// largest lower end. None if no arm has such a bound.
  [[nodiscard]] std::optional<std::size_t> safest(bool minimizes) const;
  /// The arm with the largest mean (least when minimizing), with ties broken by pulls;
  /// `most_pulled`: the arm with the most pulls, with ties broken by the mean.
  [[nodiscard]] std::optional<std::size_t> best_mean(bool minimizes) const;
  [[nodiscard]] std::optional<std::size_t> most_pulled(bool minimizes) const;

  /// Other arms that are not barred.
  struct Others {
    std::uint64_t rivals = 0;   ///< Arms whose intervals reach beyond the worse end of this arm's.
    std::uint64_t unknown = 0;  ///< Arms without an interval.
  };
  /// Counts the other arms that may be better; all arms, if `index` is `size()`. Without noise
  /// there are none; if this arm has no interval, every arm with an interval is a rival.
  [[nodiscard]] Others others(std::size_t index, bool minimizes) const;

  /// The factor by which the variance of an arm's mean exceeds that of independent rewards.
  [[nodiscard]] double inflation() const;

  void transfer(State& state);

 private:
  static constexpr std::size_t kRecent = BlockMeans::kBatch;
  static constexpr double kFreedom = 8.0;

  struct Record {
    std::uint64_t order = 0;  ///< k: number of this arm in the order of first pulls, from 1
    double pulls = 0.0;
    double mean = 0.0;
    double squared_deviations = 0.0;
    double visits = 0.0;             ///< runs of consecutive rewards
    double prediction_errors = 0.0;  ///< sum of squares, for a hard range; see `bounded_interval`
    bool barred = false;

    [[nodiscard]] Moments moments() const { return {pulls, mean, squared_deviations}; }

    void transfer(State& state) {
      state(order, pulls, mean, squared_deviations, visits, prediction_errors, barred);
      state.require_restored(order >= 1 && pulls >= 1.0 && State::are_counts({pulls, visits}) &&
                             State::are_finite({mean}) &&
                             State::are_sizes({squared_deviations, prediction_errors}));
    }
  };

  /// The first rewards after a range was declared.
  struct Trial {
    std::uint64_t rewards = 0;
    std::uint64_t outside = 0;
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();

    void take(double reward, std::uint64_t count, const std::array<double, 2>& range);
    void transfer(State& state) {
      state(rewards, outside, min, max);
      state.require_restored(outside <= rewards && State::are_ends(min, max));
    }
  };

  [[nodiscard]] std::size_t slot_of(Arm wanted) const;
  [[nodiscard]] std::size_t found_or_made(Arm wanted);
  [[nodiscard]] Record& record_here();
  void rebuild_slots(std::size_t arms);
  [[nodiscard]] bool makes_sense() const;
  void forget_single_pulls();
  Record& take_sums(const Rewards& rewards);
  void count_visit(Record& record);
  void merge(Record& record, const Moments& rewards);
  void count_prediction_errors(Record& record, const Moments& rewards);
  void see(double low, double high);
  void check_range(double low, double high);
  void end_run();

  [[nodiscard]] double variance() const { return within_squares_ / within_freedom_; }
  [[nodiscard]] bool knows_noise() const { return within_freedom_ >= kFreedom && variance() > 0.0; }
  [[nodiscard]] bool keeps_hard_range() const { return range_is_hard_ && !range_was_left_; }
  [[nodiscard]] double alpha(const Record& record) const;
  [[nodiscard]] double transient(const Record& record) const;

  struct AssumedInterval {
    Interval interval = {};
    Assumption assumes = Assumption::none;
  };
  [[nodiscard]] AssumedInterval interval_for(const Record& record, double inflation) const;
  [[nodiscard]] AssumedInterval by_own_variance(const Record& record, double inflation) const;
  [[nodiscard]] Interval by_share(const Record& record, double inflation) const;
  [[nodiscard]] bool share_reaches(const Record& record, double end, double sign,
                                   double inflation) const;
  [[nodiscard]] double borrowed_half(const Record& record, double inflation) const;
  [[nodiscard]] double cautious(const Record& record, double sign, double inflation,
                                bool borrows) const;

  std::size_t dimension_;
  double level_;
  double mixing_time_ = 0.0;

  std::vector<Record> records_;
  std::vector<double> arms_;          // rows of dimension_ numbers
  std::vector<std::uint32_t> slots_;  // a hash table: indices of records plus one, 0: free
  std::uint64_t arms_played_ = 0;
  std::uint64_t most_records_ = std::uint64_t{1} << 18;

  std::uint64_t count_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  RewardShape shape_;            // distribution of all rewards
  double total_mean_ = 0.0;      // mean of all rewards
  double within_squares_ = 0.0;  // squared deviations from the means of their arms
  double within_freedom_ = 0.0;  // rewards less arms
  bool level_moves_ = false;

  std::optional<std::array<double, 2>> range_;
  bool range_is_hard_ = false;
  bool range_was_left_ = false;  // although it was declared hard
  std::uint64_t outside_ = 0;
  Trial trial_;

  std::uint64_t apart_end_ = 0;    // `count_` after the last add_apart
  std::uint64_t apart_order_ = 0;  // order of its arm

  std::vector<double> here_;  // the current arm
  bool is_somewhere_ = false;
  bool visit_is_counted_ = false;  // whether the current visit is counted in its arm's visits
  std::optional<std::size_t> here_index_;  // index of its record, once looked up
  std::uint64_t recent_count_ = 0;
  std::uint64_t fast_until_ = 0;          // less than kRecent
  std::array<double, kRecent> recent_{};  // its rewards not absorbed yet

  BlockMeans blocks_;  // blocks of consecutive rewards of the current arm
};

}  // namespace canopy
