#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "environments/catalogue.hpp"
#include "experiments/environment_figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct Arguments {
  ChoiceFlags<EnvironmentOptions, EnvironmentEntry> environment{"environment", "NAME", ""};
  std::optional<std::string> draw;
  bool json = false;
};

/// Environments have boxes of reals.
const Real& box(const KnownEnvironment& environment, std::size_t parameter) {
  return std::get<Real>(environment.space().parameters().at(parameter).domain);
}

std::string name_of(const KnownEnvironment& environment, std::size_t parameter) {
  return environment.space().parameters().at(parameter).name;
}

void print_json(const EnvironmentOptions& options, const KnownEnvironment& environment) {
  Json space = Json::array();
  for (std::size_t i = 0; i < environment.space().dimension(); ++i) {
    const Real& range = box(environment, i);
    space.push_back({{"name", name_of(environment, i)}, {"low", range.low}, {"high", range.high}});
  }
  const Optimum optimum = environment.optimum();
  const auto mixing_time = environment.mixing_time();
  const Json json{{"environment", name_of_alternative<EnvironmentEntry>(options)},
                  {"options", std::visit([](const auto& o) { return options_json(o); }, options)},
                  {"space", space},
                  {"reward_range", environment.reward_range()},
                  {"optimum", {{"arm", optimum.arm}, {"value", optimum.value}}},
                  {"mixing_time", mixing_time ? Json(*mixing_time) : Json(nullptr)}};
  fmt::print("{}\n", json.dump(2));
}

void print_facts(const EnvironmentOptions& options, const KnownEnvironment& environment) {
  std::visit(
      []<class Options>(const Options& chosen) {
        fmt::print("{}: {}\n", EnvironmentEntry<Options>::name, EnvironmentEntry<Options>::line);
        const std::string text = options_text(chosen);
        if (!text.empty()) fmt::print("{}\n", text);
      },
      options);
  fmt::print("\n");
  for (std::size_t i = 0; i < environment.space().dimension(); ++i) {
    const Real& range = box(environment, i);
    fmt::print("{:<13}{} in [{}, {}]\n", i == 0 ? "parameters" : "", name_of(environment, i),
               range.low, range.high);
  }
  const auto [low, high] = environment.reward_range();
  const bool adds_noise = std::visit(
      [](const auto& chosen) {
        return requires {
          chosen.noise_width;
        };
      },
      options);
  fmt::print("{:<13}in [{}, {}]{}\n", "rewards", low, high,
             adds_noise ? ", but for noise that is added" : "");
  const Optimum optimum = environment.optimum();
  fmt::print("{:<13}f = {:.6f} at {}\n", "optimum", optimum.value,
             environment.space().describe(optimum.arm));
  const auto mixing_time = environment.mixing_time();
  fmt::print("{:<13}{}\n", "mixing time",
             mixing_time ? fmt::format("at most {:.6g}", *mixing_time) : "no bound is known");
}

int run(const Arguments& arguments) {
  const EnvironmentOptions options = arguments.environment.parse();
  const std::unique_ptr<KnownEnvironment> environment = make_environment(options);
  if (arguments.draw) {
    if (!arguments.draw->ends_with(".svg") && !arguments.draw->ends_with(".png")) {
      throw WrongUse("--draw " + *arguments.draw + ": must end in .svg or .png");
    }
    if (const std::size_t dimension = environment->space().dimension(); dimension > 2) {
      throw WrongUse("--draw " + *arguments.draw +
                     ": only one or two parameters can be drawn, not " + std::to_string(dimension));
    }
    const std::string title(name_of_alternative<EnvironmentEntry>(options));
    draw_environment(*environment, title, *arguments.draw);
  }
  if (arguments.json) {
    print_json(options, *environment);
  } else {
    print_facts(options, *environment);
  }
  return kSuccess;
}

}  // namespace

Command add_environment(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("environment", "Tell what is known of an environment, and draw it.");
  arguments->environment.add_to(*command);
  command->add_option("--draw", arguments->draw, "draw f into this file, .svg or .png");
  command->add_flag("--json", arguments->json, "print one JSON object instead")
      ->disable_flag_override();
  command->footer(
      "Example:\n"
      "  canopy environment routing --patience 5 --draw routing.svg\n"
      "`canopy simulate --list` shows all names.");
  return [arguments] { return run(*arguments); };
}

}  // namespace canopy::cli
