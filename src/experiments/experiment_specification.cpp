#include "canopy/detail/reward_map.hpp"
#include "canopy/environments.hpp"
#include "canopy/experiment.hpp"
#include "canopy/optimizers.hpp"

#include "core/text.hpp"
#include "experiments/profile.hpp"
#include "files/document_reader.hpp"
#include "files/read_file.hpp"
#include "files/toml.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>

namespace canopy {
namespace {

constexpr std::size_t kMostCandidates = 10'000;

constexpr std::array<std::string_view, 9> kTopKeys{"name",        "title",        "steps",
                                                   "runs",        "tuning_runs",  "seed",
                                                   "checkpoints", "reward_range", "comparison"};
/// The keys of a suite, which has them in place of comparisons.
constexpr std::array<std::string_view, 13> kSuiteKeys{
    "name",        "title",        "steps",  "runs",        "tuning_runs", "seed",     "profile",
    "checkpoints", "reward_range", "regret", "environment", "noise",       "algorithm"};
constexpr std::array<std::string_view, 5> kComparisonKeys{"name", "title", "regret", "environment",
                                                          "algorithm"};

/// A whole number and its valid range.
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

std::string read_name(DocumentReader& reader, const Document& table, const std::string& prefix) {
  std::string name;
  if (!reader.require(table, prefix, "name")) return name;
  reader.read(table, prefix, "name", name);
  if (table.find("name")->as_text() != nullptr && !is_file_name(name)) {
    reader.complain(prefix + "name", table.find("name"),
                    "must consist of letters, digits, - and _, because files are named after it");
  }
  return name;
}

/// A key that must be a table.
const Document* require_table(DocumentReader& reader, const Document& parent,
                              const std::string& prefix, std::string_view key) {
  const Document* node = parent.find(key);
  if (node != nullptr && node->as_table() != nullptr) return node;
  reader.complain(prefix + std::string(key), node, "must be a table", &parent);
  return nullptr;
}

/// A key that must be a list of one or more tables.
const Document::List* require_tables(DocumentReader& reader, const Document& parent,
                                     const std::string& prefix, std::string_view key) {
  const Document* node = parent.find(key);
  const Document::List* tables = node != nullptr ? node->as_tables() : nullptr;
  if (tables != nullptr) return tables;
  reader.complain(prefix + std::string(key), node,
                  "must be one or more [[" + prefix + std::string(key) + "]] tables", &parent);
  return nullptr;
}

/// The values of one option in a grid.
struct GridAxis {
  std::string_view key;
  const Document::List* values;
};

std::vector<GridAxis> read_grid(DocumentReader& reader, const Document& table,
                                const std::string& prefix) {
  std::vector<GridAxis> axes;
  const Document* node = table.find("grid");
  if (node == nullptr) return axes;
  const Document::Table* grid = node->as_table();
  if (grid == nullptr) {
    reader.complain(prefix + "grid", node, "must be a table of lists");
    return axes;
  }
  std::size_t candidates = 1;
  for (const auto& [key, value] : *grid) {
    std::string field = prefix + "grid.";
    field += key;
    const Document::List* values = value.as_list();
    if (values == nullptr || values->empty()) {
      reader.complain(field, &value, "must be a list of one or more values");
      continue;
    }
    if (table.contains(key)) {
      reader.complain(field, nullptr, "must not be set both in the grid and outside", &value);
      continue;
    }
    candidates *= values->size();
    if (candidates > kMostCandidates) {
      reader.complain(prefix + "grid", node, "has more than 10000 points");
      return {};
    }
    reader.note_line(prefix + key, value);
    axes.push_back({key, values});
  }
  // Candidates are numbered in this order, independent of the order in the file.
  std::sort(axes.begin(), axes.end(),
            [](const GridAxis& a, const GridAxis& b) { return a.key < b.key; });
  return axes;
}

/// Every point of the grid as a separate table.
std::vector<Document> grid_points(const Document& base, const std::vector<GridAxis>& axes) {
  std::vector<Document> points{base};
  points.front().erase("grid");
  points.front().erase("label");
  points.front().erase("steps");
  points.front().erase("ignore_context");
  for (const GridAxis& axis : axes) {
    std::vector<Document> finer;
    for (const Document& point : points) {
      for (const Document& value : *axis.values) {
        finer.push_back(point);
        finer.back().set(axis.key, value);
      }
    }
    points = std::move(finer);
  }
  return points;
}

/// The entry that a table selects from a catalogue, with a value for every option; none if there is
/// no such name.
template <class Entry>
std::optional<Selection> read_selection(DocumentReader& reader, const Document& table,
                                        const std::string& prefix,
                                        const Catalogue<Entry>& catalogue) {
  Selection selected;
  reader.read(table, prefix, "name", selected.name);
  const Entry* entry = catalogue.find(selected.name);
  if (entry == nullptr) {
    const Document* name = table.find("name");
    if (name != nullptr && name->as_text() != nullptr) {
      reader.complain(prefix + "name", name,
                      unknown_name(catalogue.kind(), selected.name, catalogue.names()));
    }
    return std::nullopt;
  }
  std::vector<std::string_view> keys{"name"};
  for (const OptionField& field : entry->fields) keys.push_back(field.name);
  reader.check_keys(table, prefix, keys);
  selected.options = completed(entry->fields, reader.read_options(table, prefix, entry->fields));
  return selected;
}

/// `steps` is the number of steps of the experiment. It is also the horizon of an algorithm that
/// needs one and does not specify it.
AlgorithmSpecification read_algorithm(DocumentReader& reader, const Document& table,
                                      const std::string& prefix, std::uint64_t steps) {
  AlgorithmSpecification algorithm;
  for (const auto& [key, value] : *table.as_table()) reader.note_line(prefix + key, value);
  reader.require(table, prefix, "name");
  reader.read(table, prefix, "steps", algorithm.steps);
  if (algorithm.steps == 0)
    reader.complain(prefix + "steps", table.find("steps"), "must be at least 1");
  reader.read(table, prefix, "ignore_context", algorithm.ignore_context);
  const std::uint64_t pulls = std::min(algorithm.steps, std::max<std::uint64_t>(steps, 1));
  const std::vector<GridAxis> axes = read_grid(reader, table, prefix);
  for (const Document& point : grid_points(table, axes)) {
    auto candidate = read_selection(reader, point, prefix, optimizers());
    if (!candidate) return algorithm;
    if (!point.contains("horizon") && needs_horizon(optimizers().at(candidate->name))) {
      candidate->options.set("horizon", pulls);
    }
    algorithm.candidates.push_back(std::move(*candidate));
  }
  algorithm.label = algorithm.candidates.front().name;
  reader.read(table, prefix, "label", algorithm.label);
  return algorithm;
}

/// The location of a comparison in the file, for messages.
struct ComparisonPlace {
  std::string prefix;
  std::string environment;
};

ComparisonSpecification read_comparison(DocumentReader& reader, const Document& table,
                                        const ComparisonPlace& place, std::uint64_t steps) {
  const auto& [prefix, inner_environment] = place;
  ComparisonSpecification comparison;
  comparison.name = read_name(reader, table, prefix);
  comparison.title = comparison.name;
  reader.check_keys(table, prefix, kComparisonKeys);
  reader.read(table, prefix, "title", comparison.title);
  reader.read(table, prefix, "regret", comparison.regret);
  if (const auto* environment = require_table(reader, table, prefix, "environment")) {
    reader.require(*environment, inner_environment, "name");
    comparison.environment = read_selection(reader, *environment, inner_environment, environments())
                                 .value_or(Selection{});
  }
  const auto* algorithms = require_tables(reader, table, prefix, "algorithm");
  for (std::size_t i = 0; algorithms != nullptr && i < algorithms->size(); ++i) {
    const std::string inner = prefix + "algorithm[" + std::to_string(i) + "].";
    comparison.algorithms.push_back(read_algorithm(reader, (*algorithms)[i], inner, steps));
    for (std::size_t j = 0; j < i; ++j) {
      if (comparison.algorithms[j].label == comparison.algorithms[i].label) {
        reader.complain(inner + "label", nullptr,
                        "\"" + comparison.algorithms[i].label + "\" is the label of two algorithms",
                        &(*algorithms)[i]);
      }
    }
  }
  return comparison;
}

/// The text of a key; empty if there is none, which is reported elsewhere.
std::string text_in(const Document& table, std::string_view key) {
  const Document* node = table.find(key);
  const std::string* text = node != nullptr ? node->as_text() : nullptr;
  return text != nullptr ? *text : "";
}

/// One comparison of a suite: an environment with one kind of noise.
Document comparison_of(const Document& root, const Document& environment, const Document& noise) {
  Document reading = environment;
  for (const auto& [key, value] : *noise.as_table()) {
    if (key != "name") reading.set(key, value);
  }
  const std::string label = text_in(environment, "label");
  const std::string of = label.empty() ? text_in(environment, "name") : label;
  reading.erase("label");
  Document comparison;
  comparison.set("name", of + "-" + text_in(noise, "name"));
  comparison.set("title", of + ", " + text_in(noise, "name"));
  if (const Document* regret = root.find("regret")) comparison.set("regret", *regret);
  comparison.set("environment", std::move(reading));
  if (const Document* algorithms = root.find("algorithm")) comparison.set("algorithm", *algorithms);
  comparison.set_line(environment.line());
  return comparison;
}

/// All combinations of a suite's environments and kinds of noise.
Document::List comparisons_of_suite(DocumentReader& reader, const Document& root) {
  Document::List comparisons;
  const auto* environments_listed = require_tables(reader, root, "", "environment");
  const auto* noises = require_tables(reader, root, "", "noise");
  const auto* algorithms = require_tables(reader, root, "", "algorithm");
  if (environments_listed == nullptr || noises == nullptr || algorithms == nullptr) return {};
  for (const Document& environment : *environments_listed) {
    for (const Document& noise : *noises) {
      comparisons.push_back(comparison_of(root, environment, noise));
    }
  }
  return comparisons;
}

/// Reads and checks the settings of a performance profile.
void read_profile(DocumentReader& reader, const Document& root,
                  ExperimentSpecification& experiment) {
  const Document* profile = root.find("profile");
  if (profile == nullptr && experiment.steps < kFirstProfiled) {
    reader.complain("steps", root.find("steps"),
                    "must be at least " + std::to_string(kFirstProfiled) +
                        " in a suite, unless profile lists the n to compare");
  }
  if (profile != nullptr) {
    bool makes_sense = profile->as_list() != nullptr && !profile->as_list()->empty();
    std::int64_t last = 0;
    for (std::size_t i = 0; makes_sense && i < profile->as_list()->size(); ++i) {
      const std::optional<std::int64_t> n = (*profile->as_list())[i].as_whole();
      makes_sense = n && *n > last && static_cast<std::uint64_t>(*n) <= experiment.steps;
      if (!makes_sense) continue;
      last = *n;
      experiment.profile.push_back(static_cast<std::uint64_t>(last));
    }
    if (!makes_sense) {
      reader.complain("profile", profile,
                      "must be a list of increasing whole numbers from 1 to steps");
    }
  }
  if (text_in(root, "regret") == "realised") {
    reader.complain(
        "regret", root.find("regret"),
        "must be \"pseudo\" in a suite, whose profile compares ratios: realised regrets "
        "can be below zero");
  }
}

/// The location of the comparison with this number.
ComparisonPlace place_of(const Document& root, bool is_suite, std::size_t number) {
  const std::string prefix = "comparison[" + std::to_string(number) + "].";
  if (!is_suite) return {prefix, prefix + "environment."};
  const std::size_t noises = root.find("noise")->as_list()->size();
  return {"", "environment[" + std::to_string(number / noises) + "]."};
}

/// Creates the environment and every candidate once, to report errors that only their constructors
/// detect.
void check_pairs(DocumentReader& reader, const ComparisonSpecification& comparison,
                 const std::string& prefix) {
  try {
    const auto environment = make_environment(comparison.environment);
    for (std::size_t i = 0; i < comparison.algorithms.size(); ++i) {
      try {
        for (const Selection& candidate : comparison.algorithms[i].candidates) {
          (void)make_optimizer(candidate, environment->space(), {}, {},
                               contexts_shown(*environment, candidate.name,
                                              comparison.algorithms[i].ignore_context));
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
  const Document root = parse_toml(toml, source);
  DocumentReader reader(source);
  ExperimentSpecification experiment;
  experiment.is_suite = root.contains("environment") && !root.contains("comparison");
  if (experiment.is_suite) {
    reader.check_keys(root, "", kSuiteKeys);
  } else {
    reader.check_keys(root, "", kTopKeys);
  }
  experiment.name = read_name(reader, root, "");
  experiment.title = experiment.name;
  reader.read(root, "", "title", experiment.title);
  for (const auto& [key, member, least, most] : kCounts) {
    std::uint64_t& value = experiment.*member;
    const std::size_t complaints = reader.complaints();
    reader.read(root, "", key, value);
    if (reader.complaints() == complaints && (value < least || value > most)) {
      reader.complain(
          std::string(key), root.find(key),
          "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
  }
  reader.read(root, "", "reward_range", experiment.reward_range);
  if (experiment.reward_range) reader.complain(range_violations(*experiment.reward_range));
  if (experiment.is_suite) read_profile(reader, root, experiment);
  const Document::List product =
      experiment.is_suite ? comparisons_of_suite(reader, root) : Document::List{};
  const auto* comparisons =
      experiment.is_suite ? &product : require_tables(reader, root, "", "comparison");
  for (std::size_t i = 0; comparisons != nullptr && i < comparisons->size(); ++i) {
    const ComparisonPlace place = place_of(root, experiment.is_suite, i);
    const std::string& prefix = place.prefix;
    const std::size_t complaints = reader.complaints();
    experiment.comparisons.push_back(
        read_comparison(reader, (*comparisons)[i], place, experiment.steps));
    if (reader.complaints() == complaints) check_pairs(reader, experiment.comparisons[i], prefix);
    for (std::size_t j = 0; j < i; ++j) {
      if (experiment.comparisons[j].name == experiment.comparisons[i].name) {
        reader.complain(prefix + "name", (*comparisons)[i].find("name"), "is used twice");
      }
    }
  }
  reader.throw_if_any();
  return experiment;
}

ExperimentSpecification load_experiment(const std::string& path) {
  return parse_experiment(read_file(path), path);
}

}  // namespace canopy
