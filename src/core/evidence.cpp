#include "canopy/evidence.hpp"

#include "core/number_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

namespace canopy {
namespace {

constexpr double kPrior = 8.0;         // weight of the pooled variance, in rewards
constexpr double kFewest = 4.0;        // fewest rewards of an arm with an interval
constexpr double kOwnVariance = 16.0;  // rewards from which an arm's own variance suffices
constexpr double kLeastExtreme = 4.0;  // in standard deviations

/// Cells are halved, so most arms differ only in a few high bits, which must be mixed into the low
/// bits (the finalizer of MurmurHash3, by Appleby).
std::uint64_t hash_of(Arm arm) {
  std::uint64_t hash = 0;
  for (const double coordinate : arm) {
    hash ^= std::bit_cast<std::uint64_t>(coordinate + 0.0);
    hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDU;
    hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53U;
    hash ^= hash >> 33;
  }
  return hash;
}

bool same(Arm a, Arm b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// The fraction of rewards with the higher of two values, given their mean.
double share_of(double mean, const std::array<double, 2>& values) {
  return std::clamp((mean - values[0]) / (values[1] - values[0]), 0.0, 1.0);
}

bool is_outside(double reward, const std::array<double, 2>& range) {
  return reward < range[0] || reward > range[1];
}

std::uint64_t count_outside(std::span<const double> rewards, const std::array<double, 2>& range) {
  return static_cast<std::uint64_t>(std::count_if(
      rewards.begin(), rewards.end(), [&](double reward) { return is_outside(reward, range); }));
}

/// The result of one pass over rewards: their range, and sums of deviations from a reference.
struct Overview {
  double low;
  double high;
  double sum;
  double squares;
};

Overview look_over(std::span<const double> rewards, double reference) {
  if (rewards.size() == 1) {  // usual if the arm changes at every pull
    const double off = rewards[0] - reference;
    return {rewards[0], rewards[0], off, off * off};
  }
  struct Lanes {
    NumberPair low, high;
    NumberPair sum{};
    NumberPair squares{};

    explicit Lanes(NumberPair first) : low(first), high(first) {}
    void take(NumberPair pair, double from) {
      low = low < pair ? low : pair;
      high = high > pair ? high : pair;
      pair -= from;
      sum += pair;
      squares += pair * pair;
    }
  };
  // Two accumulators: with one, each addition would wait for the previous one.
  Lanes even(pair_at(rewards.data()));
  Lanes odd = even;
  std::size_t i = 0;
  for (; i + 3 < rewards.size(); i += 4) {
    even.take(pair_at(&rewards[i]), reference);
    odd.take(pair_at(&rewards[i + 2]), reference);
  }
  Overview seen{std::min({even.low[0], even.low[1], odd.low[0], odd.low[1]}),
                std::max({even.high[0], even.high[1], odd.high[0], odd.high[1]}),
                total(even.sum + odd.sum), total(even.squares + odd.squares)};
  for (; i < rewards.size(); ++i) {
    const double off = rewards[i] - reference;
    seen.low = std::min(seen.low, rewards[i]);
    seen.high = std::max(seen.high, rewards[i]);
    seen.sum += off;
    seen.squares += off * off;
  }
  return seen;
}

/// The number of rewards beyond the end of a range. Written without branches, since they would be
/// mispredicted.
template <class IsBeyond>
std::uint64_t count_beyond(std::span<const double> rewards, double end, const IsBeyond& is_beyond) {
  FlagPair flags{};
  std::size_t i = 0;
  for (; i + 3 < rewards.size(); i += 4) {
    flags += is_beyond(pair_at(&rewards[i]), end);
    flags += is_beyond(pair_at(&rewards[i + 2]), end);
  }
  auto count = static_cast<std::uint64_t>(-total(flags));
  for (; i < rewards.size(); ++i) {
    if (is_beyond(rewards[i], end)) ++count;
  }
  return count;
}

/// The index of the unbarred record with the largest key; none if there is none.
template <class Records, class Key>
std::optional<std::size_t> first_of_largest(const Records& records, const Key& key) {
  std::optional<std::size_t> largest;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].barred) continue;
    if (!largest || key(records[*largest]) < key(records[i])) largest = i;
  }
  return largest;
}

}  // namespace

