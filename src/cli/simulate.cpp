#include "experiments/simulate.hpp"

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

/// The texts of the options, as given.
struct Arguments {
  ChoiceFlags<EnvironmentOptions, EnvironmentEntry> environment{"environment", "--environment",
                                                                "garland"};
  ChoiceFlags<OptimizerOptions, OptimizerEntry> optimizer{"optimizer", "--optimizer", "hct"};
  std::string steps = "100000";
  std::string runs = "10";
  std::string seed = "1";
  std::optional<std::string> threads;
  bool json = false;
  bool list = false;
};

struct Setting {
  EnvironmentOptions environment;
  OptimizerOptions optimizer;  ///< with every default filled in
  SimulationOptions simulation;
};

Setting parse(const Arguments& arguments) {
  Setting setting{arguments.environment.parse(), arguments.optimizer.parse(), {}};
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

void print_json(const Setting& setting, const SimulationResult& result) {
  const auto to_options = [](const auto& options) { return options_json(options); };
  const Json json{{"environment", name_of_alternative<EnvironmentEntry>(setting.environment)},
                  {"environment_options", std::visit(to_options, setting.environment)},
                  {"optimizer", name_of_alternative<OptimizerEntry>(setting.optimizer)},
                  {"parameters", std::visit(to_options, setting.optimizer)},
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

void print_table(const Setting& setting, const SimulationResult& result,
                 const KnownEnvironment& environment) {
  const auto text = [](const auto& options) { return options_text(options); };
  fmt::print("{} on {}: {} runs of {} steps, seed {}\n",
             name_of_alternative<OptimizerEntry>(setting.optimizer),
             name_of_alternative<EnvironmentEntry>(setting.environment), setting.simulation.runs,
             setting.simulation.steps, setting.simulation.seed);
  for (const std::string& line :
       {std::visit(text, setting.optimizer), std::visit(text, setting.environment)}) {
    if (!line.empty()) fmt::print("{}\n", line);
  }
  fmt::print("\n");
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

template <class Variant, template <class> class Entry>
void print_list(std::string_view title) {
  fmt::print("{}\n", title);
  for_each_alternative<Variant>([]<class Options>(const Options& /*options*/) {
    fmt::print("  {:<18}{}\n", Entry<Options>::name, Entry<Options>::line);
  });
}

int run(const Arguments& arguments) {
  if (arguments.list) {
    print_list<OptimizerOptions, OptimizerEntry>("Optimizers:");
    print_list<EnvironmentOptions, EnvironmentEntry>("Environments:");
    return kSuccess;
  }
  Setting setting = parse(arguments);
  const std::unique_ptr<KnownEnvironment> environment = make_environment(setting.environment);
  std::visit([&](auto& options) { options = filled_in(options, environment->space().dimension()); },
             setting.optimizer);
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
    print_json(setting, *result);
  } else {
    print_table(setting, *result, *environment);
  }
  return kSuccess;
}

}  // namespace

Command add_simulate(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("simulate", "Run one optimizer on one environment, many times.");
  arguments->environment.add_to(*command);
  arguments->optimizer.add_to(*command);
  command->add_option("--steps", arguments->steps, "pulls in a run, 1 or more")
      ->capture_default_str();
  command->add_option("--runs", arguments->runs, "independent runs, 1 or more")
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "of the random streams")->capture_default_str();
  command->add_option("--threads", arguments->threads,
                      "runs at a time [one per core]; the results do not depend on it");
  command->add_flag("--json", arguments->json, "print one JSON object instead of a table")
      ->disable_flag_override();
  command->add_flag("--list", arguments->list, "show all optimizers and environments")
      ->disable_flag_override();
  command->footer(
      "Example, the setting of the paper's second experiment:\n"
      "  canopy simulate --environment garland-mdp --beta 0.2 --feedback correlated \\\n"
      "    --mixing-time 1 --steps 1e5 --runs 10 --seed 1");
  return [arguments] { return run(*arguments); };
}

}  // namespace canopy::cli
