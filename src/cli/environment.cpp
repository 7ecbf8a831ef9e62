#include "canopy/environments.hpp"

#include "cli/commands.hpp"
#include "cli/options_document.hpp"
#include "experiments/environment_figure.hpp"
#include "files/json.hpp"
#include "files/parameter_document.hpp"
#include "terminal/failure.hpp"
#include "terminal/option_flags.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct EnvironmentArguments {
  SelectionFlags environment{environments(), "NAME", ""};
  std::optional<std::string> draw;
  std::string steps = "10000";
  bool json = false;
};

Document::List variables_document(const ContextSpace& contexts) {
  Document::List all;
  for (const auto& [name, domain, period] : contexts.variables()) {
    all.push_back(parameter_document({name, domain}));
    if (period != 0.0) all.back().set("period", period);
  }
  return all;
}

void print_json(const Selection& selected, const KnownEnvironment& environment) {
  Document::List space;
  for (const auto& [name, domain] : environment.space().parameters()) {
    const auto [low, high] = domain.ends();
    space.emplace_back(Document::Table{{"name", name}, {"low", low}, {"high", high}});
  }
  const Optimum optimum = environment.optimum_at(1);
  const auto mixing_time = environment.mixing_time();
  const auto [low, high] = environment.reward_range();
  Document::Table facts{
      {"environment", selected.name},
      {"options", options_document(environments(), selected)},
      {"space", space},
      {"reward_range", Document::List{low, high}},
      {"optimum", Document::Table{{"arm", Document::List(optimum.arm.begin(), optimum.arm.end())},
                                  {"value", optimum.value}}},
      {"drifts", environment.drifts()},
      {"mixing_time", mixing_time ? Document(*mixing_time) : Document()}};
  if (!environment.contexts().empty()) {
    facts.emplace_back("contexts", variables_document(environment.contexts()));
  }
  fmt::print("{}\n", json_text(facts, 2));
}

void print_facts(const Selection& selected, const KnownEnvironment& environment) {
  fmt::print("{}: {}\n", selected.name, environments().at(selected.name).line);
  const std::string text = environments().text_of(selected);
  if (!text.empty()) fmt::print("{}\n", text);
  fmt::print("\n");
  for (std::string_view heading = "parameters";
       const auto& [name, domain] : environment.space().parameters()) {
    const auto [low, high] = domain.ends();
    fmt::print("{:<13}{} in [{}, {}]\n", std::exchange(heading, ""), name, low, high);
  }
  for (std::string_view heading = "contexts";
       const auto& [name, domain] : environment.contexts().parameters()) {
    fmt::print("{:<13}{}: {}\n", std::exchange(heading, ""), name, domain.description());
  }
  const auto [low, high] = environment.reward_range();
  const bool adds_noise = selected.options.find("noise_width") != nullptr;
  fmt::print("{:<13}in [{:.6g}, {:.6g}]{}\n", "rewards", low, high,
             adds_noise ? ", plus noise" : "");
  const Optimum optimum = environment.optimum_at(1);
  std::string when = environment.drifts() ? " at the start; it moves" : "";
  if (!environment.contexts().empty()) {
    const std::string first = environment.contexts().describe(environment.context_at(1));
    when = " where " + first + "; it depends on the context";
  }
  fmt::print("{:<13}f = {:.6f} at {}{}\n", "optimum", optimum.value,
             environment.space().describe(optimum.arm), when);
  const auto mixing_time = environment.mixing_time();
  fmt::print("{:<13}{}\n", "mixing time",
             mixing_time ? fmt::format("at most {:.6g}", *mixing_time) : "no known bound");
}

int show_environment(const EnvironmentArguments& arguments) {
  const Selection selected = environments().completed(arguments.environment.parse());
  const std::unique_ptr<KnownEnvironment> environment = make_environment(selected);
  const std::uint64_t steps = parse_whole("--steps", arguments.steps, 1, 1'000'000'000'000);
  if (arguments.draw) {
    if (!arguments.draw->ends_with(".svg") && !arguments.draw->ends_with(".png")) {
      throw WrongUse("--draw " + *arguments.draw + ": must end in .svg or .png");
    }
    if (const std::size_t dimension = environment->space().dimension(); dimension > 2) {
      throw WrongUse("--draw " + *arguments.draw +
                     ": only one or two parameters can be drawn, not " + std::to_string(dimension));
    }
    draw_environment(*environment, selected.name, steps, *arguments.draw);
  }
  if (arguments.json) {
    print_json(selected, *environment);
  } else {
    print_facts(selected, *environment);
  }
  return kSuccess;
}

}  // namespace

Command add_environment(ArgumentParser app) {
  const auto arguments = std::make_shared<EnvironmentArguments>();
  ArgumentParser command =
      app.command("environment", "Show what is known about an environment, and draw it.");
  arguments->environment.add_to(command);
  command.option("--draw", arguments->draw,
                 "draw f into this file, .svg or .png; over the first context, if there are any");
  command.option("--steps", arguments->steps, "number of pulls to draw, if f moves");
  command.flag("--json", arguments->json, "print one JSON object instead");
  command.footer(
      "Example:\n"
      "  canopy environment routing --patience 5 --draw routing.svg\n"
      "  canopy environment moving --optimum walk --draw walk.svg\n"
      "  canopy environment contextual --problem jump --draw jump.svg\n"
      "`canopy simulate --list` shows all names.");
  return [arguments] { return show_environment(*arguments); };
}

}  // namespace canopy::cli
