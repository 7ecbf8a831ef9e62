#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Thrown for an invalid command, with a message for users.
class CommandLineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A character of a command, or a placeholder: the index of its name.
struct CommandSymbol {
  char letter = '\0';
  std::optional<std::size_t> placeholder;
};
using CommandSymbols = std::vector<CommandSymbol>;

/// A command after its braces have been parsed.
struct CommandText {
  CommandSymbols symbols;
  std::vector<std::string> placeholders;
};

/// Parses {name}, {{ and }}. Throws CommandLineError for any other brace.
[[nodiscard]] CommandText read_braces(std::string_view text);

/// Splits a command into words and removes quotes, as a POSIX shell does. Throws CommandLineError
/// for unterminated quotes.
[[nodiscard]] std::vector<CommandSymbols> split_words(const CommandSymbols& symbols);

}  // namespace canopy
