#include "canopy/confidence.hpp"
#include "canopy/hct.hpp"
#include "canopy/options.hpp"
#include "canopy/theory.hpp"

#include "cli/commands.hpp"
#include "files/json.hpp"
#include "terminal/failure.hpp"
#include "terminal/option_flags.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct BoundsArguments {
  std::vector<OptionField> fields =
      fields_of(HctOptions{.preset = Preset::paper});  // the theorems are about this preset
  OptionFlags hct;
  std::string steps = "100000";
  std::string dimension = "1";
  std::string nu2 = "1";
  std::string near_optimality_dimension = "0";
  std::string near_optimality_constant = "1";
  std::optional<std::string> pulls;
  bool json = false;
};

/// A line of the result.
struct Row {
  std::string key;      ///< its key in JSON
  std::string meaning;  ///< its description in the table
  double value;
};

struct Level {
  std::uint32_t depth;
  double resolution;
  double threshold;
};

struct Bounds {
  double steps;
  HctParameters parameters;
  std::vector<Row> rows;
  std::vector<Level> levels;
};

/// The depths that a run of n steps can reach, at most 25.
std::vector<Level> levels_of(const HctParameters& p, double log_confidence, double steps) {
  constexpr std::uint32_t kMostLevels = 25;
  std::vector<Level> levels;
  for (std::uint32_t depth = 1; depth <= kMostLevels; ++depth) {
    const double threshold =
        expansion_threshold(p.confidence.c, log_confidence, p.nu1, p.rho, depth);
    levels.push_back({depth, resolution(p.nu1, p.rho, depth), threshold});
    if (threshold > steps) break;
  }
  return levels;
}

