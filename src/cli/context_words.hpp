#pragma once

#include "canopy/context.hpp"

#include "terminal/argument_parser.hpp"

#include <string>
#include <vector>

namespace canopy::cli {

/// Adds `--context NAME=VALUE`, once for each variable.
void add_context_flag(terminal::ArgumentParser& command, std::vector<std::string>& words);

/// Parses the values of `--context`. Throws WrongUse if a variable is missing, unknown or invalid.
[[nodiscard]] std::vector<double> context_from(const std::vector<std::string>& words,
                                               const ContextSpace& contexts);

}  // namespace canopy::cli
