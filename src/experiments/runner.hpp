#pragma once

#include "canopy/experiment.hpp"

#include "experiments/executor.hpp"
#include "experiments/unit_log.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace canopy {

/// A text that is the same for two specifications exactly when their results are.
[[nodiscard]] std::string fingerprint(const ExperimentSpecification& experiment);

/// The steps at which curves have points: whole, increasing, the last one `steps`.
[[nodiscard]] std::vector<std::uint64_t> checkpoint_steps(std::uint64_t steps,
                                                          std::uint64_t checkpoints);

/// The same for an algorithm of an experiment: up to where it is run.
[[nodiscard]] std::vector<std::uint64_t> checkpoint_steps(const ExperimentSpecification& experiment,
                                                          const AlgorithmSpecification& algorithm);

/// How many steps an experiment has at most, in all its units, done or not.
[[nodiscard]] std::uint64_t total_steps(const ExperimentSpecification& experiment);

/// The log of an experiment in a folder, which is made; `fresh` forgets what is there.
[[nodiscard]] UnitLog open_log(const ExperimentSpecification& experiment, const std::string& folder,
                               bool fresh);

/// Does one unit of work: takes its key and gives its line for the log.
[[nodiscard]] std::string do_unit(const ExperimentSpecification& experiment, const std::string& key,
                                  const Watch& watch);

/// Tunes, chooses and measures whatever is not in the log yet. `skipped` is told of the steps of
/// units that were there already. Throws Stopped.
[[nodiscard]] std::vector<ComparisonResult> run_experiment(
    const ExperimentSpecification& experiment, UnitLog& log, Executor& executor, const Watch& watch,
    const std::function<void(std::uint64_t)>& skipped = {});

}  // namespace canopy
