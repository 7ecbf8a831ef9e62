#include "tuning/warnings.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/pairs.hpp"
#include "canopy/with_baseline.hpp"

#include "core/excerpt.hpp"
#include "systems/command_line.hpp"
#include "systems/find_program.hpp"
#include "systems/promql.hpp"
#include "systems/text_template.hpp"
#include "systems/web_access.hpp"
#include "tuning/contexts.hpp"
#include "tuning/system.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::string_view kArmVariable = "CANOPY_ARM";
constexpr std::string_view kVariables = "CANOPY_";  // prefix of all environment variables
constexpr std::uintmax_t kLargestScript = 1 << 20;

struct NamedCommand {
  std::string_view key;
  std::string text;
};

std::vector<NamedCommand> commands_of(const SystemSpecification& system) {
  std::vector<NamedCommand> commands;
  const auto add = [&](std::string_view key, const auto& action) {
    const auto* command = action ? std::get_if<std::string>(&*action) : nullptr;
    if (command != nullptr) commands.push_back({key, *command});
  };
  add("apply", system.apply);
  add("measure", system.measure);
  if (system.process) commands.push_back({"process", *system.process});
  return commands;
}

const HttpApply* request_of(const SystemSpecification& system) {
  return system.apply ? std::get_if<HttpApply>(&*system.apply) : nullptr;
}

const PrometheusSource* queries_of(const SystemSpecification& system) {
  return system.measure ? std::get_if<PrometheusSource>(&*system.measure) : nullptr;
}

/// Every query, with its key.
std::vector<std::pair<std::string, std::string>> all_queries(const PrometheusSource& source) {
  std::vector<std::pair<std::string, std::string>> queries{{"query", source.query}};
  for (const auto& [name, query] : source.metrics) queries.emplace_back("metrics." + name, query);
  return queries;
}

/// Warns if this build cannot send HTTP requests, or if a secret is missing.
void warn_of_requests(const StudySpecification& study, std::vector<Warning>& warnings) {
  const SystemSpecification& system = *study.system;
  const auto check = [&](const std::string& key, const HttpAccess& access) {
    const std::string fault = access_fault(access, system.folder.value_or(""));
    if (!fault.empty()) warnings.push_back({true, key + ": " + fault});
  };
  if (const HttpApply* apply = request_of(system)) check("system.apply", apply->access);
  if (const PrometheusSource* source = queries_of(system)) check("system.measure", source->access);
}

/// Warns of query windows that are longer than a setting is in force: they include earlier
/// settings.
void warn_of_windows(const StudySpecification& study, std::vector<Warning>& warnings) {
  const PrometheusSource* source = queries_of(*study.system);
  if (source == nullptr) return;
  const double over = promql_seconds(source->over).value_or(0.0);
  for (const auto& [key, query] : all_queries(*source)) {
    const double range = longest_range_in(query);
    if (range <= over) continue;
    warnings.push_back(
        {false, fmt::format("system.measure.{}: looks back {:g} s, but a setting is in force for "
                            "{} when it is evaluated, so it includes earlier settings: write "
                            "[{{over}}]",
                            key, range, source->over)});
  }
}

/// Warns of limits on metrics that have no query.
void warn_of_missing_metrics(const StudySpecification& study, std::vector<Warning>& warnings) {
  const PrometheusSource* source = queries_of(*study.system);
  if (source == nullptr) return;
  for (const Limit& limit : study.objective.limits) {
    if (source->metrics.contains(limit.metric)) continue;
    warnings.push_back(
        {true, fmt::format("limit.{}: system.measure.metrics has no query for it", limit.metric)});
  }
}

/// Whether a file that a command names contains the word.
bool file_mentions(const std::string& path, std::string_view word) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  if (std::filesystem::file_size(path, error) > kLargestScript || error) return false;
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return content.find(word) != std::string::npos;
}

/// Whether the setting seems to be read from the environment: by the command itself or by a script
/// that it names.
bool reads_environment(const std::string& command, const std::string& folder) {
  if (command.find(kArmVariable) != std::string::npos) return true;
  std::istringstream words(command);
  bool is_first = true;
  for (std::string word; words >> word; is_first = false) {
    const auto program = is_first ? find_program(word, folder) : std::nullopt;
    if (file_mentions(program.value_or(seen_from(folder, word)), kVariables)) return true;
  }
  return false;
}

