#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace canopy::cli {

/// Every sub-command adds itself to the tool and returns what runs it: the exit status, or
/// WrongUse.
using Command = std::function<int()>;

[[nodiscard]] Command add_simulate(CLI::App& app);
[[nodiscard]] Command add_pipe(CLI::App& app);
[[nodiscard]] Command add_bounds(CLI::App& app);
[[nodiscard]] Command add_environment(CLI::App& app);
[[nodiscard]] Command add_experiment(CLI::App& app);
[[nodiscard]] Command add_tune(CLI::App& app);
[[nodiscard]] Command add_studies(CLI::App& app);
[[nodiscard]] Command add_best(CLI::App& app);
[[nodiscard]] Command add_tree(CLI::App& app);
[[nodiscard]] Command add_report(CLI::App& app);

}  // namespace canopy::cli
