#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "environments/catalogue.hpp"
#include "experiments/figure.hpp"

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

FigureAxis axis(const KnownEnvironment& environment, std::size_t parameter) {
  const Real& range = box(environment, parameter);
  return {name_of(environment, parameter), range.low, range.high};
}

void draw_curve(const KnownEnvironment& environment, const std::string& title,
                const std::string& file) {
  constexpr int kPoints = 4000;
  const Optimum optimum = environment.optimum();
  CurveFigure figure{title,
                     axis(environment, 0),
                     {"f, mean reward", optimum.value, optimum.value},
                     {},
                     {optimum.arm[0], optimum.value},
                     fmt::format("optimum: f({:.4g}) = {:.4g}", optimum.arm[0], optimum.value)};
  for (int i = 0; i <= kPoints; ++i) {
    const double x = std::lerp(figure.x.low, figure.x.high, static_cast<double>(i) / kPoints);
    figure.curve.push_back({x, environment.mean_reward({&x, 1})});
    figure.y.low = std::min(figure.y.low, figure.curve.back().y);
  }
  const double margin = 0.05 * (figure.y.high - figure.y.low);
  figure.y.low -= margin;
  figure.y.high += margin;
  draw(figure, file);
}

void draw_map(const KnownEnvironment& environment, const std::string& title,
              const std::string& file) {
  constexpr std::size_t kCells = 200;
  const Optimum optimum = environment.optimum();
  MapFigure figure{title,
                   axis(environment, 0),
                   axis(environment, 1),
                   "f, mean reward",
                   kCells,
                   {},
                   {optimum.arm[0], optimum.arm[1]},
                   fmt::format("optimum: f({:.4g}, {:.4g}) = {:.4g}", optimum.arm[0],
                               optimum.arm[1], optimum.value)};
  for (std::size_t row = 0; row < kCells; ++row) {
    for (std::size_t column = 0; column < kCells; ++column) {
      const std::vector<double> arm{
          std::lerp(figure.x.low, figure.x.high, (static_cast<double>(column) + 0.5) / kCells),
          std::lerp(figure.y.low, figure.y.high, (static_cast<double>(row) + 0.5) / kCells)};
      figure.values.push_back(environment.mean_reward(arm));
    }
  }
  draw(figure, file);
}

void draw_environment(const KnownEnvironment& environment, const std::string& title,
                      const std::string& file) {
  const std::size_t dimension = environment.space().dimension();
  if (dimension > 2) {
    throw WrongUse("--draw " + file + ": only one or two parameters can be drawn, not " +
                   std::to_string(dimension));
  }
  if (dimension == 1) {
    draw_curve(environment, title, file);
  } else {
    draw_map(environment, title, file);
  }
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
