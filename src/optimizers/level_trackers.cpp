#include "canopy/detail/level_trackers.hpp"

#include <utility>

namespace canopy {
namespace {

constexpr double kAlarm = 5.0;               // in nats, plus ln t
constexpr std::uint64_t kFirstScored = 128;  // rewards before this one are not scored
constexpr std::uint64_t kFirstOfTwo = 512;   // the same for rewards with two values
constexpr double kKnown = 0.5;               // f is known if its variance is at most this times s
constexpr double kOrdinaryKurtosis = 5.0;    // a larger kurtosis raises the threshold
constexpr double kFewLosses = 64.0;          // fewer say nothing about the kurtosis
constexpr double kFewCounted = 64.0;         // fewer say nothing about the noise explained

// Autocorrelated noise is subtracted as soon as it explains the first fraction of the variance, and
// no longer when it explains less than the second. Subtracting noise that explains little gains
// little, and the first rewards after a change of arm then have most of the weight. These mislead
// in a system whose state depends on the arm, such as a queue that becomes longer.
constexpr double kEnough = 0.5;
constexpr double kTooLittle = 0.4;

}  // namespace

/// The factor of the required evidence. If prediction errors have a large kurtosis, their variance
/// is known less precisely, and their sums become large by chance sooner.
double LevelTrackers::caution() const {
  if (losses_ < kFewLosses || loss_sum_ == 0.0) return 1.0;
  const double kurtosis = losses_ * loss_squares_ / (loss_sum_ * loss_sum_);
  return 1.0 + std::max(0.0, std::sqrt(kurtosis) - std::sqrt(kOrdinaryKurtosis));
}

void LevelTrackers::count_value(double reward) {
  for (std::uint32_t i = 0; i < distinct_; ++i) {
    if (values_.at(i) == reward) return;
  }
  if (distinct_ < 2) values_.at(distinct_) = reward;
  ++distinct_;
}

LevelTrackers::Expected LevelTrackers::expect(double level, double variance, double noise,
                                              std::uint64_t number) const {
  const double all = variance + noise;
  const bool is_known = variance <= kKnown * noise;
  return {.level = level,
          .part = noise / all,
          .precision = 1.0 / all,
          .threshold = (kAlarm + std::log(static_cast<double>(number))) * caution(),
          .is_known = is_known,
          .is_scored = number >= (distinct_ <= 2 ? kFirstOfTwo : kFirstScored)};
}

void LevelTrackers::Expected::transfer(State& state) {
  state(level, part, precision, threshold, is_known, is_scored);
  state.require_restored(State::are_finite({level, threshold}) &&
                         State::are_sizes({part, precision}) && part <= 1.0);
}

bool LevelTrackers::add_several(const Expected& expected, double surprise, double rewards,
                                double squared_deviations) {
  count(rewards);
  // The mean of several rewards has less noise, but the same uncertainty of f.
  const double variance = 1.0 / expected.precision;
  const double noise = expected.part * variance;
  const double precision = 1.0 / (variance - noise + noise / rewards);
  const double own = surprise - levels_[used_];
  const double own_loss = clipped(own * own * precision);
  count_loss(own_loss);
  is_surprised_ = own_loss > kSurprise && own > 0.0 && expected.is_scored;
  double largest = 0.0;
  for (std::size_t j = 0; j < kTrackers; ++j) {
    const double error = surprise - levels_[j];
    const double squared = error * error;
    squares_[j] += (rewards * squared + squared_deviations) * expected.part;
    if (expected.is_scored && (j != slow || tells_slow(expected))) {
      const double nats = std::clamp(0.5 * (own_loss - clipped(squared * precision)),
                                     -kMostPerReward, kMostPerReward);
      scores_[j] = std::max(0.0, scores_[j] + nats);
      if (j == slow) scores_[j] = less_toll(scores_[j], rewards);
      largest = std::max(largest, scores_[j]);
    }
    const double gain = 1.0 - std::pow(1.0 - gain_of(j) * expected.part, rewards);
    levels_[j] += gain * error;
    taken_[j] += gain * (1.0 - taken_[j]);
  }
  let_return(std::pow(noise_memory_.phi(), rewards));
  noise_memory_.interrupt();
  return largest > expected.threshold;
}

LevelTrackers::Tracker LevelTrackers::alarming() const {
  Tracker alarming = used_ == frozen ? returning : frozen;
  for (const Tracker tracker : {frozen, returning, slow, medium, fast}) {
    if (tracker != used_ && scores_[tracker] >= scores_[alarming]) alarming = tracker;
  }
  return alarming;
}

bool LevelTrackers::may_be_of_f(Tracker tracker) const {
  const bool is_faster = moves(tracker) && (used_ == returning || kGains[tracker] > kGains[used_]);
  return is_faster && levels_[tracker] != level();
}

LevelTrackers::Gain LevelTrackers::adopt(Tracker tracker) {
  const double counted = std::max(counted_, 1.0);
  const double noise = squares_[tracker] / counted;
  const double less = std::max(0.0, squares_[used_] / counted - noise);
  if (used_ != returning) base_ = level();
  used_ = tracker;
  subtracts_noise_ = false;
  (void)reconsider_noise();
  if (used_ != returning) base_ = level();
  start_anew();
  return {noise, less};
}

bool LevelTrackers::reconsider_noise() {
  if (used_ != returning || counted_ < kFewCounted) return false;
  const double explained = 1.0 - squares_[returning] / squares_[frozen];
  const bool subtracts = explained >= (subtracts_noise_ ? kTooLittle : kEnough);
  return std::exchange(subtracts_noise_, subtracts) != subtracts;
}

void LevelTrackers::start_anew() {
  const double level_now = level();
  const double lasting = used_ == returning ? base_ : level_now;
  for (const Tracker tracker : {frozen, returning, slow, medium, fast}) {
    if (tracker != used_) levels_[tracker] = tracker == returning ? level_now : lasting;
  }
  scores_.fill(0.0);
  is_surprised_ = false;
}

void LevelTrackers::transfer(State& state) {
  state(used_, counted_, leaf_, base_, subtracts_noise_, is_surprised_, surprises_, losses_,
        loss_sum_, loss_squares_, distinct_, values_[0], values_[1]);
  noise_memory_.transfer(state);
  for (auto* list : {&levels_, &taken_, &scores_, &squares_}) {
    for (double& number : *list) state(number);
  }
  if (!state.restoring()) return;
  State::require(used_ <= frozen && State::are_sizes({counted_}) && State::are_finite({base_}) &&
                 State::are_sizes({losses_, loss_sum_, loss_squares_}) && distinct_ <= 3);
  for (std::size_t j = 0; j < kTrackers; ++j) {
    State::require(State::are_finite({levels_[j]}) && State::are_sizes({scores_[j], squares_[j]}) &&
                   State::are_sizes({taken_[j]}) && taken_[j] <= 1.0);
  }
}

}  // namespace canopy