Evidence::Evidence(std::size_t dimension, double level)
    : dimension_(dimension), level_(level), here_(dimension) {}

// --- arms ------------------------------------------------------------------------------------

/// The index of an arm in the hash table, or of a free slot for it.
std::size_t Evidence::slot_of(Arm wanted) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(wanted) & mask;
  while (slots_[slot] != 0 && !same(arm(slots_[slot] - 1), wanted)) slot = (slot + 1) & mask;
  return slot;
}

std::optional<std::size_t> Evidence::find(Arm wanted) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t found = slots_[slot_of(wanted)];
  return found != 0 ? std::optional<std::size_t>(found - 1) : std::nullopt;
}

bool Evidence::knows(Arm arm) const {
  return find(arm) || (recent_count_ != 0 && same(arm, here_));
}

std::size_t Evidence::found_or_made(Arm wanted) {
  if (const auto found = find(wanted)) return *found;
  if (records_.size() >= most_records_) forget_single_pulls();
  records_.push_back({.order = ++arms_played_});
  arms_.insert(arms_.end(), wanted.begin(), wanted.end());
  if (4 * records_.size() > 3 * slots_.size()) {
    rebuild_slots(records_.size());
  } else {
    slots_[slot_of(wanted)] = static_cast<std::uint32_t>(records_.size());
  }
  return records_.size() - 1;
}

/// The record of the current arm.
Evidence::Record& Evidence::record_here() {
  if (!here_index_) here_index_ = found_or_made(here_);
  return records_[*here_index_];
}

void Evidence::reserve(std::size_t arms) {
  if (arms <= records_.capacity()) return;
  const std::size_t room = std::max(arms, 2 * records_.capacity());
  records_.reserve(room);
  arms_.reserve(room * dimension_);
  rebuild_slots(room);
}

/// Rebuilds the hash table with capacity for `arms` arms.
void Evidence::rebuild_slots(std::size_t arms) {
  slots_.assign(std::bit_ceil(2 * arms + 2), 0);
  for (std::size_t i = 0; i < records_.size(); ++i) {
    slots_[slot_of(arm(i))] = static_cast<std::uint32_t>(i + 1);
  }
}

/// Bounds the memory for algorithms that never repeat an arm.
void Evidence::forget_single_pulls() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].pulls == 1.0) continue;
    records_[kept] = records_[i];
    std::copy_n(arms_.begin() + static_cast<std::ptrdiff_t>(i * dimension_), dimension_,
                arms_.begin() + static_cast<std::ptrdiff_t>(kept * dimension_));
    ++kept;
  }
  records_.resize(kept);
  arms_.resize(kept * dimension_);
  if (2 * kept > most_records_) most_records_ *= 2;
  rebuild_slots(kept);
}

// --- rewards ---------------------------------------------------------------------------------

void Evidence::turn_to(Arm arm) {
  if (is_somewhere_ && same(arm, here_)) return;
  absorb();
  end_run();
  here_.assign(arm.begin(), arm.end());
  here_index_.reset();
  is_somewhere_ = true;
  visit_is_counted_ = false;
}

void Evidence::add(Arm arm, const Rewards& rewards) {
  turn_to(arm);
  if (rewards.count == 1) {
    add(rewards.sum);
    return;
  }
  absorb();
  see(rewards.min, rewards.max);
  if (range_) trial_.take(rewards.mean(), rewards.count, *range_);
  count_visit(take_sums(rewards));
}

/// Counts a visit once.
void Evidence::count_visit(Record& record) {
  if (!visit_is_counted_) ++record.visits;
  visit_is_counted_ = true;
}

void Evidence::add_apart(Arm arm, const Rewards& rewards) {
  turn_to(arm);
  absorb();
  const bool follows = count_ == apart_end_;  // no other rewards in between
  Record& record = take_sums(rewards);
  if (!follows || record.order != apart_order_) ++record.visits;
  apart_end_ = count_;
  apart_order_ = record.order;
}