void warn_of_unused_knobs(const StudySpecification& study, std::vector<Warning>& warnings) {
  const SystemSpecification& system = *study.system;
  if (system.process || system.reads_arm) return;
  std::vector<std::string> names;
  for (const Parameter& parameter : study.space.parameters()) names.push_back(parameter.name);
  std::vector<TextTemplate> texts;
  if (const HttpApply* apply = request_of(system)) {
    if (!apply->body) return;  // the whole setting is sent
    texts.emplace_back(apply->url(), names, ValueCoding::percent);
    texts.emplace_back(*apply->body, names, ValueCoding::plain);
  }
  if (const PrometheusSource* source = queries_of(system)) {
    for (const auto& [key, query] : all_queries(*source)) {
      texts.emplace_back(query, names, ValueCoding::promql);
    }
  }
  std::vector<CommandLine> lines;
  for (const NamedCommand& command : commands_of(system)) {
    if (reads_environment(command.text, system.folder.value_or(""))) return;
    lines.emplace_back(command.text, system.shell);
  }
  std::vector<std::string> unused;
  for (const Parameter& parameter : study.space.parameters()) {
    const auto uses = [&](const auto& text) { return text.uses(parameter.name); };
    if (std::none_of(lines.begin(), lines.end(), uses) &&
        std::none_of(texts.begin(), texts.end(), uses)) {
      unused.push_back(parameter.name);
    }
  }
  if (unused.empty()) return;
  const std::string& first = unused.front();
  warnings.push_back({unused.size() == study.space.dimension(),
                      fmt::format("no {} uses {}: write {} where its value is needed.{}",
                                  lines.empty() ? "request" : "command", fmt::join(unused, ", "),
                                  system.shell && !lines.empty() ? "\"$" + variable_of(first) + "\""
                                                                 : "{" + first + "}",
                                  lines.empty() ? ""
                                                : " If a program reads it from CANOPY_ARM, set "
                                                  "system.reads_arm = true")});
}

/// Every value is passed to programs in an environment variable of its own, so the names must
/// differ.
void warn_of_variables(const StudySpecification& study, std::vector<Warning>& warnings) {
  std::map<std::string, std::string> names{{"CANOPY_ARM", "the whole setting"},
                                           {"CANOPY_CONTEXT", "all contexts"}};
  const auto add = [&](const std::string& name) {
    const auto [other, is_new] = names.emplace(variable_of(name), name);
    if (is_new) return;
    warnings.push_back(
        {study.system->shell,
         fmt::format("{} and {} have the same environment variable {}: give {} "
                     "another name",
                     excerpt(name), excerpt(other->second), other->first, excerpt(name))});
  };
  for (const Parameter& parameter : study.space.parameters()) add(parameter.name);
  for (const ContextVariable& variable : study.contexts.variables()) add(variable.name);
}

void warn_of_programs(const StudySpecification& study, std::vector<Warning>& warnings) {
  const SystemSpecification& system = *study.system;
  if (system.shell) return;
  Values values;
  for (const Parameter& parameter : study.space.parameters())
    values.emplace_back(parameter.name, "0");
  for (const ContextVariable& variable : study.contexts.variables())
    values.emplace_back(variable.name, "0");
  for (const NamedCommand& command : commands_of(system)) {
    const std::string fault =
        program_fault(CommandLine(command.text, false).words(values), system.folder.value_or(""));
    if (!fault.empty()) {
      warnings.push_back({true, fmt::format("system.{}: {}", command.key, fault)});
    }
  }
}

/// Shell syntax in a command without a shell is passed to the program literally.
void warn_of_shell_words(const StudySpecification& study, std::vector<Warning>& warnings) {
  const SystemSpecification& system = *study.system;
  if (system.shell) return;
  for (const NamedCommand& command : commands_of(system)) {
    std::istringstream words(command.text);
    std::string found;
    for (std::string word; found.empty() && words >> word;) {
      const bool is_variable = word.size() > 1 && word.front() == '$' && word[1] != '$';
      const bool is_redirection = word.starts_with(">") || word.starts_with("2>") || word == "<";
      if (word == "|" || word == "&&" || word == "||" || is_redirection || is_variable)
        found = word;
    }
    if (found.empty()) continue;
    warnings.push_back(
        {false,
         fmt::format("system.{}: {} has no effect without a shell; the program gets it as an "
                     "argument. Set system.shell = true to have /bin/sh run the command",
                     command.key, excerpt(found))});
  }
}

void warn_of_budget(const StudySpecification& study, std::vector<Warning>& warnings) {
  if (!study.budget.pulls) return;
  const std::uint64_t pulls = *study.budget.pulls;
  const OptimizerEntry& entry = optimizers().at(study.optimizer.name);
  if (entry.least_pulls) {
    const double needed = entry.least_pulls(study.optimizer.options);
    if (static_cast<double>(pulls) >= needed) return;
    warnings.push_back(
        {false, fmt::format(
                    "a budget of {} pulls is too small to narrow the search: the first half of the "
                    "space is divided after {:.0f} pulls at the earliest. Raise budget.pulls, or "
                    "divide sooner: a smaller optimizer.confidence_scale or mixing_time, a larger "
                    "optimizer.nu1 or rho",
                    pulls, needed)});
    return;
  }
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(study);
  const TreeView* tree = optimizer->tree();
  if (tree == nullptr) return;
  const std::vector<NodeView> nodes = tree->nodes();
  const auto cells = static_cast<std::uint64_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const NodeView& node) { return node.leaf; }));
  if (pulls >= 5 * cells) return;
  warnings.push_back({false, fmt::format("a budget of {} pulls is small for this space: the search "
                                         "begins by measuring {} settings, once each",
                                         pulls, cells)});
}

