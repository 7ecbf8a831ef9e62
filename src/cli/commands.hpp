#pragma once

#include "terminal/failure.hpp"
#include "terminal/words.hpp"

#include <functional>

namespace canopy::cli {

using namespace terminal;

/// Every sub-command adds itself to the tool and returns what runs it: the exit status, or
/// WrongUse. Nothing: this build does not have it.
using Command = std::function<int()>;

/// Said of what this build does not have.
inline constexpr const char* kMissing =
    "is not in the canopy that comes with the Python package; `make build` in a clone of canopy "
    "builds all of it";

[[nodiscard]] Command add_dashboard(Words app);
[[nodiscard]] Command add_serve(Words app);
[[nodiscard]] Command add_simulate(Words app);
[[nodiscard]] Command add_pipe(Words app);
[[nodiscard]] Command add_bounds(Words app);
[[nodiscard]] Command add_environment(Words app);
[[nodiscard]] Command add_experiment(Words app);
[[nodiscard]] Command add_tune(Words app);
[[nodiscard]] Command add_confirm(Words app);
[[nodiscard]] Command add_steer(Words app);
[[nodiscard]] Command add_studies(Words app);
[[nodiscard]] Command add_best(Words app);
[[nodiscard]] Command add_explain(Words app);
[[nodiscard]] Command add_token(Words app);
[[nodiscard]] Command add_tree(Words app);
[[nodiscard]] Command add_report(Words app);

}  // namespace canopy::cli
