#pragma once

#include "systems/command_symbols.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// Values of placeholders, by name.
using Values = std::vector<std::pair<std::string, std::string>>;

/// The environment variable for a parameter's value: CANOPY_ and the parameter's name, with every
/// character other than ASCII letters and digits replaced by _.
[[nodiscard]] std::string variable_of(std::string_view parameter);

/// A command as written in a study file, such as `redis-cli config set lfu-decay-time {minutes}`.
///
/// Without a shell, the text is split into words at whitespace; single quotes, double quotes and
/// backslashes work as in a POSIX shell. Nothing is expanded: $, *, ~, | and > are literal
/// characters. {name} is replaced by a value, which is never split into words; a name may contain
/// any characters except braces. {{ and }} are literal braces. Programs such as ssh and `sh -c` may
/// interpret their arguments as a command again.
///
/// With a shell, /bin/sh runs the unchanged text. Values are in the environment: see `variable_of`.
class CommandLine {
 public:
  /// Throws CommandLineError for an empty command and, without a shell, for unterminated quotes and
  /// malformed placeholders.
  CommandLine(std::string text, bool shell);

  [[nodiscard]] const std::string& text() const { return text_; }

  /// The names of placeholders, each once, in the order of first use; empty with a shell.
  [[nodiscard]] const std::vector<std::string>& placeholders() const { return placeholders_; }

  /// Whether it uses the value of a parameter by name.
  [[nodiscard]] bool uses(const std::string& parameter) const;

  /// Whether the text contains a word anywhere, also within a script for another shell.
  [[nodiscard]] bool mentions(const std::string& word) const {
    return text_.find(word) != std::string::npos;
  }

  /// The program and its arguments. Values without a placeholder are ignored. Throws
  /// CommandLineError if a value is missing or contains a zero byte.
  [[nodiscard]] std::vector<std::string> words(const Values& values) const;

 private:
  std::string text_;
  std::vector<std::string> placeholders_;
  bool shell_;
  std::vector<CommandSymbols> words_;  ///< empty with a shell
};

}  // namespace canopy
