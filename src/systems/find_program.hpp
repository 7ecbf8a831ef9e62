#pragma once

#include <optional>
#include <string>

namespace canopy {

/// The file that would be executed for the first word of a command in a folder (empty: ours): the
/// word itself if it has a slash, else found in PATH. None if it does not exist or is not
/// executable.
[[nodiscard]] std::optional<std::string> find_program(const std::string& word,
                                                      const std::string& folder = "");

/// Resolves a path relative to a folder (empty: ours).
[[nodiscard]] std::string seen_from(const std::string& folder, const std::string& path);

/// Explains why the first word of a command cannot be executed, and what to do: `./m.sh is not
/// executable: chmod +x /home/a/m.sh`. `rest` contains the other words of the command.
[[nodiscard]] std::string no_program_text(const std::string& word, const std::string& folder,
                                          const std::string& rest);

}  // namespace canopy
