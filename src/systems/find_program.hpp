#pragma once

#include <optional>
#include <string>

namespace canopy {

/// The file that would be run for the first word of a command: the word itself if it has a slash,
/// else looked for in PATH. None if there is none, or it may not be executed.
[[nodiscard]] std::optional<std::string> find_program(const std::string& word);

}  // namespace canopy
