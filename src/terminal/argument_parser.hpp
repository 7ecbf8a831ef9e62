#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace canopy::terminal {

/// The arguments of a command and the variables that receive them, which must outlive the parsing.
/// A thin wrapper around CLI11, which takes seconds to compile wherever it is included.
class ArgumentParser {
 public:
  explicit ArgumentParser(CLI::App& app) : app_(&app) {}

  /// Adds a sub-command.
  [[nodiscard]] ArgumentParser command(const std::string& name, const std::string& description);

  /// Adds `--store FILE`, or a positional argument `NAME`. Help shows the default if it is not
  /// empty.
  void option(const std::string& name, std::string& into, const std::string& help);
  void option(const std::string& name, std::optional<std::string>& into, const std::string& help);

  /// Adds an option in a group of its own; help shows `value` as the name of its value.
  void option(const std::string& name, std::optional<std::string>& into, const std::string& help,
              const std::string& group, const std::string& value);

  /// Adds an option that may be repeated, such as `--context NAME=VALUE`.
  void options(const std::string& name, std::vector<std::string>& into, const std::string& help);

  /// Adds a flag without a value, such as `--json`.
  void flag(const std::string& name, bool& into, const std::string& help);

  /// Sets the text at the end of the help.
  void footer(const std::string& text);

 private:
  CLI::App* app_;
};

}  // namespace canopy::terminal
