#pragma once

#include "terminal/argument_parser.hpp"
#include "terminal/failure.hpp"

#include <functional>

namespace canopy::cli {

using namespace terminal;

/// Each function adds a sub-command to the tool and returns the function that runs this
/// sub-command. The returned function is empty if this build lacks the command; otherwise it
/// returns the exit status or throws WrongUse.
using Command = std::function<int()>;

/// The message for commands that this build lacks.
inline constexpr const char* kMissing =
    "not available: this canopy was built without OpenSSL or spdlog; install them and build it "
    "again";

[[nodiscard]] Command add_dashboard(ArgumentParser app);
[[nodiscard]] Command add_serve(ArgumentParser app);
[[nodiscard]] Command add_simulate(ArgumentParser app);
[[nodiscard]] Command add_pipe(ArgumentParser app);
[[nodiscard]] Command add_bounds(ArgumentParser app);
[[nodiscard]] Command add_environment(ArgumentParser app);
[[nodiscard]] Command add_experiment(ArgumentParser app);
[[nodiscard]] Command add_tune(ArgumentParser app);
[[nodiscard]] Command add_confirm(ArgumentParser app);
[[nodiscard]] Command add_steer(ArgumentParser app);
[[nodiscard]] Command add_studies(ArgumentParser app);
[[nodiscard]] Command add_best(ArgumentParser app);
[[nodiscard]] Command add_policy(ArgumentParser app);
[[nodiscard]] Command add_explain(ArgumentParser app);
[[nodiscard]] Command add_token(ArgumentParser app);
[[nodiscard]] Command add_tree(ArgumentParser app);
[[nodiscard]] Command add_report(ArgumentParser app);

}  // namespace canopy::cli
