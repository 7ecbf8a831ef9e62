#include "experiments/simulate.hpp"

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/text.hpp"
#include "optimizers/enum_names.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

constexpr std::array<std::string_view, 2> kEnvironments{"garland", "garland-mdp"};
constexpr std::array<std::string_view, 1> kOptimizers{"hct"};

/// The texts of the options, as given.
struct Arguments {
  std::string environment = "garland";
  std::string optimizer = "hct";
  std::string noise_width = "1";
  std::optional<std::string> beta;
  HctFlags hct;
  std::string steps = "100000";
  std::string runs = "10";
  std::string seed = "1";
  std::optional<std::string> threads;
  bool json = false;
};

struct Setting {
  EnvironmentOptions environment;
  HctOptions optimizer;
  SimulationOptions simulation;
};

std::string known_name(std::string_view option, const std::string& name,
                       std::span<const std::string_view> known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return name;
  throw WrongUse(std::string(option) + " " + name + ": " +
                 unknown_name(option.substr(2), name, known));
}

EnvironmentOptions environment_of(const Arguments& arguments) {
  const double noise_width = parse_real("--noise-width", arguments.noise_width, kNotNegative);
  const std::string name = known_name("--environment", arguments.environment, kEnvironments);
  if (name == "garland") {
    if (arguments.beta) {
      throw WrongUse("--beta " + *arguments.beta + ": only garland-mdp has it, not garland");
    }
    return GarlandOptions{.noise_width = noise_width};
  }
  GarlandMdpOptions options{.noise_width = noise_width};
  static constexpr Range half_open{"in (0, 1]", [](double x) { return x > 0.0 && x <= 1.0; }};
  if (arguments.beta) options.beta = parse_real("--beta", *arguments.beta, half_open);
  return options;
}

Setting parse(const Arguments& arguments) {
  known_name("--optimizer", arguments.optimizer, kOptimizers);
  Setting setting{environment_of(arguments), arguments.hct.parse(), {}};
  setting.simulation.steps = parse_whole("--steps", arguments.steps, 1, 1'000'000'000'000);
  setting.simulation.runs = parse_whole("--runs", arguments.runs, 1, 1'000'000);
  setting.simulation.seed = parse_whole("--seed", arguments.seed, 0, UINT64_MAX);
  if (arguments.threads) {
    setting.simulation.threads =
        static_cast<int>(parse_whole("--threads", *arguments.threads, 1, 1024));
  }
  return setting;
}

Json to_json(const Estimate& estimate) {
  Json json{{"mean", estimate.mean}, {"low", nullptr}, {"high", nullptr}};
  if (estimate.interval) {
    json["low"] = estimate.interval->low;
    json["high"] = estimate.interval->high;
  }
  return json;
}

/// Every option of the optimizer, with the defaults filled in.
Json to_json(const HctOptions& options, const HctParameters& parameters) {
  return {{"feedback", name_of(parameters.feedback)},
          {"mixing_time", options.mixing_time},
          {"nu1", parameters.nu1},
          {"rho", parameters.rho},
          {"confidence_scale", parameters.confidence_scale},
          {"delta", parameters.delta},
          {"constants", name_of(options.constants)}};
}

Json to_json(const EnvironmentOptions& options) {
  if (const auto* garland = std::get_if<GarlandOptions>(&options)) {
    return {{"noise_width", garland->noise_width}};
  }
  const auto& mdp = std::get<GarlandMdpOptions>(options);
  return {{"noise_width", mdp.noise_width}, {"beta", mdp.beta}};
}

void print_json(const Arguments& arguments, const Setting& setting, const SimulationResult& result,
                const Environment& environment) {
  const HctParameters parameters = resolve(setting.optimizer, environment.space().dimension());
  const Json json{{"environment", arguments.environment},
                  {"environment_options", to_json(setting.environment)},
                  {"optimizer", arguments.optimizer},
                  {"parameters", to_json(setting.optimizer, parameters)},
                  {"steps", setting.simulation.steps},
                  {"runs", setting.simulation.runs},
                  {"seed", setting.simulation.seed},
                  {"per_step_regret", to_json(result.per_step_regret)},
                  {"per_step_realised_regret", to_json(result.per_step_realised_regret)},
                  {"simple_regret", to_json(result.simple_regret)},
                  {"nodes", to_json(result.nodes)},
                  {"depth", to_json(result.depth)},
                  {"switches", to_json(result.switches)},
                  {"refreshes", to_json(result.refreshes)},
                  {"ns_per_step", result.ns_per_step},
                  {"best_arm", result.runs.front().best_arm}};
  fmt::print("{}\n", json.dump(2));
}

