#pragma once

#include <optional>
#include <string>

namespace canopy {

/// The file that would be run in a folder (empty: ours) for the first word of a command: the word
/// itself if it has a slash, else looked for in PATH. None if there is none, or it may not be
/// executed.
[[nodiscard]] std::optional<std::string> find_program(const std::string& word,
                                                      const std::string& folder = "");

/// A path as it is seen from a folder (empty: ours).
[[nodiscard]] std::string seen_from(const std::string& folder, const std::string& path);

/// Why there is no program for the first word of a command, and what to do: `./m.sh is not
/// executable: chmod +x /home/a/m.sh`. `rest` are the other words of the command.
[[nodiscard]] std::string no_program_text(const std::string& word, const std::string& folder,
                                          const std::string& rest);

}  // namespace canopy
