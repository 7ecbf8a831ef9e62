#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/simulation.hpp"

#include "cli/commands.hpp"
#include "cli/options_document.hpp"
#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "files/json.hpp"
#include "terminal/failure.hpp"
#include "terminal/option_flags.hpp"
#include "terminal/progress.hpp"
#include "terminal/say.hpp"

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

/// The options as text.
struct SimulateArguments {
  SelectionFlags environment{environments(), "--environment", "garland"};
  SelectionFlags optimizer{optimizers(), "--optimizer", std::string(kDefaultOptimizer)};
  std::string steps = "100000";
  std::string runs = "10";
  std::string seed = "1";
  std::optional<std::string> threads;
  std::string reward_range = "0,1";
  std::string partition = "cyclic";
  bool ignore_context = false;
  bool json = false;
  bool list = false;
};

struct Setting {
  Selection environment;
  Selection optimizer;  ///< with all defaults
  SimulationOptions simulation;
};

std::optional<RewardRange> parse_range(const std::string& text) {
  if (text == "auto") return std::nullopt;
  const std::size_t comma = text.find(',');
  const auto low = number_in<double>(std::string_view(text).substr(0, comma));
  const auto high = comma == std::string::npos
                        ? std::nullopt
                        : number_in<double>(std::string_view(text).substr(comma + 1));
  if (low && high && *low < *high) return RewardRange{*low, *high};
  throw WrongUse("--reward-range " + text + ": must be auto, or two numbers such as 0,1");
}

PartitionRule parse_partition(const std::string& text) {
  if (const auto rule = partition_rule_from(text)) return *rule;
  throw WrongUse("--partition " + text + ": " + std::string(kPartitionMustBe));
}

Setting parse(const SimulateArguments& arguments) {
  Setting setting{
      environments().completed(arguments.environment.parse()), arguments.optimizer.parse(), {}};
  setting.simulation.steps = parse_whole("--steps", arguments.steps, 1, 1'000'000'000'000);
  setting.optimizer = with_horizon(std::move(setting.optimizer), setting.simulation.steps);
  setting.simulation.runs = parse_whole("--runs", arguments.runs, 1, 1'000'000);
  setting.simulation.seed = parse_whole("--seed", arguments.seed, 0, UINT64_MAX);
  setting.simulation.reward_range = parse_range(arguments.reward_range);
  setting.simulation.partition = parse_partition(arguments.partition);
  setting.simulation.ignore_context = arguments.ignore_context;
  if (arguments.threads) {
    setting.simulation.threads =
        static_cast<int>(parse_whole("--threads", *arguments.threads, 1, 1024));
  }
  return setting;
}

Document document_of(const Estimate& estimate) {
  const auto& interval = estimate.interval;
  return Document::Table{{"mean", estimate.mean},
                         {"lower", interval ? Document(interval->low) : Document()},
                         {"upper", interval ? Document(interval->high) : Document()}};
}

void print_json(const Setting& setting, const SimulationResult& result,
                const KnownEnvironment& environment) {
  const std::vector<double>& best = result.runs.front().best_arm;
  const std::vector<double>& context = result.runs.front().context;
  Document::Table measured{
      {"environment", setting.environment.name},
      {"environment_options", options_document(environments(), setting.environment)},
      {"optimizer", setting.optimizer.name},
      {"optimizer_options", options_document(optimizers(), setting.optimizer)},
      {"steps", setting.simulation.steps},
      {"runs", setting.simulation.runs},
      {"seed", setting.simulation.seed},
      {"per_step_regret", document_of(result.per_step_regret)},
      {"per_step_realised_regret", document_of(result.per_step_realised_regret)},
      {"simple_regret", document_of(result.simple_regret)},
      {"coverage", result.intervals.coverage},
      {"median_width", result.intervals.median_width},
      {"unbounded", result.intervals.unbounded},
      {"nodes", document_of(result.nodes)},
      {"depth", document_of(result.depth)},
      {"switches", document_of(result.switches)},
      {"refreshes", document_of(result.refreshes)},
      {"ns_per_step", result.ns_per_step},
      {"best_arm", arm_document(environment.space(), best)}};
  if (!context.empty()) {
    measured.emplace_back("context", *context_document(environment.contexts(), context));
  }
  fmt::print("{}\n", json_text(measured, 2));
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
  fmt::print("{} on {}: {} runs of {} steps, seed {}\n", setting.optimizer.name,
             setting.environment.name, setting.simulation.runs, setting.simulation.steps,
             setting.simulation.seed);
  for (const std::string& line :
       {optimizers().text_of(setting.optimizer), environments().text_of(setting.environment)}) {
    if (!line.empty()) fmt::print("{}\n", line);
  }
  fmt::print("\n");
  fmt::print("{:<26}{:>12}    {:^24}\n", "", "mean", "95 % interval");
  print_row("per-step regret", result.per_step_regret, 5);
  print_row("per-step realised regret", result.per_step_realised_regret, 5);
  print_row("simple regret", result.simple_regret, 5);
  fmt::print("{:<26}{:>12.3f}    (share of runs whose interval contains f; {} % have none)\n",
             "  coverage of the best arm", result.intervals.coverage,
             std::lround(100.0 * result.intervals.unbounded));
  fmt::print("{:<26}{:>12.5f}    (the median)\n", "  width of its interval",
             result.intervals.median_width);
  print_row("nodes", result.nodes, 1);
  print_row("depth", result.depth, 1);
  print_row("arm switches", result.switches, 1);
  print_row("refreshes", result.refreshes, 1);
  fmt::print("{:<26}{:>12.1f}    (optimizer and environment together)\n\n", "ns per step",
             result.ns_per_step);

  const RunResult& first = result.runs.front();
  const bool has_contexts = !first.context.empty();
  fmt::print("best arm of the first run: {} (f = {:.5f}{})\n",
             environment.space().describe(first.best_arm), first.best_arm_mean,
             has_contexts ? " where " + environment.contexts().describe(first.context) : "");
  fmt::print("optimal arm:               {} (f = {:.5f}{})\n",
             environment.space().describe(first.optimum.arm), first.optimum.value,
             has_contexts           ? " there"
             : environment.drifts() ? " at the end; it moves"
                                    : "");
}

