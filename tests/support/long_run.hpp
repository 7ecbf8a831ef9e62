#pragma once

#include "canopy/environment.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace canopy::testing {

/// The mean reward of an arm that is held for a long time, and its standard error, estimated from
/// the means of long blocks.
struct LongRun {
  double mean = 0.0;
  double standard_error = 0.0;
};

inline LongRun long_run(Environment& environment, const std::vector<double>& arm,
                        std::uint64_t steps, std::uint64_t seed = 1) {
  constexpr std::uint64_t kBlocks = 50;
  RandomStream random({.seed = seed, .purpose = "long run"});
  environment.start(random);
  for (std::uint64_t i = 0; i < steps / 20; ++i) environment.pull(arm, random);  // forget the start
  const std::uint64_t block_steps = steps / kBlocks;
  std::vector<double> means;
  for (std::uint64_t block = 0; block < kBlocks; ++block) {
    double sum = 0.0;
    for (std::uint64_t i = 0; i < block_steps; ++i) sum += environment.pull(arm, random);
    means.push_back(sum / static_cast<double>(block_steps));
  }
  double mean = 0.0;
  for (const double value : means) mean += value / kBlocks;
  double squares = 0.0;
  for (const double value : means) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (kBlocks - 1.0) / kBlocks)};
}

}  // namespace canopy::testing
