#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace canopy::terminal {

/// The words of a command, and where they are put when the command line is read. A thin cover over
/// CLI11, which takes seconds to compile wherever it is included. What the words are put into must
/// outlive the reading.
class ArgumentParser {
 public:
  explicit ArgumentParser(CLI::App& app) : app_(&app) {}

  /// Adds a command.
  [[nodiscard]] ArgumentParser command(const std::string& name, const std::string& description);

  /// `--store FILE`, or `NAME` for a word without a flag; help shows the default, if it is not
  /// empty.
  void option(const std::string& name, std::string& into, const std::string& help);
  void option(const std::string& name, std::optional<std::string>& into, const std::string& help);

  /// The same under its own heading, with a name for the value in help.
  void option(const std::string& name, std::optional<std::string>& into, const std::string& help,
              const std::string& group, const std::string& value);

  /// `--context NAME=VALUE`, which may be given many times, with a value each time.
  void options(const std::string& name, std::vector<std::string>& into, const std::string& help);

  /// `--json`, which takes no value.
  void flag(const std::string& name, bool& into, const std::string& help);

  /// What help says at the end.
  void footer(const std::string& text);

 private:
  CLI::App* app_;
};

}  // namespace canopy::terminal
