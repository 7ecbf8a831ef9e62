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

/// What an interval assumes about the rewards of its arm.
enum class Assumption {
  none,          ///< There is no interval.
  about_normal,  ///< They are about normal, and none is more extreme than those seen at any arm.
  noise_as_elsewhere,  ///< Their variance is about that within the other arms.
  two_values,          ///< They have two values.
  hard_range,          ///< They stay within the declared range; nothing else.
};

template <>
struct EnumNames<Assumption> {
  static constexpr std::array<std::string_view, 5> names{
      "none", "about_normal", "noise_as_elsewhere", "two_values", "hard_range"};
};

/// What is known of one arm, in the user's units.
struct ArmEstimate {
  double mean = 0.0;
  Interval interval;
  std::uint64_t pulls = 0;
  Assumption assumes = Assumption::none;
};

/// All rewards of a study, arm by arm, in the user's units: what is known of the mean of each arm,
/// however the arms were chosen. The intervals of all arms hold at all times at once with the
/// probability `level`. For the k-th arm ever played, with T rewards, mean m and squared deviations
/// SS, alpha_k as in `arm_alpha` and L = -ln alpha_k:
///
///     m - max(t, c_down L / T)  to  m + max(t, c_up L / T)
///     t = sqrt(SS / T) t_sequence_width(T, alpha_k)
///
/// t is exact for normal rewards of any variance. c L / T is for the rest: a reward that may be c
/// beyond the mean, and comes with a probability below L / T, need not have been seen in T pulls. c
/// is what was seen at any arm: the largest studentized residual (at least 4) times the standard
/// deviation of this arm, up to the largest reward of the study. Where rewards are coarse, or those
/// of the arm are all equal, it is the latter.
///
/// - With 4 to 15 rewards, either side is at most s sequence_width(T, alpha_k), where s^2 = max(v,
///   (SS + 8 v) / (T + 7)) and v is the variance within arms: variances are pooled upward only.
/// - There is no interval with fewer than 4 rewards, while rewards of an arm have never differed,
///   and while all rewards of the study are equal.
/// - Rewards of two values have `success_interval`.
/// - Rewards in a range that was declared hard have `bounded_interval`, unless one was outside.
///
/// For rewards that depend on each other t is multiplied by sqrt(inflation); see `BlockMeans`.
class Evidence {
 public:
  /// Rewards that must have been seen before a range is judged.
  static constexpr std::uint64_t kRewardsToJudge = 100;

  explicit Evidence(std::size_t dimension, double level = 0.95);

  /// Makes room for so many arms, so that rewards of new ones allocate nothing.
  void reserve(std::size_t arms);

  /// The rewards that `add(double)` takes from here on are of this arm.
  void turn_to(Arm arm);

  /// The arm that was turned to; empty if there is none yet.
  [[nodiscard]] Arm here() const { return is_somewhere_ ? Arm(here_) : Arm(); }

  /// The next reward, one after the other, of the arm that was turned to.
  void add(double reward) {
    recent_[recent_count_] = reward;
    if (++recent_count_ == kRecent) [[unlikely]]
      absorb();
  }

  /// The same for those who count: at most so many rewards from here on, and none after the next
  /// batch has ended, may be given to `add_fast`.
  void open_fast_path(double rewards) {
    const auto room = static_cast<double>(kRecent - 1 - recent_count_);
    fast_until_ = recent_count_ + static_cast<std::uint64_t>(std::clamp(rewards, 0.0, room));
  }
  [[nodiscard]] bool has_fast_path() const { return recent_count_ < fast_until_; }
  void add_fast(double reward) { recent_[recent_count_++] = reward; }

  /// Rewards of any arm.
  void add(Arm arm, const Rewards& rewards);
  void add(Arm arm, double reward) {
    turn_to(arm);
    add(reward);
  }

  /// Rewards of any arm that say nothing about how far rewards range: `min`, `max` and what is
  /// judged by a range stay as they are.
  void add_apart(Arm arm, const Rewards& rewards);

  /// The system has changed: what rewards so far say about arms, and about noise, is forgotten.
  /// Their ends stay, and so do the orders of arms, so that no alpha is spent twice. While their
  /// level moves, until this is called again, there are no intervals.
  void start_anew(bool level_moves);

  /// An arm that is out of the question: nothing below names it, or counts it as a rival.
  void bar(Arm arm);

  /// Rewards are looked over in batches. This ends the present one: do it where decisions depend on
  /// what was seen, never because someone looks.
  void absorb();

  /// After a change of arm, the sum of its rewards may be off by this many times their spread,
  /// until the system has settled: Gamma of Assumption 2 in HCT's paper. Widens the intervals by as
  /// much for every visit to the arm.
  void set_mixing_time(double mixing_time) { mixing_time_ = mixing_time; }

  /// Single rewards outside of this range are counted from here on. A hard one is never left.
  void set_range(const std::optional<std::array<double, 2>>& range, bool is_hard = false);
  [[nodiscard]] std::uint64_t out_of_range() const;

  /// When the range does not fit: that of the rewards so far. A range fits unless more than 5 % of
  /// the first 100 rewards are outside, or all of them within a tenth of it.
  [[nodiscard]] std::optional<std::array<double, 2>> fitting_range() const;