void Evidence::start_anew(bool level_moves) {
  absorb();
  records_.clear();
  arms_.clear();
  slots_.assign(slots_.size(), 0);
  count_ = 0;
  total_mean_ = 0.0;
  within_squares_ = 0.0;
  within_freedom_ = 0.0;
  apart_end_ = 0;
  apart_order_ = 0;
  here_index_.reset();
  visit_is_counted_ = false;
  shape_ = RewardShape();
  blocks_ = BlockMeans();
  level_moves_ = level_moves;
}

/// Adds sums of rewards of the current arm.
Evidence::Record& Evidence::take_sums(const Rewards& rewards) {
  end_run();  // the order of these rewards is not known
  Record& record = record_here();
  shape_.add(rewards);
  const bool knows_ends = rewards.knows_ends();
  check_range(knows_ends ? rewards.min : rewards.mean(), knows_ends ? rewards.max : rewards.mean());
  merge(record, rewards.moments());
  if (knows_ends) {
    shape_.judge(record.moments(), rewards.min, rewards.max, static_cast<double>(rewards.count));
  }
  return record;
}

void Evidence::see(double low, double high) {
  min_ = std::min(min_, low);
  max_ = std::max(max_, high);
}

void Evidence::check_range(double low, double high) {
  if (range_is_hard_ && (low < (*range_)[0] || high > (*range_)[1])) range_was_left_ = true;
}

void Evidence::merge(Record& record, const Moments& rewards) {
  if (range_is_hard_) count_prediction_errors(record, rewards);
  count_ += static_cast<std::uint64_t>(rewards.count);
  total_mean_ += (rewards.mean - total_mean_) * (rewards.count / static_cast<double>(count_));
  within_freedom_ += record.pulls == 0.0 ? rewards.count - 1.0 : rewards.count;
  Moments all = record.moments();
  within_squares_ += all.merge(rewards);
  record.pulls = all.count;
  record.mean = all.mean;
  record.squared_deviations = all.squared_deviations;
}

/// The prediction is the mean of the arm before these rewards; for its first rewards, the mean of
/// all arms; for the first rewards of the study, the middle of the range.
void Evidence::count_prediction_errors(Record& record, const Moments& rewards) {
  double predicted = record.mean;
  if (record.pulls == 0.0) {
    predicted = count_ != 0 ? total_mean_ : 0.5 * ((*range_)[0] + (*range_)[1]);
  }
  const double apart = rewards.mean - predicted;
  record.prediction_errors += rewards.squared_deviations + rewards.count * apart * apart;
}

void Evidence::bar(Arm arm) {
  absorb();
  if (const auto found = find(arm)) records_[*found].barred = true;
}

void Evidence::absorb() {
  fast_until_ = 0;
  const std::size_t count = std::exchange(recent_count_, 0);
  if (count == 0) return;
  Record& record = record_here();
  if (!blocks_.is_running()) blocks_.begin_run(record.pulls == 0.0 ? recent_[0] : record.mean);
  count_visit(record);
  const std::span<const double> rewards(recent_.data(), count);
  const Overview seen = look_over(rewards, blocks_.reference());
  see(seen.low, seen.high);
  check_range(seen.low, seen.high);
  shape_.add(rewards, record.moments());
  if (range_) {
    const auto [from, to] = *range_;
    if (seen.low < from) outside_ += count_beyond(rewards, from, std::less{});
    if (seen.high > to) outside_ += count_beyond(rewards, to, std::greater{});
    for (std::size_t i = 0; i < count && trial_.rewards < kRewardsToJudge; ++i) {
      trial_.take(rewards[i], 1, *range_);
    }
  }
  const BlockMeans::Sums batch{static_cast<double>(count), seen.sum, seen.squares};
  blocks_.add(rewards, batch);
  const double offset = batch.sum / batch.count;
  merge(record, {batch.count, blocks_.reference() + offset,
                 std::max(0.0, batch.squares - batch.sum * offset)});
  shape_.judge(record.moments(), seen.low, seen.high, batch.count);
}

void Evidence::end_run() {
  if (!blocks_.is_running()) return;
  const Record& record = records_[*here_index_];
  blocks_.end_run(record.mean, record.pulls);
}

