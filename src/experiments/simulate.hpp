#pragma once

#include "core/statistics.hpp"
#include "experiments/run.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

struct SimulationOptions {
  std::uint64_t steps = 100'000;  ///< n, at least 1
  std::uint64_t runs = 10;        ///< independent repetitions, at least 1
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: one per core. The results do not depend on it.
  std::vector<std::uint64_t> checkpoints = {};  ///< of every run; increasing, at most `steps`
};

/// All runs together.
struct SimulationResult {
  Estimate per_step_regret;
  Estimate per_step_realised_regret;
  Estimate simple_regret;
  Estimate nodes;
  Estimate depth;
  Estimate switches;
  Estimate refreshes;
  double ns_per_step = 0.0;
  std::vector<RunResult> runs;
};

/// Runs one optimizer on one environment, in parallel. Nothing when it was stopped. Throws
/// ConfigurationError when the optimizer cannot search the environment's space.
[[nodiscard]] std::optional<SimulationResult> simulate(const EnvironmentOptions& environment,
                                                       const OptimizerOptions& optimizer,
                                                       const SimulationOptions& options,
                                                       const Watch& watch = {});

}  // namespace canopy
