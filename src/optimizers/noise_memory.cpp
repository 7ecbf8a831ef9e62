#include "canopy/detail/noise_memory.hpp"

#include "canopy/state.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {
namespace {

constexpr std::uint32_t kBetween = 8;     // pairs between two estimates, which take time
constexpr double kFewPairs = 32.0;        // fewer say nothing about phi
constexpr double kManyPairs = 4096.0;     // memory of the sums
constexpr double kLargestPhi = 0.9;       // noise that lasts longer is a level that moves
constexpr double kPastGain = 1.0 / 16.0;  // of the moving average

/// Gain of the stationary Kalman filter, where the lasting part has the fraction q of the variance.
double kalman_gain(double phi, double q) {
  const double independent = 1.0 - q;
  const double innovation = (1.0 - phi * phi) * q;
  const double half = 0.5 * (independent * (1.0 - phi * phi) - innovation);
  const double predicted = std::sqrt(half * half + innovation * independent) - half;
  return predicted / (predicted + independent);
}

}  // namespace

void NoiseMemory::add(double deviation, bool mean_is_known) {
  const double past = past_;
  past_ *= 1.0 - kPastGain;
  if (mean_is_known) {
    if (is_chained_) {
      pairs_ += 1.0;
      if (pairs_ > kManyPairs) {
        for (double* sum : {&pairs_, &products_, &squares_, &past_products_}) *sum *= 0.5;
      }
      products_ += deviation * last_;
      squares_ += deviation * deviation;
      past_products_ += deviation * past;
      if (++unused_pairs_ == kBetween) estimate();
    }
    last_ = deviation;
    past_ += kPastGain * deviation;
  }
  is_chained_ = mean_is_known;
}

/// The products with the previous deviation are q phi, those with the moving average of gain g are
/// g q phi / (1 - (1 - g) phi), both as a fraction of the variance.
void NoiseMemory::estimate() {
  unused_pairs_ = 0;
  phi_ = 0.0;
  gain_ = 1.0;
  const double correlation = this->correlation();
  if (correlation == 0.0) return;
  const double ratio = past_products_ / products_;
  const double lasting = ratio > kPastGain ? (1.0 - kPastGain / ratio) / (1.0 - kPastGain) : 0.0;
  phi_ = std::clamp(lasting, correlation, kLargestPhi);
  gain_ = kalman_gain(phi_, correlation / phi_);
}

double NoiseMemory::correlation() const {
  if (pairs_ < kFewPairs || !(products_ > 0.0)) return 0.0;
  return std::min(products_ / squares_, kLargestPhi);
}

void NoiseMemory::transfer(State& state) {
  state(pairs_, products_, squares_, past_products_, last_, past_, is_chained_, unused_pairs_, phi_,
        gain_);
  state.require_restored(State::are_sizes({pairs_, squares_, phi_, gain_}) && phi_ <= kLargestPhi &&
                         gain_ <= 1.0 && unused_pairs_ < kBetween &&
                         State::are_finite({products_, past_products_, last_, past_}));
}

}  // namespace canopy