double Evidence::inflation() const {
  const Record now = blocks_.is_running() ? records_[*here_index_] : Record{};
  return blocks_.inflation(now.mean, now.pulls);
}

// --- the range -------------------------------------------------------------------------------

void Evidence::set_range(const std::optional<std::array<double, 2>>& range, bool is_hard) {
  absorb();
  range_ = range;
  range_is_hard_ = is_hard && range.has_value();
  range_was_left_ = false;
  if (count_ != 0) check_range(shape_.min(), shape_.max());
  trial_ = {};
}

std::uint64_t Evidence::out_of_range() const {
  return range_ ? outside_ + count_outside({recent_.data(), recent_count_}, *range_) : outside_;
}

/// Counts `count` rewards of this size until kRewardsToJudge have been seen.
void Evidence::Trial::take(double reward, std::uint64_t count, const std::array<double, 2>& range) {
  if (rewards >= kRewardsToJudge) return;
  rewards += count;
  outside += is_outside(reward, range) ? count : 0;
  min = std::min(min, reward);
  max = std::max(max, reward);
}

std::optional<std::array<double, 2>> Evidence::fitting_range() const {
  if (!range_) return std::nullopt;
  Trial trial = trial_;
  double low = min_;
  double high = max_;
  for (std::size_t i = 0; i < recent_count_; ++i) {
    trial.take(recent_[i], 1, *range_);
    low = std::min(low, recent_[i]);
    high = std::max(high, recent_[i]);
  }
  if (trial.rewards < kRewardsToJudge || !(low < high)) return std::nullopt;
  const bool is_too_small = 20 * trial.outside > trial.rewards;
  const bool is_too_large = trial.max - trial.min < 0.1 * ((*range_)[1] - (*range_)[0]);
  if (!is_too_small && !is_too_large) return std::nullopt;
  return std::array{low, high};
}

// --- intervals -------------------------------------------------------------------------------

bool Evidence::is_about_normal(std::size_t index) const {
  constexpr double kEnough = 8.0;
  constexpr double kEnoughOfEach = 9.5;  // 10 less a margin for rounding errors of sums
  const Record& record = records_[index];
  if (record.pulls < kEnough || shape_.distinct() < 2 || has_rare_extremes()) return false;
  if (shape_.distinct() > 2) return true;
  const auto [low, high] = shape_.two_values();
  const double from_end = std::min(record.mean - low, high - record.mean);
  return from_end / (high - low) * record.pulls >= kEnoughOfEach;
}

double Evidence::alpha(const Record& record) const {
  return arm_alpha(level_, static_cast<double>(record.order));
}

/// Bound on the error of the mean due to pulls before the system had settled.
double Evidence::transient(const Record& record) const {
  return mixing_time_ == 0.0 ? 0.0 : mixing_time_ * (max_ - min_) * record.visits / record.pulls;
}

Evidence::AssumedInterval Evidence::interval_for(const Record& record, double inflation) const {
  AssumedInterval known;
  if (level_moves_) return known;
  if (keeps_hard_range()) {
    const auto [low, high] = *range_;
    const double width = high - low;
    const Interval unit =
        bounded_interval((record.mean - low) / width, record.pulls / inflation,
                         record.prediction_errors / (width * width * inflation), alpha(record));
    known = {{low + width * unit.lower, low + width * unit.upper}, Assumption::hard_range};
  } else if (has_no_noise()) {
    return known;
  } else if (shape_.has_two_values()) {
    known = {by_share(record, inflation), Assumption::two_values};
  } else if (shape_.distinct() > 2) {
    known = by_own_variance(record, inflation);
  }
  known.interval.lower = std::min(known.interval.lower, record.mean) - transient(record);
  known.interval.upper = std::max(known.interval.upper, record.mean) + transient(record);
  return known;
}

/// The interval of the mean of two-valued rewards, from the interval for the rate of the higher
/// value.
Interval Evidence::by_share(const Record& record, double inflation) const {
  const auto [low, high] = shape_.two_values();
  const double pulls = record.pulls / inflation;
  const double share = share_of(record.mean, shape_.two_values());
  const Interval rate = success_interval(share * pulls, pulls, alpha(record));
  return {low + (high - low) * rate.lower, low + (high - low) * rate.upper};
}