  [[nodiscard]] double level() const { return level_; }

  // What follows sees what was absorbed.

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double min() const { return min_; }
  [[nodiscard]] double max() const { return max_; }

  /// How many arms there are.
  [[nodiscard]] std::size_t size() const { return records_.size(); }
  /// Valid until more is added.
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

  /// Whether eight rewards or more repeated what their arm gave before, and none differed. If
  /// rewards have two values, both must have come eight times; zeros and ones never tell.
  [[nodiscard]] bool has_no_noise() const {
    return within_freedom_ >= kFreedom && variance() == 0.0 && !shape_.may_be_rates() &&
           !level_moves_;
  }

  /// Whether rewards have rare extreme values; those of two values have not.
  [[nodiscard]] bool has_rare_extremes() const {
    return shape_.has_rare_extremes() && shape_.distinct() > 2;
  }

  /// Whether the mean of an arm is about normally distributed: it has eight rewards, there are no
  /// rare extreme ones, and if rewards have two values, it has ten of each.
  [[nodiscard]] bool is_about_normal(std::size_t index) const;

  /// The interval of an arm if rewards vary about as much there as elsewhere, however few it has.
  /// For putting arms aside, where waiting for more rewards may do harm; not for claims.
  [[nodiscard]] Interval borrowed_interval(std::size_t index) const;

  /// The arm with the largest m - t' (least m + t' when minimizing), where t' is t with max(SS, T
  /// v) in place of SS, and while no arm has 16 rewards at most what is borrowed: for choosing,
  /// variances are pooled upward, so that no arm is chosen because its own spread is unknown, or
  /// small by luck. With two values, the arm whose interval begins highest. None if there is no
  /// such bound.
  [[nodiscard]] std::optional<std::size_t> safest(bool minimizes) const;
  /// The arm with the largest mean (least when minimizing), and among those the most pulls; or the
  /// one with the most pulls, and among those the best mean.
  [[nodiscard]] std::optional<std::size_t> best_mean(bool minimizes) const;
  [[nodiscard]] std::optional<std::size_t> most_pulled(bool minimizes) const;

  /// Other arms that were not barred.
  struct Others {
    std::uint64_t rivals = 0;   ///< Their intervals reach beyond the worse end of this one's.
    std::uint64_t unknown = 0;  ///< They have no interval.
  };
  /// Counts the other arms that may be better; all arms, if `index` is `size()`. Without noise
  /// there are none; if this arm has no interval, all that have one are rivals.
  [[nodiscard]] Others others(std::size_t index, bool minimizes) const;

  /// How much more the mean of an arm varies than that of as many independent rewards would.
  [[nodiscard]] double inflation() const;

  void transfer(State& state);

 private:
  static constexpr std::size_t kRecent = BlockMeans::kBatch;
  static constexpr double kFreedom = 8.0;

  struct Record {
    std::uint64_t order = 0;  ///< k: which arm ever played this is, from 1
    double pulls = 0.0;
    double mean = 0.0;
    double squared_deviations = 0.0;
    double visits = 0.0;             ///< runs of consecutive rewards
    double prediction_errors = 0.0;  ///< squared, where the range is hard; see `bounded_interval`
    bool barred = false;

    [[nodiscard]] Moments moments() const { return {pulls, mean, squared_deviations}; }

    void transfer(State& state) {
      state(order, pulls, mean, squared_deviations, visits, prediction_errors, barred);
      state.require_restored(order >= 1 && pulls >= 1.0 && State::are_counts({pulls, visits}) &&
                             State::are_finite({mean}) &&
                             State::are_sizes({squared_deviations, prediction_errors}));
    }
  };

  /// The first rewards under a range.
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

  struct Known {
    Interval interval = {};
    Assumption assumes = Assumption::none;
  };
  [[nodiscard]] Known known(const Record& record, double inflation) const;
  [[nodiscard]] Known by_own_variance(const Record& record, double inflation) const;
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
  RewardShape shape_;            // of all rewards
  double total_mean_ = 0.0;      // of all rewards
  double within_squares_ = 0.0;  // squared deviations from the means of their arms
  double within_freedom_ = 0.0;  // rewards less arms
  bool level_moves_ = false;

  std::optional<std::array<double, 2>> range_;
  bool range_is_hard_ = false;
  bool range_was_left_ = false;  // although it is hard
  std::uint64_t outside_ = 0;
  Trial trial_;

  std::uint64_t apart_end_ = 0;    // `count_` after the last rewards that were added apart
  std::uint64_t apart_order_ = 0;  // of their arm

  std::vector<double> here_;  // the arm that was turned to
  bool is_somewhere_ = false;
  bool visit_is_counted_ = false;          // among those of that arm
  std::optional<std::size_t> here_index_;  // of its record, once it was looked up
  std::uint64_t recent_count_ = 0;
  std::uint64_t fast_until_ = 0;          // less than kRecent
  std::array<double, kRecent> recent_{};  // its rewards that were not absorbed yet

  BlockMeans blocks_;  // of consecutive rewards of that arm
};

}  // namespace canopy