void print_row(std::string_view name, const Estimate& estimate, int digits) {
  fmt::print("{:<26}{:>12.{}f}", name, estimate.mean, digits);
  if (estimate.interval) {
    fmt::print("    {:>10.{}f} .. {:<10.{}f}", estimate.interval->low, digits,
               estimate.interval->high, digits);
  }
  fmt::print("\n");
}

void print_table(const Arguments& arguments, const Setting& setting, const SimulationResult& result,
                 const Environment& environment) {
  const HctParameters p = resolve(setting.optimizer, environment.space().dimension());
  fmt::print("{} on {}: {} runs of {} steps, seed {}\n", arguments.optimizer, arguments.environment,
             setting.simulation.runs, setting.simulation.steps, setting.simulation.seed);
  fmt::print("feedback {}, nu1 {}, rho {}, confidence_scale {}, delta {}\n\n", name_of(p.feedback),
             p.nu1, p.rho, p.confidence_scale, p.delta);
  fmt::print("{:<26}{:>12}    {:^24}\n", "", "mean", "95 % interval");
  print_row("per-step regret", result.per_step_regret, 5);
  print_row("per-step realised regret", result.per_step_realised_regret, 5);
  print_row("simple regret", result.simple_regret, 5);
  print_row("nodes", result.nodes, 1);
  print_row("depth", result.depth, 1);
  print_row("arm switches", result.switches, 1);
  print_row("refreshes", result.refreshes, 1);
  fmt::print("{:<26}{:>12.1f}    (optimizer and environment together)\n\n", "ns per step",
             result.ns_per_step);

  const Optimum optimum = environment.optimum();
  const std::vector<double>& best = result.runs.front().best_arm;
  fmt::print("best arm of the first run: {} (f = {:.5f})\n", environment.space().describe(best),
             environment.mean_reward(best));
  fmt::print("best arm there is:         {} (f = {:.5f})\n",
             environment.space().describe(optimum.arm), optimum.value);
}

int run(const Arguments& arguments) {
  const Setting setting = parse(arguments);
  const std::unique_ptr<Environment> environment = make_environment(setting.environment);
  const StopOnSignal stop_on_signal;
  std::optional<SimulationResult> result;
  {
    ProgressBar bar(setting.simulation.steps * setting.simulation.runs, "steps");
    const Watch watch{[&](std::uint64_t steps) { bar.add(steps); }, &StopOnSignal::flag()};
    result = simulate(setting.environment, setting.optimizer, setting.simulation, watch);
  }
  if (!result) {
    fmt::print(stderr, "canopy simulate: interrupted; nothing to show\n");
    return kInterrupted;
  }
  if (arguments.json) {
    print_json(arguments, setting, *result, *environment);
  } else {
    print_table(arguments, setting, *result, *environment);
  }
  return kSuccess;
}

}  // namespace

Command add_simulate(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("simulate", "Run one optimizer on one environment, many times.");
  command->add_option("--environment", arguments->environment, "garland or garland-mdp")
      ->capture_default_str();
  command
      ->add_option("--noise-width", arguments->noise_width,
                   "width of the uniform noise on a reward")
      ->capture_default_str();
  command->add_option("--beta", arguments->beta,
                      "garland-mdp: how far the state moves towards the arm, in (0, 1] [0.2]");
  command->add_option("--optimizer", arguments->optimizer, "hct")->capture_default_str();
  arguments->hct.add_to(*command);
  command->add_option("--steps", arguments->steps, "pulls in a run, 1 or more")
      ->capture_default_str();
  command->add_option("--runs", arguments->runs, "independent runs, 1 or more")
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "of the random streams")->capture_default_str();
  command->add_option("--threads", arguments->threads,
                      "runs at a time [one per core]; the results do not depend on it");
  command->add_flag("--json", arguments->json, "print one JSON object instead of a table")
      ->disable_flag_override();
  command->footer(
      "Example, the setting of the paper's second experiment:\n"
      "  canopy simulate --environment garland-mdp --beta 0.2 --feedback correlated \\\n"
      "    --mixing-time 1 --steps 1e5 --runs 10 --seed 1");
  return [arguments] { return run(*arguments); };
}

}  // namespace canopy::cli
