#pragma once

#include <string>

namespace canopy::terminal {

/// Whether writing to standard output has failed.
[[nodiscard]] bool output_is_lost();

/// Flushes standard output. If that fails, reports it and returns a failure instead of `status`; a
/// closed pipe is not a failure.
[[nodiscard]] int finish_output(const std::string& who, int status);

}  // namespace canopy::terminal