Evidence::AssumedInterval Evidence::by_own_variance(const Record& record, double inflation) const {
  const double pulls = record.pulls;
  const double mean = record.mean;
  const double squares = record.squared_deviations;
  if (pulls < kFewest) return {};
  const double alpha = this->alpha(record);
  const double width = t_sequence_width(pulls, alpha);
  const double t = std::isfinite(width) ? std::sqrt(inflation * squares / pulls) * width : width;
  const double deviation = std::sqrt(squares / (pulls - 1.0));
  const bool is_coarse = squares == 0.0 || shape_.is_coarse();
  const auto side = [&](double residual, double to_the_end) {
    const double extreme = std::max(kLeastExtreme, residual) * deviation;
    const double beyond = is_coarse ? to_the_end : std::min(extreme, to_the_end);
    return std::max(t, beyond * -std::log(alpha) / pulls);
  };
  double up = side(shape_.furthest_up(), shape_.max() - mean);
  double down = side(shape_.furthest_down(), mean - shape_.min());
  Assumption assumes = Assumption::about_normal;
  if (pulls < kOwnVariance && knows_noise()) {
    const double borrowed = borrowed_half(record, inflation);
    if (borrowed < std::max(up, down)) assumes = Assumption::noise_as_elsewhere;
    up = std::min(up, borrowed);
    down = std::min(down, borrowed);
  }
  if (!std::isfinite(up) || !std::isfinite(down)) return {};
  return {{mean - down, mean + up}, assumes};
}

/// Half-width of an interval whose variance is pooled with that of the other arms, upward only.
double Evidence::borrowed_half(const Record& record, double inflation) const {
  const double v = variance();
  const double own = (record.squared_deviations + kPrior * v) / (record.pulls - 1.0 + kPrior);
  return std::sqrt(inflation * std::max(v, own)) * sequence_width(record.pulls, alpha(record));
}

Interval Evidence::borrowed_interval(std::size_t index) const {
  const Record& record = records_[index];
  const double inflation = this->inflation();
  if (level_moves_ || shape_.distinct() <= 2 || !knows_noise())
    return interval_for(record, inflation).interval;
  const double half = borrowed_half(record, inflation) + transient(record);
  return {record.mean - half, record.mean + half};
}

ArmEstimate Evidence::estimate(std::size_t index) const {
  const Record& record = records_[index];
  const AssumedInterval known = interval_for(record, inflation());
  return {record.mean, known.interval, static_cast<std::uint64_t>(record.pulls), known.assumes};
}

/// The bound of the mean by which arms are chosen, times `sign`; see `safest`.
double Evidence::cautious(const Record& record, double sign, double inflation, bool borrows) const {
  if (shape_.distinct() == 2) {
    const Interval known = by_share(record, inflation);
    return (sign > 0.0 ? known.lower : -known.upper) - transient(record);
  }
  const double squares = std::max(record.squared_deviations, record.pulls * variance());
  double half =
      std::sqrt(inflation * squares / record.pulls) * t_sequence_width(record.pulls, alpha(record));
  if (borrows && record.pulls >= kFewest) half = std::min(half, borrowed_half(record, inflation));
  return sign * record.mean - half - transient(record);
}

std::optional<std::size_t> Evidence::safest(bool minimizes) const {
  const bool has_two_values = shape_.has_two_values();
  if (level_moves_) return std::nullopt;
  if (!has_two_values && (shape_.distinct() <= 2 || !knows_noise())) return std::nullopt;
  const double sign = minimizes ? -1.0 : 1.0;
  const double inflation = this->inflation();
  const bool borrows = std::none_of(records_.begin(), records_.end(), [](const Record& record) {
    return record.pulls >= kOwnVariance;
  });
  // With two values, a bound at the worse one carries no information.
  const auto [low, high] = shape_.two_values();
  double largest =
      has_two_values ? std::min(sign * low, sign * high) : -std::numeric_limits<double>::infinity();
  std::optional<std::size_t> safest;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const Record& record = records_[i];
    if (record.barred || sign * record.mean <= largest) continue;
    const double bound = cautious(record, sign, inflation, borrows);
    if (!(bound > largest)) continue;
    safest = i;
    largest = bound;
  }
  return safest;
}