Bounds compute(const BoundsArguments& arguments) {
  const OptionValues given =
      completed(arguments.fields, arguments.hct.parse("hct", arguments.fields));
  const auto options = options_from<HctOptions>(given, "");
  const auto steps_whole = parse_whole("--steps", arguments.steps, 1, 1'000'000'000'000'000);
  const auto steps = static_cast<double>(steps_whole);
  const auto dimension = parse_whole("--dimension", arguments.dimension, 1, 10'000);
  const auto pulls =
      static_cast<double>(arguments.pulls ? parse_whole("--pulls", *arguments.pulls, 1, steps_whole)
                                          : std::min<std::uint64_t>(100, steps_whole));
  const HctParameters p = resolve(options, dimension);
  const bool iid = p.feedback == Feedback::iid;

  TheoryParameters theory{
      .nu1 = p.nu1,
      .rho = p.rho,
      .delta = p.delta,
      .confidence = p.confidence,
      .nu2 = parse_real("--nu2", arguments.nu2, kPositive),
      .near_optimality_dimension = parse_real("--near-optimality-dimension",
                                              arguments.near_optimality_dimension, kNotNegative),
      .near_optimality_constant =
          parse_real("--near-optimality-constant", arguments.near_optimality_constant, kPositive)};
  TheoryParameters for_regret = theory;
  if (!iid) {  // as in the proof of Theorem 2 in the supplement
    for_regret.confidence = confidence_constants(p.feedback, p.nu1, p.rho, options.mixing_time,
                                                 Constants::supplement, p.confidence_scale);
  }
  const auto t_plus = static_cast<double>(phase_end(steps_whole));
  const double log_term = log_confidence(p.confidence.c1, p.delta, t_plus);
  const double regret = regret_bound(for_regret, p.feedback, steps);
  Bounds bounds{steps, p, {}, levels_of(p, log_term, steps)};
  bounds.rows = {
      {"c", "constant c of the confidence bounds, scale included", p.confidence.c},
      {"c1", "constant c1", p.confidence.c1},
      {"log_confidence", "L = ln(1 / delta~(t+)) of the last phase", log_term},
      {"depth_bound", "depth of the tree, Lemma 1", depth_bound(theory, steps)},
      {"tight_depth_bound", "depth, from the proof", tight_depth_bound(theory, steps)},
      {"certain_depth_bound", "depth, for any constants", certain_depth_bound(theory, steps)},
      {"node_bound", "nodes of the tree, Theorem 3", node_bound(theory, steps)},
      {"certain_node_bound", "nodes, for any constants", certain_node_bound(theory, steps)},
      {"regret_bound", iid ? "regret, Theorem 1" : "regret, Theorem 2 (c with 6 instead of 3)",
       regret},
      {"per_step_regret_bound", "regret per step", regret / steps},
      {"episode_bound", fmt::format("episodes of a node with {:g} pulls, Lemma 2", pulls),
       episode_bound(pulls, steps)},
      {"concentration_bound", fmt::format("|mean - f| of a node with {:g} pulls, Lemma 2", pulls),
       concentration_bound(iid ? 0.0 : options.mixing_time, p.delta, pulls, steps)}};
  return bounds;
}

void print_json(const Bounds& bounds) {
  const HctParameters& p = bounds.parameters;
  Document::Table table{{"steps", bounds.steps}, {"feedback", name_of(p.feedback)},
                        {"nu1", p.nu1},          {"rho", p.rho},
                        {"delta", p.delta},      {"confidence_scale", p.confidence_scale}};
  for (const Row& row : bounds.rows) table.emplace_back(row.key, row.value);
  Document::List levels;
  for (const Level& level : bounds.levels) {
    levels.emplace_back(Document::Table{
        {"depth", level.depth}, {"resolution", level.resolution}, {"threshold", level.threshold}});
  }
  table.emplace_back("levels", std::move(levels));
  fmt::print("{}\n", json_text(table, 2));
}

void print_table(const Bounds& bounds) {
  const double steps = bounds.steps;
  const HctParameters& p = bounds.parameters;
  fmt::print(
      "The theory for {:g} steps: feedback {}, nu1 {:g}, rho {:g}, confidence_scale {:g}, delta "
      "{:g}\n"
      "\n",
      steps, name_of(p.feedback), p.nu1, p.rho, p.confidence_scale, p.delta);
  for (const Row& row : bounds.rows) fmt::print("{:<52}{:>14.6g}\n", row.meaning, row.value);
  fmt::print("\n{:>5}  {:>20}  {:>22}\n", "depth", "cell varies by", "pulls to expand");
  for (const Level& level : bounds.levels) {
    fmt::print("{:>5}  {:>20.6g}  {:>22.6g}\n", level.depth, level.resolution, level.threshold);
  }
  if (bounds.levels.back().threshold > steps) {
    fmt::print("A node at depth {} cannot get that many pulls within {:g} steps.\n",
               bounds.levels.back().depth, steps);
  }
}

int print_bounds(const BoundsArguments& arguments) {
  const Bounds bounds = compute(arguments);
  if (arguments.json) {
    print_json(bounds);
  } else {
    print_table(bounds);
  }
  return kSuccess;
}

}  // namespace

Command add_bounds(ArgumentParser app) {
  const auto arguments = std::make_shared<BoundsArguments>();
  ArgumentParser command = app.command("bounds", "Print the paper's theory as numbers.");
  command.option("--steps", arguments->steps, "n, 1 or more");
  command.option("--pulls", arguments->pulls,
                 "T, the number of pulls of the node in Lemma 2 [100, or n if n is less]");
  command.option("--dimension", arguments->dimension,
                 "D, for preset paper: rho is 2^(-1/D) unless set");
  command.option("--nu2", arguments->nu2, "a cell at depth h holds a ball of radius nu2 rho^h");
  command.option("--near-optimality-dimension", arguments->near_optimality_dimension, "d");
  command.option("--near-optimality-constant", arguments->near_optimality_constant,
                 "C: at most C eps^(-d) cells are eps-optimal");
  arguments->hct.list("hct", arguments->fields);
  arguments->hct.add_to(command, "Options of hct");
  command.flag("--json", arguments->json, "print one JSON object instead of a table");
  command.footer(
      "Example:\n"
      "  canopy bounds --steps 1e6 --feedback correlated --mixing-time 5");
  return [arguments] { return print_bounds(*arguments); };
}

}  // namespace canopy::cli
