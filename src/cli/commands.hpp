#pragma once

#include "terminal/failure.hpp"
#include "terminal/words.hpp"

#include <functional>

namespace canopy::cli {

using namespace terminal;

/// Every sub-command adds itself to the tool and returns what runs it: the exit status, or
/// WrongUse.
using Command = std::function<int()>;

[[nodiscard]] Command add_serve(Words app);
[[nodiscard]] Command add_simulate(Words app);
[[nodiscard]] Command add_pipe(Words app);
[[nodiscard]] Command add_bounds(Words app);
[[nodiscard]] Command add_environment(Words app);
[[nodiscard]] Command add_experiment(Words app);
[[nodiscard]] Command add_tune(Words app);
[[nodiscard]] Command add_confirm(Words app);
[[nodiscard]] Command add_act(Words app);
[[nodiscard]] Command add_studies(Words app);
[[nodiscard]] Command add_best(Words app);
[[nodiscard]] Command add_explain(Words app);
[[nodiscard]] Command add_token(Words app);
[[nodiscard]] Command add_tree(Words app);
[[nodiscard]] Command add_report(Words app);

}  // namespace canopy::cli
