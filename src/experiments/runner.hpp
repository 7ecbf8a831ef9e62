#pragma once

#include "canopy/experiment.hpp"

#include "experiments/executor.hpp"
#include "experiments/unit_log.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace canopy {

/// A text that is equal for two specifications exactly when their common units have the same
/// results. (More runs only add units.)
[[nodiscard]] std::string fingerprint(const ExperimentSpecification& experiment);

/// The steps at which curves have points: whole numbers, increasing, the last one `steps`.
[[nodiscard]] std::vector<std::uint64_t> checkpoint_steps(std::uint64_t steps,
                                                          std::uint64_t checkpoints);

/// The steps at which curves of an algorithm have points, up to the number of steps it is run.
[[nodiscard]] std::vector<std::uint64_t> checkpoint_steps(const ExperimentSpecification& experiment,
                                                          const AlgorithmSpecification& algorithm);

/// Upper bound on the steps of all units of an experiment, finished or not.
[[nodiscard]] std::uint64_t total_steps(const ExperimentSpecification& experiment);

/// The environment of a comparison, for one run, and the text that identifies it.
[[nodiscard]] std::unique_ptr<KnownEnvironment> environment_of(
    const ComparisonSpecification& comparison);
[[nodiscard]] std::string environment_text(const ComparisonSpecification& comparison);

/// The log of an experiment in a folder, which is created; `fresh` discards existing results.
/// Without a folder, a temporary log.
[[nodiscard]] UnitLog open_log(const ExperimentSpecification& experiment, const std::string& folder,
                               bool fresh);

/// Whether a unit calls a user-defined environment or algorithm.
[[nodiscard]] bool calls_caller(const ExperimentSpecification& experiment, const std::string& key);

/// Executes one unit: takes its key and returns its line for the log.
[[nodiscard]] std::string do_unit(const ExperimentSpecification& experiment, const std::string& key,
                                  const Watch& watch);

/// Tunes, chooses and measures all units that are not in the log yet. `skipped` is called with the
/// steps of the units that are. Throws Stopped.
[[nodiscard]] std::vector<ComparisonResult> run_experiment(
    const ExperimentSpecification& experiment, UnitLog& log, Executor& executor, const Watch& watch,
    const std::function<void(std::uint64_t)>& skipped = {});

}  // namespace canopy
