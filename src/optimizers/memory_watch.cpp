#include "canopy/detail/memory_watch.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

void MemoryWatch::turn(std::uint64_t number, double left, double level, double noise) {
  if (earlier_ > 1.0) weigh();
  if (began_ == 0 || next_ == 0) {
    deviation_.fill(0.0);
  } else {
    Parts power = kKept;
    Parts still;
    still.fill(1.0);
    for (std::uint64_t pulls = number - began_; pulls != 0; pulls >>= 1U) {
      for (std::size_t i = 0; i < kParts; ++i) {
        if ((pulls & 1U) != 0) still[i] *= power[i];
        power[i] *= power[i];
      }
    }
    for (std::size_t i = 0; i < kParts; ++i) {
      deviation_[i] = left + deviation_[i] * still[i] - level;
    }
  }
  began_ = next_ = number;
  earlier_ = mean_ = 0.0;
  noise_ = noise;
  left_ = kKept;
  left_before_.fill(0.0);
}

void MemoryWatch::compare(double off) {
  const double weight = earlier_ / ((earlier_ + 1.0) * noise_);
  const double surprise = (off - mean_) * weight;
  const double share = 1.0 / (earlier_ + 1.0);
  for (std::size_t i = 0; i < kParts; ++i) {
    const double expected = deviation_[i] * (left_[i] - left_before_[i]);
    product_[i] += expected * surprise;
    squares_[i] += expected * surprise * expected * surprise;
    information_[i] += expected * expected * weight;
    left_before_[i] += (left_[i] - left_before_[i]) * share;
    left_[i] *= kKept[i];
  }
  mean_ += (off - mean_) * share;
  earlier_ += 1.0;
  ++next_;
}

namespace {

/// The evidence in nats for a curve with the product U, if its variance is J; 0 if it is at most
/// `least`, which avoids computing a logarithm.
double nats(double product, double variance, double least) {
  const double squared = product * product / (1.0 + variance);
  if (product <= 0.0 || squared <= 2.0 * least) return 0.0;
  return 0.5 * (squared - std::log1p(variance));
}

}  // namespace

/// The decision whether there is a curve is conservative; the choice among curves uses the model's
/// noise.
void MemoryWatch::weigh() {
  bool is_sure = settling_ != 0;
  for (std::size_t i = 0; i < kParts && !is_sure; ++i) {
    is_sure = nats(product_[i], std::max(information_[i], squares_[i]), kAlarm) > kAlarm;
  }
  for (std::size_t i = 0; i < kParts && is_sure; ++i) {
    const double evidence = nats(product_[i], information_[i], evidence_);
    if (evidence <= evidence_) continue;
    evidence_ = evidence;
    settling_ = static_cast<std::uint64_t>(std::lround(-3.0 / std::log(kKept[i])));
  }
}

std::optional<std::uint64_t> MemoryWatch::settling() const {
  return settling_ == 0 ? std::nullopt : std::optional(settling_);
}

void MemoryWatch::transfer(State& state) {
  state(began_, next_, earlier_, mean_, noise_, evidence_, settling_);
  state.require_restored(State::are_counts({earlier_}) && State::are_finite({mean_}) &&
                         noise_ > 0.0);
  for (Parts* parts : {&deviation_, &left_, &left_before_, &product_, &information_, &squares_}) {
    for (double& part : *parts) state(part);
  }
}

}  // namespace canopy
