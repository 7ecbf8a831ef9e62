#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Thrown for a command that cannot be understood, with a message for people.
class CommandLineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A letter of a command or, if it has a number, a placeholder: its place in the list of names.
struct CommandSymbol {
  char letter = '\0';
  std::optional<std::size_t> placeholder;
};
using CommandSymbols = std::vector<CommandSymbol>;

/// A command whose braces have been read.
struct CommandText {
  CommandSymbols symbols;
  std::vector<std::string> placeholders;
};

/// Reads {name}, {{ and }}. Throws CommandLineError for any other brace.
[[nodiscard]] CommandText read_braces(std::string_view text);

/// Cuts a command into words and takes away the quotes, as a POSIX shell does. Throws
/// CommandLineError for quotes that are not closed.
[[nodiscard]] std::vector<CommandSymbols> split_words(const CommandSymbols& symbols);

}  // namespace canopy
