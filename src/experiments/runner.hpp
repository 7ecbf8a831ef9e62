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

/// A text that is the same for two specifications exactly when the units that both have give the
/// same results: more runs are more units.
[[nodiscard]] std::string fingerprint(const ExperimentSpecification& experiment);

/// The steps at which curves have points: whole, increasing, the last one `steps`.
[[nodiscard]] std::vector<std::uint64_t> checkpoint_steps(std::uint64_t steps,
                                                          std::uint64_t checkpoints);

/// The same for an algorithm of an experiment: up to where it is run.
[[nodiscard]] std::vector<std::uint64_t> checkpoint_steps(const ExperimentSpecification& experiment,
                                                          const AlgorithmSpecification& algorithm);

/// How many steps an experiment has at most, in all its units, done or not.
[[nodiscard]] std::uint64_t total_steps(const ExperimentSpecification& experiment);

/// The environment of a comparison, for one run, and what tells it from others.
[[nodiscard]] std::unique_ptr<KnownEnvironment> environment_of(
    const ComparisonSpecification& comparison);
[[nodiscard]] std::string environment_text(const ComparisonSpecification& comparison);

/// The log of an experiment in a folder, which is made; `fresh` forgets what is there. Without a
/// folder, one that is forgotten itself.
[[nodiscard]] UnitLog open_log(const ExperimentSpecification& experiment, const std::string& folder,
                               bool fresh);

/// Whether a unit calls an environment or an algorithm of the caller's own.
[[nodiscard]] bool calls_caller(const ExperimentSpecification& experiment, const std::string& key);

/// Does one unit of work: takes its key and gives its line for the log.
[[nodiscard]] std::string do_unit(const ExperimentSpecification& experiment, const std::string& key,
                                  const Watch& watch);

/// Tunes, chooses and measures whatever is not in the log yet. `skipped` is told of the steps of
/// units that were there already. Throws Stopped.
[[nodiscard]] std::vector<ComparisonResult> run_experiment(
    const ExperimentSpecification& experiment, UnitLog& log, Executor& executor, const Watch& watch,
    const std::function<void(std::uint64_t)>& skipped = {});

}  // namespace canopy
