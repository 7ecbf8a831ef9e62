#include "canopy/detail/noise_memory.hpp"

#include "canopy/random.hpp"
#include "canopy/state.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// Noise of variance 1: a part that lasts, with the fraction `q` of it, and an independent part.
class LastingNoise {
 public:
  LastingNoise(double phi, double q, std::uint64_t seed)
      : phi_(phi), q_(q), random_({.seed = seed}) {}

  double next() {
    lasting_ = phi_ * lasting_ + std::sqrt(q_ * (1.0 - phi_ * phi_)) * random_.normal();
    return lasting_ + std::sqrt(1.0 - q_) * random_.normal();
  }

 private:
  double phi_;
  double q_;
  RandomStream random_;
  double lasting_ = 0.0;
};

TEST(NoiseMemory, FindsTheLastingPartAndHowLongItLasts) {
  for (const double phi : {0.5, 0.8, 0.9}) {
    for (const double q : {0.4, 1.0}) {
      LastingNoise noise(phi, q, 7);
      NoiseMemory memory;
      for (int i = 0; i < 4'000; ++i) memory.add(noise.next(), true);
      EXPECT_NEAR(memory.correlation(), q * phi, 0.06) << phi << ' ' << q;
      EXPECT_NEAR(memory.phi(), phi, 0.1) << phi << ' ' << q;
    }
  }
}

TEST(NoiseMemory, SaysNothingBeforeThirtyTwoPairsOrWithoutCorrelation) {
  NoiseMemory memory;
  for (int i = 0; i < 32; ++i) memory.add(1.0, true);
  EXPECT_EQ(memory.phi(), 0.0) << "31 pairs, estimated after 24";
  EXPECT_EQ(memory.correlation(), 0.0);
  memory.add(1.0, true);
  EXPECT_EQ(memory.phi(), 0.9) << "the largest value";

  NoiseMemory alternating;
  for (int i = 0; i < 100; ++i) alternating.add(i % 2 == 0 ? 1.0 : -1.0, true);
  EXPECT_EQ(alternating.phi(), 0.0);
  EXPECT_EQ(alternating.gain(), 1.0);
}

TEST(NoiseMemory, LeavesOutPairsWithAMeanThatIsNotWellKnown) {
  NoiseMemory memory;
  for (int i = 0; i < 1'000; ++i) memory.add(1.0, i % 2 == 0);
  EXPECT_EQ(memory.phi(), 0.0);
  for (int i = 0; i < 100; ++i) {
    memory.add(1.0, true);
    memory.interrupt();
  }
  EXPECT_EQ(memory.phi(), 0.0) << "no two rewards in a row";
}

/// A Kalman filter that is run until its gain no longer changes.
double gain_by_iteration(double phi, double q) {
  double predicted = q;
  double gain = 0.0;
  for (int i = 0; i < 10'000; ++i) {
    gain = predicted / (predicted + 1.0 - q);
    predicted = phi * phi * (1.0 - gain) * predicted + (1.0 - phi * phi) * q;
  }
  return gain;
}

TEST(NoiseMemory, HasTheGainOfTheStationaryKalmanFilter) {
  for (const double q : {0.3, 0.7}) {
    LastingNoise noise(0.8, q, 3);
    NoiseMemory memory;
    for (int i = 0; i < 4'000; ++i) memory.add(noise.next(), true);
    const double found = memory.correlation() / memory.phi();  // all pairs; gain has all but 7
    EXPECT_NEAR(memory.gain(), gain_by_iteration(memory.phi(), found), 1e-3) << q;
  }
  NoiseMemory all_lasts;
  for (int i = 0; i < 100; ++i) all_lasts.add(1.0, true);
  EXPECT_NEAR(all_lasts.gain(), 1.0, 1e-12);
}

TEST(NoiseMemory, ContinuesFromASavedState) {
  LastingNoise noise(0.7, 0.5, 5);
  NoiseMemory memory;
  for (int i = 0; i < 200; ++i) memory.add(noise.next(), i % 7 != 0);
  State saved;
  saved.mark("memory");
  saved(memory);
  const std::string text = saved.text();
  State state(text);
  NoiseMemory restored;
  state.mark("memory");
  state(restored);
  state.end();
  for (int i = 0; i < 200; ++i) {
    const double next = noise.next();
    memory.add(next, i % 5 != 0);
    restored.add(next, i % 5 != 0);
    EXPECT_EQ(memory.phi(), restored.phi());
    EXPECT_EQ(memory.gain(), restored.gain());
  }
}

}  // namespace
}  // namespace canopy