template <class Entry>
void print_list(std::string_view title, const Catalogue<Entry>& catalogue) {
  fmt::print("{}\n", title);
  for (const Entry& entry : catalogue) fmt::print("  {:<20}{}\n", entry.name, entry.line);
}

int simulate_and_print(const SimulateArguments& arguments) {
  if (arguments.list) {
    print_list("Optimizers:", optimizers());
    print_list("Environments:", environments());
    return kSuccess;
  }
  Setting setting = parse(arguments);
  const std::unique_ptr<KnownEnvironment> environment = make_environment(setting.environment);
  if (arguments.ignore_context && environment->contexts().empty()) {
    throw WrongUse("--ignore-context: " + setting.environment.name + " has no context");
  }
  setting.optimizer = resolved(setting.optimizer, environment->space().dimension());
  const StopOnSignal stop_on_signal;
  std::optional<SimulationResult> result;
  {
    ProgressBar bar(setting.simulation.steps * setting.simulation.runs, "steps");
    const Watch watch{[&](std::uint64_t steps) { bar.add(steps); }, &StopOnSignal::flag()};
    result = simulate(setting.environment, setting.optimizer, setting.simulation, watch);
  }
  if (!result) {
    terminal::say("canopy simulate: interrupted before the first result\n");
    return kInterrupted;
  }
  if (arguments.json) {
    print_json(setting, *result, *environment);
  } else {
    print_table(setting, *result, *environment);
  }
  return kSuccess;
}

}  // namespace

Command add_simulate(ArgumentParser app) {
  const auto arguments = std::make_shared<SimulateArguments>();
  ArgumentParser command =
      app.command("simulate", "Run one optimizer on one environment, many times.");
  arguments->environment.add_to(command);
  arguments->optimizer.add_to(command);
  command.option("--steps", arguments->steps, "pulls per run, 1 or more");
  command.option("--runs", arguments->runs, "independent runs, 1 or more");
  command.option("--seed", arguments->seed, "seed of the random streams");
  command.option("--threads", arguments->threads,
                 "number of threads [one per core]; the results do not depend on it");
  command.option("--reward-range", arguments->reward_range,
                 "approximate range of rewards: two numbers, or auto to learn it");
  command.option("--partition", arguments->partition,
                 "how algorithms with a tree cut cells: cyclic, longest_side, random_side, "
                 "random_cut, every_side; cyclic/3 cuts into three parts");
  command.flag("--ignore-context", arguments->ignore_context,
               "do not tell the optimizer the context of a pull");
  command.flag("--json", arguments->json, "print one JSON object instead of a table");
  command.flag("--list", arguments->list, "show all optimizers and environments");
  command.footer(
      "Example, the setting of the paper's second experiment:\n"
      "  canopy simulate --optimizer hct --feedback correlated --mixing-time 1 \\\n"
      "    --environment garland-mdp --beta 0.2 --steps 1e5 --runs 10 --seed 1");
  return [arguments] { return simulate_and_print(*arguments); };
}

}  // namespace canopy::cli