std::optional<std::size_t> Evidence::best_mean(bool minimizes) const {
  const double sign = minimizes ? -1.0 : 1.0;
  return first_of_largest(records_, [sign](const Record& record) {
    return std::pair(sign * record.mean, record.pulls);
  });
}

std::optional<std::size_t> Evidence::most_pulled(bool minimizes) const {
  const double sign = minimizes ? -1.0 : 1.0;
  return first_of_largest(records_, [sign](const Record& record) {
    return std::pair(record.pulls, sign * record.mean);
  });
}

Evidence::Others Evidence::others(std::size_t index, bool minimizes) const {
  if (has_no_noise()) return {};
  const double inflation = this->inflation();
  const Interval known =
      index < records_.size() ? interval_for(records_[index], inflation).interval : Interval{};
  const double sign = minimizes ? -1.0 : 1.0;
  const double end = minimizes ? -known.upper : known.lower;
  Others others;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const Record& record = records_[i];
    if (i == index || record.barred) continue;
    if (shape_.has_two_values() && !keeps_hard_range() &&
        !level_moves_) {  // avoids computing interval ends, which is slow
      if (share_reaches(record, sign * end, sign, inflation)) ++others.rivals;
      continue;
    }
    const AssumedInterval other = interval_for(record, inflation);
    if (other.assumes == Assumption::none) {
      ++others.unknown;
    } else if (std::max(sign * other.interval.lower, sign * other.interval.upper) > end) {
      ++others.rivals;
    }
  }
  return others;
}

/// Whether the interval of an arm by `by_share` reaches beyond `end`, in the direction of `sign`.
bool Evidence::share_reaches(const Record& record, double end, double sign,
                             double inflation) const {
  const double shifted = end - sign * transient(record);
  if (sign * record.mean > sign * shifted) return true;
  const auto [low, high] = shape_.two_values();
  const double pulls = record.pulls / inflation;
  const double share = share_of(record.mean, shape_.two_values());
  return is_possible_rate((shifted - low) / (high - low), share * pulls, pulls, alpha(record));
}

// --- state -----------------------------------------------------------------------------------

/// Whether the restored state is consistent.
bool Evidence::makes_sense() const {
  double freedom = 0.0;
  for (const Record& record : records_) freedom += record.pulls - 1.0;
  return here_.size() == dimension_ && arms_.size() == records_.size() * dimension_ &&
         records_.empty() == (count_ == 0) && count_ >= records_.size() &&
         arms_played_ >= records_.size() && most_records_ != 0 && State::are_ends(min_, max_) &&
         State::are_sizes({within_squares_}) && State::are_finite({total_mean_}) &&
         (range_.has_value() || !range_is_hard_) &&
         std::abs(within_freedom_ - freedom) <= 1e-9 * freedom &&
         (is_somewhere_ || recent_count_ == 0) && recent_count_ < kRecent;
}

void Evidence::transfer(State& state) {
  std::uint64_t dimension = dimension_;
  bool has_range = range_.has_value();
  state(dimension, records_, arms_, arms_played_, most_records_, apart_end_, apart_order_, count_,
        min_, max_, shape_, total_mean_, within_squares_, within_freedom_, has_range,
        range_is_hard_, range_was_left_, outside_, trial_, here_, is_somewhere_, visit_is_counted_,
        recent_count_, blocks_, level_moves_);
  if (state.restoring()) {
    range_ = has_range ? std::optional(std::array{0.0, 0.0}) : std::nullopt;
    State::require(dimension == dimension_ && makes_sense());
    fast_until_ = 0;
    rebuild_slots(records_.size());
    here_index_ = find(here_);
    State::require(!blocks_.is_running() || here_index_.has_value());
  }
  if (has_range) {
    auto& [low, high] = *range_;
    state(low, high);
    state.require_restored(State::are_finite({low, high}) && low < high);
  }
  for (std::size_t i = 0; i < recent_count_; ++i) {
    state(recent_[i]);
    state.require_restored(State::are_finite({recent_[i]}));
  }
}

}  // namespace canopy
