#include "experiments/experiment_specification.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <variant>

namespace canopy {
namespace {

constexpr std::size_t kMostCandidates = 10'000;

constexpr std::array<std::string_view, 8> kTopKeys{
    "name", "title", "steps", "runs", "tuning_runs", "seed", "checkpoints", "comparison"};
constexpr std::array<std::string_view, 5> kComparisonKeys{"name", "title", "regret", "environment",
                                                          "algorithm"};

/// A whole number and what it may be.
struct Count {
  std::string_view key;
  std::uint64_t ExperimentSpecification::*member;
  std::uint64_t least, most;
};

constexpr std::array<Count, 5> kCounts{
    {{"steps", &ExperimentSpecification::steps, 1, 1'000'000'000'000},
     {"runs", &ExperimentSpecification::runs, 1, 1'000'000},
     {"tuning_runs", &ExperimentSpecification::tuning_runs, 1, 1'000'000},
     {"seed", &ExperimentSpecification::seed, 0, INT64_MAX},
     {"checkpoints", &ExperimentSpecification::checkpoints, 1, 1'000}}};

bool is_file_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_';
  });
}

std::string read_name(TomlReader& reader, const toml::table& table, const std::string& prefix) {
  std::string name;
  if (!reader.require(table, prefix, "name")) return name;
  reader.read(table, prefix, "name", name);
  if (table.get("name")->is_string() && !is_file_name(name)) {
    reader.complain(prefix + "name", table.get("name"),
                    "must be letters, digits, - and _, for it names files");
  }
  return name;
}

/// A key that must be a table.
const toml::table* require_table(TomlReader& reader, const toml::table& parent,
                                 const std::string& prefix, std::string_view key) {
  const toml::node* node = parent.get(key);
  if (node != nullptr && node->is_table()) return node->as_table();
  reader.complain(prefix + std::string(key), node, "must be a table", &parent);
  return nullptr;
}

/// A key that must be a list of one or more tables.
const toml::array* require_tables(TomlReader& reader, const toml::table& parent,
                                  const std::string& prefix, std::string_view key) {
  const toml::node* node = parent.get(key);
  const toml::array* tables = node != nullptr ? node->as_array() : nullptr;
  if (tables != nullptr && !tables->empty() && tables->is_array_of_tables()) return tables;
  reader.complain(prefix + std::string(key), node,
                  "must be one or more [[" + prefix + std::string(key) + "]] tables", &parent);
  return nullptr;
}

/// The values that a grid has for one option.
struct GridAxis {
  std::string_view key;
  const toml::array* values;
};

std::vector<GridAxis> read_grid(TomlReader& reader, const toml::table& table,
                                const std::string& prefix) {
  std::vector<GridAxis> axes;
  const toml::node* node = table.get("grid");
  if (node == nullptr) return axes;
  const toml::table* grid = node->as_table();
  if (grid == nullptr) {
    reader.complain(prefix + "grid", node, "must be a table of lists");
    return axes;
  }
  std::size_t candidates = 1;
  for (const auto& [key, value] : *grid) {
    const std::string field = prefix + "grid." + std::string(key.str());
    const toml::array* values = value.as_array();
    if (values == nullptr || values->empty()) {
      reader.complain(field, &value, "must be a list of one or more values");
      continue;
    }
    if (table.contains(key.str())) {
      reader.complain(field, nullptr, "is set beside the grid as well", &value);
      continue;
    }
    candidates *= values->size();
    if (candidates > kMostCandidates) {
      reader.complain(prefix + "grid", node, "has more than 10000 points");
      return {};
    }
    reader.note_line(prefix + std::string(key.str()), value);
    axes.push_back({key.str(), values});
  }
  return axes;
}

/// Every point of the grid as a table of its own.
std::vector<toml::table> grid_points(const toml::table& base, const std::vector<GridAxis>& axes) {
  std::vector<toml::table> points{base};
  points.front().erase("grid");
  points.front().erase("label");
  for (const GridAxis& axis : axes) {
    std::vector<toml::table> finer;
    for (const toml::table& point : points) {
      for (const toml::node& value : *axis.values) {
        finer.push_back(point);
        finer.back().insert(axis.key, value);
      }
    }
    points = std::move(finer);
  }
  return points;
}

AlgorithmSpecification read_algorithm(TomlReader& reader, const toml::table& table,
                                      const std::string& prefix) {
  AlgorithmSpecification algorithm;
  for (const auto& [key, value] : table) reader.note_line(prefix + std::string(key.str()), value);
  reader.require(table, prefix, "name");
  const std::vector<GridAxis> axes = read_grid(reader, table, prefix);
  for (const toml::table& point : grid_points(table, axes)) {
    const auto [options, keys] = read_alternative<OptimizerOptions, OptimizerEntry>(
        reader, point, prefix, "optimizer", "hct");
    if (!options) return algorithm;
    reader.check_keys(point, prefix, keys);
    algorithm.candidates.push_back(*options);
  }
  algorithm.label = name_of_alternative<OptimizerEntry>(algorithm.candidates.front());
  reader.read(table, prefix, "label", algorithm.label);
  return algorithm;
}

ComparisonSpecification read_comparison(TomlReader& reader, const toml::table& table,
                                        const std::string& prefix) {
  ComparisonSpecification comparison;
  comparison.name = read_name(reader, table, prefix);
  comparison.title = comparison.name;
  reader.check_keys(table, prefix, kComparisonKeys);
  reader.read(table, prefix, "title", comparison.title);
  reader.read(table, prefix, "regret", comparison.regret);
  if (const auto* environment = require_table(reader, table, prefix, "environment")) {
    const std::string inner = prefix + "environment.";
    reader.require(*environment, inner, "name");
    const auto [options, keys] = read_alternative<EnvironmentOptions, EnvironmentEntry>(
        reader, *environment, inner, "environment", "garland");
    if (options) {
      reader.check_keys(*environment, inner, keys);
      comparison.environment = *options;
    }
  }
  const auto* algorithms = require_tables(reader, table, prefix, "algorithm");
  for (std::size_t i = 0; algorithms != nullptr && i < algorithms->size(); ++i) {
    const std::string inner = prefix + "algorithm[" + std::to_string(i) + "].";
    comparison.algorithms.push_back(read_algorithm(reader, *algorithms->get(i)->as_table(), inner));
    for (std::size_t j = 0; j < i; ++j) {
      if (comparison.algorithms[j].label == comparison.algorithms[i].label) {
        reader.complain(inner + "label", nullptr,
                        "\"" + comparison.algorithms[i].label + "\" stands there twice",
                        algorithms->get(i));
      }
    }
  }
  return comparison;
}

/// Makes the environment and every candidate once: what only their constructors know is wrong.
void check_pairs(TomlReader& reader, const ComparisonSpecification& comparison,
                 const std::string& prefix) {
  try {
    const auto environment = make_environment(comparison.environment);
    for (std::size_t i = 0; i < comparison.algorithms.size(); ++i) {
      try {
        for (const OptimizerOptions& candidate : comparison.algorithms[i].candidates) {
          (void)make_optimizer(candidate, environment->space(), SplitRule::cyclic, {});
        }
      } catch (const ConfigurationError& error) {
        reader.complain(prefix + "algorithm[" + std::to_string(i) + "]", nullptr, error.what());
      }
    }
  } catch (const ConfigurationError& error) {
    reader.complain(prefix + "environment", nullptr, error.what());
  }
}

}  // namespace

ExperimentSpecification parse_experiment(std::string_view toml, const std::string& source) {
  const toml::table root = parse_toml(toml, source);
  TomlReader reader(source);
  ExperimentSpecification experiment;
  reader.check_keys(root, "", kTopKeys);
  experiment.name = read_name(reader, root, "");
  experiment.title = experiment.name;
  reader.read(root, "", "title", experiment.title);
  for (const auto& [key, member, least, most] : kCounts) {
    std::uint64_t& value = experiment.*member;
    const std::size_t complaints = reader.complaints();
    reader.read(root, "", key, value);
    if (reader.complaints() == complaints && (value < least || value > most)) {
      reader.complain(
          std::string(key), root.get(key),
          "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
  }
  const auto* comparisons = require_tables(reader, root, "", "comparison");
  for (std::size_t i = 0; comparisons != nullptr && i < comparisons->size(); ++i) {
    const std::string prefix = "comparison[" + std::to_string(i) + "].";
    const std::size_t complaints = reader.complaints();
    experiment.comparisons.push_back(
        read_comparison(reader, *comparisons->get(i)->as_table(), prefix));
    if (reader.complaints() == complaints) check_pairs(reader, experiment.comparisons[i], prefix);
    for (std::size_t j = 0; j < i; ++j) {
      if (experiment.comparisons[j].name == experiment.comparisons[i].name) {
        reader.complain(prefix + "name", comparisons->get(i)->as_table()->get("name"),
                        "stands there twice");
      }
    }
  }
  reader.throw_if_any();
  return experiment;
}

ExperimentSpecification load_experiment(const std::string& path) {
  return parse_experiment(read_file(path), path);
}

std::string fingerprint(const ExperimentSpecification& experiment) {
  const auto text_of = [](const auto& options) { return options_text(options); };
  std::string text =
      "steps " + std::to_string(experiment.steps) + ", runs " + std::to_string(experiment.runs) +
      ", tuning_runs " + std::to_string(experiment.tuning_runs) + ", seed " +
      std::to_string(experiment.seed) + ", checkpoints " + std::to_string(experiment.checkpoints);
  for (const ComparisonSpecification& comparison : experiment.comparisons) {
    text.append("; ").append(comparison.name).append(" by ").append(name_of(comparison.regret));
    text.append(" on ").append(name_of_alternative<EnvironmentEntry>(comparison.environment));
    text.append(" ").append(std::visit(text_of, comparison.environment));
    for (const AlgorithmSpecification& algorithm : comparison.algorithms) {
      text.append("; ").append(algorithm.label);
      for (const OptimizerOptions& candidate : algorithm.candidates) {
        text.append(" | ").append(name_of_alternative<OptimizerEntry>(candidate));
        text.append(" ").append(std::visit(text_of, candidate));
      }
    }
  }
  return text;
}

std::vector<std::uint64_t> checkpoint_steps(std::uint64_t steps, std::uint64_t checkpoints) {
  std::vector<std::uint64_t> at;
  const double last = std::log(static_cast<double>(steps));
  for (std::uint64_t i = 1; i <= checkpoints; ++i) {
    // From 10 steps on, or from the first if there are fewer.
    const double first = std::min(std::log(10.0), last);
    const double share =
        checkpoints == 1 ? 1.0 : static_cast<double>(i - 1) / static_cast<double>(checkpoints - 1);
    const auto step =
        i == checkpoints
            ? steps
            : static_cast<std::uint64_t>(std::llround(std::exp(std::lerp(first, last, share))));
    if (at.empty() || step > at.back()) at.push_back(step);
  }
  return at;
}

}  // namespace canopy
