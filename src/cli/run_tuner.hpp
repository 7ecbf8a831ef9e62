#pragma once

#include "canopy/study.hpp"

#include "cli/tune_status.hpp"
#include "tuning/tuner.hpp"

#include <functional>
#include <string>

namespace canopy::cli {

/// Runs a tuner with what `tune` and `confirm` share: signals, the status line and files, advice,
/// and the result. `command` is named in messages. Returns the exit status.
[[nodiscard]] int run_tuner(const std::string& command, Study& study, TuneStatus::Files files,
                            bool json, const std::function<TuneEnd(Tuner&)>& run);

}  // namespace canopy::cli
