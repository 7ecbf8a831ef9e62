#include "canopy/errors.hpp"

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "core/text.hpp"

#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct Named {
  CLI::App* app;
  Command run;
};

/// The options of a command, for "did you mean".
std::vector<std::string_view> option_names(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

/// Complains about what CLI11 left over.
void refuse_leftovers(const CLI::App& command) {
  const std::vector<std::string> left = command.remaining();
  if (left.empty()) return;
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string_view given = std::string_view(left.front()).substr(0, left.front().find('='));
  if (given.starts_with("-")) {
    throw WrongUse(std::string(given) + ": " + unknown_name("option", given, option_names(names)));
  }
  throw WrongUse(std::string(given) + ": unexpected argument, see --help");
}

int dispatch(CLI::App& app, const std::vector<Named>& commands) {
  for (const Named& command : commands) {
    if (!command.app->parsed()) continue;
    const std::string name = "canopy " + command.app->get_name();
    try {
      refuse_leftovers(*command.app);
      return command.run();
    } catch (const WrongUse& error) {
      fmt::print(stderr, "{}: {}\n", name, error.what());
      return kWrongUse;
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", name, error.what());
      return kFailure;
    }
  }
  const std::vector<std::string> left = app.remaining();
  if (left.empty()) {
    fmt::print("{}", app.help());
    return kWrongUse;
  }
  static constexpr std::array<std::string_view, 3> names{"simulate", "pipe", "bounds"};
  fmt::print(stderr, "canopy: {}: {}\n", left.front(),
             unknown_name("command", left.front(), names));
  return kWrongUse;
}

int run(int argc, char** argv) {
  CLI::App app{"canopy finds and holds the best setting of a knob while the system runs."};
  app.name("canopy");
  app.set_version_flag("--version", std::string("canopy ") + CANOPY_VERSION);
  app.footer(
      "Examples:\n"
      "  canopy simulate --environment garland --steps 1e5 --runs 10\n"
      "  canopy pipe study.toml\n"
      "  canopy bounds --steps 1e6\n"
      "`canopy COMMAND --help` tells more.");
  app.allow_extras();
  const Command simulate = add_simulate(app);
  const Command pipe = add_pipe(app);
  const Command bounds = add_bounds(app);
  const std::vector<Named> commands{{app.get_subcommand("simulate"), simulate},
                                    {app.get_subcommand("pipe"), pipe},
                                    {app.get_subcommand("bounds"), bounds}};
  for (const Named& command : commands) command.app->allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    fmt::print(stderr, "canopy: {}: must be followed by a value\n", text.substr(0, text.find(':')));
    return kWrongUse;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "canopy: {}\n", error.what());
    return kWrongUse;
  }
  return dispatch(app, commands);
}

}  // namespace
}  // namespace canopy::cli

int main(int argc, char** argv) {
  try {
    return canopy::cli::run(argc, argv);
  } catch (const std::exception& error) {
    (void)std::fprintf(stderr, "canopy: %s\n", error.what());
    return canopy::cli::kFailure;
  }
}
