#pragma once

#include <string>

namespace canopy::terminal {

/// Whether something that was printed is lost.
[[nodiscard]] bool output_is_lost();

/// Sends what is still to be printed. Returns the exit status, which is not success if anything is
/// lost: then it says why. A reader that left wanted no more.
[[nodiscard]] int finish_output(const std::string& who, int status);

}  // namespace canopy::terminal
