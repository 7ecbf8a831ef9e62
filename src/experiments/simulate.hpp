#pragma once

#include "environments/catalogue.hpp"
#include "experiments/statistics.hpp"
#include "optimizers/catalogue.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace canopy {

struct SimulationOptions {
  std::uint64_t steps = 100'000;  ///< n, at least 1
  std::uint64_t runs = 10;        ///< independent repetitions, at least 1
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: one per core. The results do not depend on it.
};

/// One run.
struct RunResult {
  double per_step_regret = 0.0;           ///< mean of f* - f(x_t)
  double per_step_realised_regret = 0.0;  ///< mean of f* - r_t
  double simple_regret = 0.0;             ///< f* - f(best arm)
  Summary summary;
  std::vector<double> best_arm;
  double ns_per_step = 0.0;  ///< of the optimizer and the environment together
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

/// How a long piece of work talks to whoever waits for it.
struct Watch {
  std::function<void(std::uint64_t)> steps_done;  ///< Told every so often, from any thread.
  const std::atomic<bool>* stop = nullptr;        ///< Looked at as often.
};

/// Runs one optimizer on one environment, in parallel: a loop of its own for every pair, without a
/// virtual call. Nothing when it was stopped. Throws ConfigurationError, before anything runs, when
/// the optimizer cannot search the environment's space.
[[nodiscard]] std::optional<SimulationResult> simulate(const EnvironmentOptions& environment,
                                                       const OptimizerOptions& optimizer,
                                                       const SimulationOptions& options,
                                                       const Watch& watch = {});

}  // namespace canopy
