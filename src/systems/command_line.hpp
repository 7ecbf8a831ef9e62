#pragma once

#include "systems/command_symbols.hpp"

#include <string>
#include <utility>
#include <vector>

namespace canopy {

/// The values of a command's placeholders, by name.
using Values = std::vector<std::pair<std::string, std::string>>;

/// A command as a study file writes it, such as `redis-cli config set lfu-decay-time {minutes}`.
///
/// {name} stands for a value; a name may hold anything but braces. {{ and }} stand for braces.
///
/// Without a shell the text is cut into words at blanks and line ends; single quotes, double quotes
/// and backslashes work as in a POSIX shell. Nothing is expanded: $, *, ~, | and > are letters.
///
/// With a shell, /bin/sh runs the text. Values reach it as variables and never as text to be read,
/// so that nothing in them is run. A placeholder may stand inside quotes, but not where the shell
/// would read the value again or not at all: (( )), ${ }, backticks, and after a here-document.
///
/// In both, a placeholder is a word or a part of one, whatever the value holds. What the program
/// makes of its words is its own affair: ssh, eval and `sh -c` read theirs as a command again, and
/// bash's let and [[ ]] may do so.
class CommandLine {
 public:
  /// Throws CommandLineError for quotes that are not closed, a command without words, a
  /// placeholder that is malformed or used where it cannot be filled in safely.
  CommandLine(std::string text, bool shell);

  [[nodiscard]] const std::string& text() const { return text_; }

  /// The names between braces, each once, in the order of their first use.
  [[nodiscard]] const std::vector<std::string>& placeholders() const { return placeholders_; }

  /// The program and its arguments. Values that no placeholder asks for are left out. Throws
  /// CommandLineError when one is missing or holds a zero byte, which no argument can.
  [[nodiscard]] std::vector<std::string> words(const Values& values) const;

 private:
  std::string text_;
  std::vector<std::string> placeholders_;
  std::vector<CommandSymbols> words_;  ///< when there is no shell
  std::string script_;                 ///< when there is one
};

}  // namespace canopy
