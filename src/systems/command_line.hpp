#pragma once

#include "systems/command_symbols.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// The values of a command's placeholders, by name.
using Values = std::vector<std::pair<std::string, std::string>>;

/// The variable of the environment that holds a parameter's value: CANOPY_ and its name, with _ for
/// whatever is neither a letter of ASCII nor a digit.
[[nodiscard]] std::string variable_of(std::string_view parameter);

/// A command as a study file writes it, such as `redis-cli config set lfu-decay-time {minutes}`.
///
/// Without a shell the text is cut into words at blanks and line ends; single quotes, double quotes
/// and backslashes work as in a POSIX shell. Nothing is expanded: $, *, ~, | and > are letters.
/// {name} stands for a value, and is a word or a part of one, whatever the value holds; a name may
/// hold anything but braces. {{ and }} stand for braces. What the program makes of its words is its
/// own affair: ssh and `sh -c` read theirs as a command again.
///
/// With a shell, /bin/sh runs the text as it is. Values are in the environment: see `variable_of`.
class CommandLine {
 public:
  /// Throws CommandLineError for a command without words and, if there is no shell, for quotes that
  /// are not closed and a placeholder that is malformed.
  CommandLine(std::string text, bool shell);

  [[nodiscard]] const std::string& text() const { return text_; }

  /// The names between braces, each once, in the order of their first use; none with a shell.
  [[nodiscard]] const std::vector<std::string>& placeholders() const { return placeholders_; }

  /// Whether it takes the value of a parameter by its name.
  [[nodiscard]] bool uses(const std::string& parameter) const;

  /// Whether a word is anywhere in it, as in a script that it gives to another shell.
  [[nodiscard]] bool mentions(const std::string& word) const {
    return text_.find(word) != std::string::npos;
  }

  /// The program and its arguments. Values that no placeholder asks for are left out. Throws
  /// CommandLineError when one is missing or holds a zero byte, which no argument can.
  [[nodiscard]] std::vector<std::string> words(const Values& values) const;

 private:
  std::string text_;
  std::vector<std::string> placeholders_;
  bool shell_;
  std::vector<CommandSymbols> words_;  ///< when there is no shell
};

}  // namespace canopy
