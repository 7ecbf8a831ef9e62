#pragma once

#include "canopy/experiment.hpp"

#include "experiments/executor.hpp"
#include "terminal/argument_parser.hpp"

#include <optional>
#include <string>

namespace canopy::terminal {

/// The command-line arguments of `canopy experiment`.
struct ExperimentArguments {
  std::string file;
  std::optional<std::string> out;
  bool fresh = false;

  void add_to(ArgumentParser& command);

  /// Loads the experiment file. Throws WrongUse.
  [[nodiscard]] ExperimentSpecification load() const;
};

/// Runs an experiment on an executor, prints its tables and writes its report. Returns the exit
/// status.
[[nodiscard]] int run_experiment_command(const ExperimentArguments& arguments,
                                         const ExperimentSpecification& experiment,
                                         Executor& executor, const std::string& command);

}  // namespace canopy::terminal
