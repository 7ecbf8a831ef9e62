#pragma once

#include "canopy/garland.hpp"
#include "canopy/hct.hpp"

#include "experiments/statistics.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace canopy {

/// What can be simulated. Every pair of alternatives is compiled into a loop of its own, without a
/// virtual call.
using EnvironmentOptions = std::variant<GarlandOptions, GarlandMdpOptions>;
using OptimizerOptions = std::variant<HctOptions>;

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

/// Runs one optimizer on one environment, in parallel. Nothing when it was stopped. Throws
/// ConfigurationError.
[[nodiscard]] std::optional<SimulationResult> simulate(const EnvironmentOptions& environment,
                                                       const OptimizerOptions& optimizer,
                                                       const SimulationOptions& options,
                                                       const Watch& watch = {});

/// The environment itself, for what it knows: its space, f, its optimum.
[[nodiscard]] std::unique_ptr<Environment> make_environment(const EnvironmentOptions& environment);

}  // namespace canopy
