#pragma once

#include "environments/catalogue.hpp"
#include "optimizers/catalogue.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace canopy {

/// Which run it is, how long, and what is wanted of it.
struct RunOptions {
  std::uint64_t steps = 100'000;  ///< n, at least 1
  std::uint64_t seed = 1;
  std::uint64_t number = 0;                     ///< Runs of other numbers are independent of it,
  std::string purpose = {};                     ///< and so are runs for other purposes.
  std::vector<std::uint64_t> checkpoints = {};  ///< Increasing, at most `steps`.
};

/// Where a run was after some steps.
struct Checkpoint {
  std::uint64_t steps = 0;
  double per_step_regret = 0.0;
  double per_step_realised_regret = 0.0;
  std::uint64_t nodes = 0;
  std::uint64_t switches = 0;
  double seconds = 0.0;  ///< of processor time
};

/// One run.
struct RunResult {
  double per_step_regret = 0.0;           ///< mean of f* - f(x_t)
  double per_step_realised_regret = 0.0;  ///< mean of f* - r_t
  double simple_regret = 0.0;             ///< f* - f(best arm)
  Summary summary;
  std::vector<double> best_arm;
  double ns_per_step = 0.0;  ///< of processor time, the optimizer and the environment together
  std::vector<Checkpoint> checkpoints;
};

/// How a long piece of work talks to whoever waits for it.
struct Watch {
  std::function<void(std::uint64_t)> steps_done;  ///< Told every so often, from any thread.
  const std::atomic<bool>* stop = nullptr;        ///< Looked at as often.
};

/// Thrown when a run was stopped.
class Stopped : public std::exception {};

/// Plays one optimizer on one environment: a loop of its own for every pair, without a virtual
/// call. Throws ConfigurationError when the optimizer cannot search the environment's space,
/// Stopped, and EnvironmentError.
[[nodiscard]] RunResult run_once(const EnvironmentOptions& environment,
                                 const OptimizerOptions& optimizer, const RunOptions& options,
                                 const Watch& watch = {});

}  // namespace canopy
