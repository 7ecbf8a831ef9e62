#pragma once

#include "core/statistics.hpp"
#include "experiments/executor.hpp"
#include "experiments/experiment_specification.hpp"
#include "experiments/run.hpp"
#include "experiments/unit_log.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace canopy {

/// The mean of some runs at a checkpoint.
struct CurvePoint {
  std::uint64_t steps = 0;
  Estimate regret;  ///< per step, of the kind that the comparison asks for
  Estimate nodes;
  Estimate switches;
  Estimate seconds;      ///< of processor time, up to here
  Estimate nanoseconds;  ///< of it, per step
};

/// What came of one algorithm of a comparison.
struct AlgorithmResult {
  std::string label;
  OptimizerOptions chosen;     ///< the candidate that was best in tuning
  std::size_t candidates = 1;  ///< how many there were
  double tuning_regret = 0.0;  ///< of the chosen one, in tuning; 0 if there was nothing to tune
  Estimate per_step_regret;    ///< measured with fresh seeds, as all below
  Estimate per_step_realised_regret;
  Estimate simple_regret;
  Estimate depth;
  std::vector<CurvePoint> curve;  ///< the last point is at the end of the runs
};

struct ComparisonResult {
  ComparisonSpecification specification;
  std::vector<AlgorithmResult> algorithms;
};

/// How many steps an experiment has at most, in all its units, done or not.
[[nodiscard]] std::uint64_t total_steps(const ExperimentSpecification& experiment);

/// Does one unit of work: takes its key and gives its line for the log.
[[nodiscard]] std::string do_unit(const ExperimentSpecification& experiment, const std::string& key,
                                  const Watch& watch);

/// Tunes, chooses and measures whatever is not in the log yet. `skipped` is told of the steps of
/// units that were there already. Throws Stopped.
[[nodiscard]] std::vector<ComparisonResult> run_experiment(
    const ExperimentSpecification& experiment, UnitLog& log, Executor& executor, const Watch& watch,
    const std::function<void(std::uint64_t)>& skipped = {});

}  // namespace canopy