/// Warns if the budget allows too few pairs during the search.
void warn_of_few_pairs(const StudySpecification& study, std::vector<Warning>& warnings) {
  const Budget& budget = study.budget;
  if (!study.baseline || study.baseline->every == 0 || !budget.pulls || budget.confirm_pulls) {
    return;
  }
  const BaselineRule rule = baseline_rule(study, 1);
  const std::uint64_t compared = *budget.pulls - std::min(*budget.pulls, rule.first);
  const std::uint64_t pairs = rule.pairs * (compared / (rule.every + rule.pairs * rule.visit));
  const std::uint64_t fewest = Pairs::fewest(challenger_alpha(study.objective.confidence, 1.0));
  if (pairs >= fewest) return;
  warnings.push_back(
      {false,
       fmt::format("a budget of {} pulls allows about {} pairs with the baseline, but at least {} "
                   "are needed to prove that a setting is better: give more pulls, or "
                   "budget.confirm_pulls to compare the best one at the end",
                   *budget.pulls, pairs, fewest)});
}

void warn_of_exit(const StudySpecification& study, std::vector<Warning>& warnings) {
  const SystemOptions& options = study.system->options;
  const bool is_never_measured =
      study.baseline && study.baseline->every == 0 && !study.budget.confirm_pulls;
  if (is_never_measured && options.on_exit == OnExit::best) {
    warnings.push_back(
        {false,
         "the baseline is never measured, so the system will be left at the baseline: set "
         "baseline.every or budget.confirm_pulls"});
  } else if (options.on_exit == OnExit::confirmed && !study.budget.confirm_pulls) {
    warnings.push_back({false,
                        "on_exit = \"confirmed\" without budget.confirm_pulls leaves the system at "
                        "the baseline until `canopy confirm` has been run"});
  }
  if (options.on_exit == OnExit::best) warn_of_few_pairs(study, warnings);
  const std::uint64_t pairs = Pairs::fewest(1.0 - study.objective.confidence);
  const std::uint64_t fewest = 2 * pairs * visit_of(study);
  if (study.budget.confirm_pulls && *study.budget.confirm_pulls < fewest) {
    warnings.push_back(
        {false, fmt::format("budget.confirm_pulls = {} is too small: a verdict needs "
                            "{} pairs of visits, {} pulls",
                            *study.budget.confirm_pulls, pairs, fewest)});
  }
}

/// Warns if the first settings cannot be tried because their worst-case loss must be earned first.
void warn_of_loss(const StudySpecification& study, std::vector<Warning>& warnings) {
  if (!study.budget.max_loss || !study.budget.pulls) return;
  const auto visit = static_cast<double>(settle_of(study.optimizer) + visit_of(study));
  const double least = 2.0 * visit * study.budget.worst_loss.value_or(1.0) / *study.budget.max_loss;
  if (2.0 * least <= 0.5 * static_cast<double>(*study.budget.pulls)) return;
  warnings.push_back(
      {false,
       fmt::format("max_loss = {:g} is small for {} pulls: trying the first eight settings takes "
                   "about {:.0f} to {:.0f}. Give more pulls, a larger max_loss, or a "
                   "narrower search space around the baseline",
                   *study.budget.max_loss, *study.budget.pulls, least, 2.0 * least)});
}

}  // namespace

std::string access_fault(const HttpAccess& access, const std::string& folder) {
  if (!WebClient::is_available()) return WebClient::kNotAvailable;
  const auto headers = headers_of(access, folder);
  if (const auto* failure = std::get_if<SystemFailure>(&headers)) return failure->what;
  const std::string file = access.ca_file.empty() ? "" : seen_from(folder, access.ca_file);
  std::error_code ignored;
  if (!file.empty() && !std::filesystem::is_regular_file(file, ignored)) {
    return fmt::format("ca_file: there is no file {}", excerpt(file, 200));
  }
  return "";
}

std::string program_fault(const std::vector<std::string>& words, const std::string& folder) {
  if (find_program(words.front(), folder)) return "";
  return no_program_text(words.front(), folder,
                         fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " ")));
}

std::vector<Warning> warnings_about(const StudySpecification& study) {
  std::vector<Warning> warnings = warnings_about_sources(study);
  warn_of_programs(study, warnings);
  warn_of_requests(study, warnings);
  warn_of_windows(study, warnings);
  warn_of_missing_metrics(study, warnings);
  warn_of_shell_words(study, warnings);
  warn_of_variables(study, warnings);
  warn_of_unused_knobs(study, warnings);
  const std::vector<Warning> others = warnings_anywhere(study);
  warnings.insert(warnings.end(), others.begin(), others.end());
  return warnings;
}

std::vector<Warning> warnings_anywhere(const StudySpecification& study) {
  std::vector<Warning> warnings;
  warn_of_budget(study, warnings);
  warn_of_loss(study, warnings);
  if (study.system) warn_of_exit(study, warnings);
  return warnings;
}

}  // namespace canopy
