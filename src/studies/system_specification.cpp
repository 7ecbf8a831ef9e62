#include "studies/system_specification.hpp"

#include <algorithm>
#include <string>

namespace canopy {
namespace {

/// The keys of a struct of options, read into it and checked.
template <class Options>
std::vector<std::string_view> read_options(TomlReader& reader, const toml::table& table,
                                           const std::string& prefix, Options& options) {
  std::vector<std::string_view> keys;
  visit_fields(options, [&](const Field& field, auto& member) {
    keys.push_back(field.name);
    reader.read_field(table, prefix, field, member);
  });
  reader.complain(field_violations(options, prefix));
  return keys;
}

bool has_parameter(const Space& space, const std::string& name) {
  const auto& all = space.parameters();
  return std::any_of(all.begin(), all.end(),
                     [&](const Parameter& parameter) { return parameter.name == name; });
}

std::optional<CommandLine> read_command(TomlReader& reader, const toml::table& table,
                                        std::string_view key, bool shell, const Space& space) {
  std::string text;
  reader.read(table, "system.", key, text);
  if (table.get(key) == nullptr || !table.get(key)->is_string()) return std::nullopt;
  const auto complain = [&](const std::string& what) {
    reader.complain("system." + std::string(key), table.get(key), what);
  };
  try {
    CommandLine command(text, shell);
    for (const std::string& name : command.placeholders()) {
      if (!has_parameter(space, name)) complain("{" + name + "} is no parameter of the space");
    }
    if (key == "process" && !command.placeholders().empty()) {
      complain("a process is started once and told the arm; it can have no {placeholders}");
    }
    return command;
  } catch (const CommandLineError& error) {
    complain(error.what());
    return std::nullopt;
  }
}

/// The coordinate that a value of a file means, if it is one of the domain.
std::optional<double> coordinate_of(const Parameter& parameter, const toml::node& node) {
  if (const auto* choice = std::get_if<Choice>(&parameter.domain)) {
    const auto text = node.value_exact<std::string>();
    const auto found = std::find(choice->choices.begin(), choice->choices.end(), text);
    if (!text || found == choice->choices.end()) return std::nullopt;
    return static_cast<double>(found - choice->choices.begin());
  }
  if (const auto* integer = std::get_if<Integer>(&parameter.domain)) {
    const auto number = node.value_exact<std::int64_t>();
    if (!number || *number < integer->low || *number > integer->high) return std::nullopt;
    return static_cast<double>(*number);
  }
  const auto& real = std::get<Real>(parameter.domain);
  const auto number = node.is_number() ? node.value<double>() : std::nullopt;
  if (!number || !(*number >= real.low && *number <= real.high)) return std::nullopt;
  return number;
}

std::optional<std::vector<double>> read_baseline(TomlReader& reader, const toml::table& system,
                                                 const Space& space) {
  const toml::node* node = system.get("baseline");
  if (node == nullptr) return std::nullopt;
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    reader.complain("system.baseline", node, "must be a table: { x = 1.0 }");
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  std::vector<double> arm;
  for (const Parameter& parameter : space.parameters()) {
    names.push_back(parameter.name);
    if (!reader.require(*table, "system.baseline.", parameter.name)) continue;
    const toml::node& value = *table->get(parameter.name);
    const auto coordinate = coordinate_of(parameter, value);
    if (!coordinate) {
      reader.complain("system.baseline." + parameter.name, &value, "must be a value of the space");
    }
    arm.push_back(coordinate.value_or(0.0));
  }
  reader.check_keys(*table, "system.baseline.", names);
  return arm;
}

void check_together(TomlReader& reader, const toml::table& table,
                    const SystemSpecification& system) {
  const bool measures = table.contains("measure");
  if (measures == table.contains("process")) {
    reader.complain("system.measure", table.get("measure"),
                    "must be there, or system.process instead", &table);
  }
  const bool needs_apply = measures && !table.contains("apply");
  if (needs_apply && system.measure && system.measure->placeholders().empty()) {
    reader.complain("system.apply", nullptr,
                    "must be there, or system.measure must name the parameters in {braces}",
                    &table);
  }
  const SystemOptions& options = system.options;
  if (options.baseline_every > 0 && options.max_changes_per_hour == 1) {
    reader.complain("system.max_changes_per_hour", table.get("max_changes_per_hour"),
                    "must be 2 or more with baseline_every: to the baseline and on");
  }
  const bool wants_baseline =
      options.on_exit == OnExit::baseline || options.baseline_every > 0 || options.floor;
  if (wants_baseline && !table.contains("baseline")) {
    reader.complain("system.baseline", nullptr,
                    "must be there for on_exit = \"baseline\", baseline_every and floor", &table);
  }
}

}  // namespace

std::optional<SystemSpecification> read_system(TomlReader& reader, const toml::table& root,
                                               const Space& space) {
  const toml::table* table = reader.read_table(root, "system");
  if (table == nullptr) return std::nullopt;
  SystemSpecification system;
  std::vector<std::string_view> keys = read_options(reader, *table, "system.", system.options);
  for (const std::string_view key : {"shell", "apply", "measure", "process", "baseline"}) {
    keys.push_back(key);
  }
  reader.check_keys(*table, "system.", keys);
  bool shell = false;
  reader.read(*table, "system.", "shell", shell);
  system.apply = read_command(reader, *table, "apply", shell, space);
  system.measure = read_command(reader, *table, "measure", shell, space);
  system.process = read_command(reader, *table, "process", shell, space);
  system.baseline = read_baseline(reader, *table, space);
  check_together(reader, *table, system);
  return system;
}

Budget read_budget(TomlReader& reader, const toml::table& root) {
  Budget budget;
  if (const toml::table* table = reader.read_table(root, "budget")) {
    reader.check_keys(*table, "budget.", read_options(reader, *table, "budget.", budget));
  }
  return budget;
}

}  // namespace canopy
