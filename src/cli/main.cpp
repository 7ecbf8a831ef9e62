#include "canopy/errors.hpp"
#include "canopy/family.hpp"
#include "canopy/output_error.hpp"
#include "canopy/study.hpp"
#include "canopy/version.hpp"

#include "cli/commands.hpp"
#include "core/text.hpp"
#include "terminal/failure.hpp"
#include "terminal/option_flags.hpp"
#include "terminal/output.hpp"
#include "terminal/say.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct Named {
  CLI::App* app;
  Command run;
};

/// Prints a message on one line; line ends in user texts become spaces.
void complain(const std::string& who, std::string message) {
  for (char& letter : message) {
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  }
  terminal::say("{}: {}\n", who, message);
}

/// The remedy for an error, in terms of the command line.
std::string advice_for(const std::exception& error) {
  if (const auto* store = dynamic_cast<const StoreError*>(&error)) {
    using Fault = StoreError::Fault;
    const bool elsewhere = store->fault() == Fault::missing || store->fault() == Fault::foreign;
    return elsewhere ? "; give another one with --store" : "";
  }
  if (const auto* study = dynamic_cast<const StudyError*>(&error)) {
    using Fault = StudyError::Fault;
    if (study->fault() == Fault::differs || study->fault() == Fault::other_revision) {
      return "; continue in a new study with the rewards of this one: --fork NEW";
    }
    if (study->fault() == Fault::other_commands) {
      return ". If both measure the same thing, continue with --accept-changes; otherwise start "
             "a new study with --fork NEW";
    }
    return "";
  }
  if (const auto* output = dynamic_cast<const OutputError*>(&error)) {
    using Fault = OutputError::Fault;
    if (output->fault() == Fault::damaged) return "; start over with --fresh";
    if (output->fault() == Fault::other_results) {
      return "; start over with --fresh, or give another folder with --out";
    }
  }
  return "";
}

/// The error for an argument that no option or command has taken.
WrongUse leftover(const CLI::App& app, const std::string& word,
                  const std::vector<Named>& commands) {
  const std::string given = word.substr(0, word.find('='));
  std::vector<std::string> names;
  const bool is_option = given.starts_with("-");
  if (is_option) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const Named& command : commands) names.push_back(command.app->get_name());
  }
  if (!is_option && app.get_parent() != nullptr) {
    return WrongUse{given + ": unexpected argument; see --help"};
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return WrongUse{given + ": " + unknown_name(is_option ? "option" : "command", given, known)};
}

void refuse_leftovers(const CLI::App& app, const std::vector<Named>& commands) {
  const std::vector<std::string> left = app.remaining();
  if (!left.empty()) throw leftover(app, left.front(), commands);
}

int dispatch(const CLI::App& app, const std::vector<Named>& commands) {
  std::string who = "canopy";
  try {
    refuse_leftovers(app, commands);
    for (const Named& command : commands) {
      if (!command.app->parsed()) continue;
      who += " " + command.app->get_name();
      if (!command.run) throw WrongUse(kMissing);
      refuse_leftovers(*command.app, commands);
      return command.run();
    }
  } catch (const WrongUse& error) {
    complain(who, error.what());
    return kWrongUse;
  } catch (const ConfigurationError& error) {
    complain(who, in_flags(error));
    return kWrongUse;
  } catch (const std::bad_alloc&) {
    complain(who, "not enough memory; use fewer threads, steps or parameters");
    return kFailure;
  } catch (const std::exception& error) {
    if (!output_is_lost())
      complain(who, error.what() + advice_for(error));  // otherwise finish_output reports it
    return kFailure;
  }
  fmt::print("{}", app.help());
  return kWrongUse;
}

/// Rewords an error of CLI11.
std::string parse_complaint(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string option = text.substr(0, text.find_first_of(": "));
  if (text.find("flag override") != std::string::npos) return "--" + option + ": takes no value";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return option + ": must be given once, with one value";
  }
  return text;
}

int run(int argc, char** argv) {
  add_family();
  CLI::App app{"canopy finds and holds the best setting of a knob while the system runs."};
  app.name("canopy");
  app.set_version_flag("--version", std::string("canopy ") + CANOPY_VERSION);
  app.footer(
      "Examples:\n"
      "  canopy tune cache.toml\n"
      "  canopy best cache\n"
      "  canopy confirm cache\n"
      "  canopy serve\n"
      "  canopy simulate --environment garland --steps 1e5 --runs 10\n"
      "  canopy experiment experiments/paper.toml\n"
      "  canopy environment lqr --draw lqr.svg\n"
      "  canopy pipe study.toml\n"
      "  canopy bounds --steps 1e6\n"
      "Run `canopy COMMAND --help` for more.");
  app.allow_extras();
  app.require_subcommand(0, 1);
  std::vector<Named> commands;
  for (const auto add : {add_tune, add_confirm, add_steer, add_best, add_policy, add_explain,
                         add_studies, add_tree, add_report, add_pipe, add_serve, add_dashboard,
                         add_token, add_simulate, add_experiment, add_environment, add_bounds}) {
    Command command = add(ArgumentParser(app));
    CLI::App* added = app.get_subcommands({}).back();
    added->allow_extras();
    commands.push_back({added, std::move(command)});
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    complain("canopy", parse_complaint(error));
    return kWrongUse;
  }
  return dispatch(app, commands);
}

}  // namespace
}  // namespace canopy::cli

int main(int argc, char** argv) {
  try {
    return canopy::terminal::finish_output("canopy", canopy::cli::run(argc, argv));
  } catch (const std::exception& error) {
    (void)std::fprintf(stderr, "canopy: %s\n", error.what());
    return canopy::cli::kFailure;
  }
}
