#include "studies/system_document.hpp"

#include "files/arm_document.hpp"
#include "studies/http_document.hpp"
#include "systems/command_line.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Reads a struct of options from the keys of a table and collects the names of its fields.
template <class Options>
Options read_struct(DocumentReader& reader, const Document& table, const std::string& prefix,
                    std::vector<OptionField>& fields) {
  fields = fields_of<Options>();
  return options_from<Options>(reader.read_options(table, prefix, fields), prefix);
}

std::vector<std::string_view> names_of(const std::vector<OptionField>& fields) {
  std::vector<std::string_view> names;
  names.reserve(fields.size());
  for (const OptionField& field : fields) names.push_back(field.name);
  return names;
}

/// The names of values that commands can use: those of parameters and of context variables. (The
/// latter are read later.)
std::vector<std::string> value_names(const Document& root, const Space& space) {
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) names.push_back(parameter.name);
  const Document* contexts = root.find("context");
  const Document::List* tables = contexts != nullptr ? contexts->as_tables() : nullptr;
  for (const Document& table : tables != nullptr ? *tables : Document::List{}) {
    const Document* name = table.find("name");
    if (name != nullptr && name->as_text() != nullptr) names.push_back(*name->as_text());
  }
  return names;
}

std::optional<std::string> read_command(DocumentReader& reader, const Document& table,
                                        std::string_view key, bool shell,
                                        const std::vector<std::string>& names) {
  std::string text;
  reader.read(table, "system.", key, text);
  const Document* node = table.find(key);
  if (node == nullptr || node->as_text() == nullptr) return std::nullopt;
  const auto complain = [&](const std::string& what) {
    reader.complain("system." + std::string(key), node, what);
  };
  try {
    const CommandLine command(text, shell);
    for (const std::string& name : names) {
      const std::size_t at = text.find("{" + name + "}");
      if (!shell || at == std::string::npos || (at != 0 && text[at - 1] == '$')) continue;
      complain(fmt::format("with shell = true, use the variable \"${}\" instead of {{{}}}",
                           variable_of(name), name));
    }
    for (const std::string& name : command.placeholders()) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      complain("{" + name + "} is not a parameter of the space");
    }
    if (key == "process" && !command.placeholders().empty()) {
      complain(
          "cannot have {placeholders}: a process is started once and reads the settings from its "
          "input");
    }
  } catch (const CommandLineError& error) {
    complain(error.what());
  }
  return text;
}

std::optional<std::string> read_policy_file(DocumentReader& reader, const Document& root,
                                            const Document& table, std::string_view key) {
  const Document* node = table.find(key);
  if (node == nullptr) return std::nullopt;
  std::string path;
  reader.read(table, "system.", key, path);
  const auto complain = [&](std::string what) {
    reader.complain("system." + std::string(key), node, std::move(what));
  };
  if (node->as_text() != nullptr && path.empty()) complain("must not be empty");
  if (!root.contains("context")) {
    complain("requires [[context]]: a study without contexts has no policy");
  }
  return path;
}

std::optional<std::string> read_folder(DocumentReader& reader, const Document& table,
                                       std::string_view key) {
  const Document* node = table.find(key);
  if (node == nullptr) return std::nullopt;
  std::string path;
  reader.read(table, "system.", key, path);
  if (node->as_text() != nullptr && path.empty()) {
    reader.complain("system." + std::string(key), node, "must not be empty");
  }
  return path;
}

/// A command, or a table that takes its place.
template <class Action, class ReadTable>
std::optional<Action> read_action(DocumentReader& reader, const Document& table,
                                  std::string_view key, bool shell,
                                  const std::vector<std::string>& names, ReadTable&& read_table) {
  const Document* node = table.find(key);
  if (node != nullptr && node->as_table() != nullptr) {
    return Action(read_table(*node, "system." + std::string(key) + "."));
  }
  if (node != nullptr && node->as_text() == nullptr) {
    reader.complain("system." + std::string(key), node, "must be a command or a table");
    return std::nullopt;
  }
  auto command = read_command(reader, table, key, shell, names);
  return command ? std::optional<Action>(std::move(*command)) : std::nullopt;
}

void check_together(DocumentReader& reader, const Document& table) {
  const bool measures = table.contains("measure");
  if (measures == table.contains("process")) {
    reader.complain("system.measure", table.find("measure"),
                    "is required, or system.process instead", &table);
  }
}

/// Reports keys that were moved to a table of their own.
void complain_of_moved_keys(DocumentReader& reader, const Document& table,
                            std::vector<std::string_view>& known) {
  for (const auto& [old, now] : {std::pair{"baseline", "setting"},
                                 {"baseline_every", "every"},
                                 {"baseline_pulls", "pulls"}}) {
    const Document* value = table.find(old);
    if (value == nullptr) continue;
    known.emplace_back(old);
    reader.complain("system." + std::string(old), value,
                    fmt::format("was moved: use `{}` in the table [baseline]", now));
  }
}

}  // namespace

std::optional<SystemSpecification> read_system(DocumentReader& reader, const Document& root,
                                               const Space& space) {
  const Document* table = reader.read_table(root, "system");
  if (table == nullptr) return std::nullopt;
  SystemSpecification system;
  std::vector<OptionField> fields;
  system.options = read_struct<SystemOptions>(reader, *table, "system.", fields);
  std::vector<std::string_view> keys = names_of(fields);
  reader.read(*table, "system.", "shell", system.shell);
  const std::vector<std::string> names = value_names(root, space);
  visit_fields(system, [&]<class Member>(const Field& field, Member& member) {
    keys.push_back(field.name);
    if constexpr (std::is_same_v<Member, bool>) {
      if (field.name != "shell") reader.read(*table, "system.", field.name, member);
    } else if constexpr (std::is_same_v<Member, decltype(system.apply)>) {
      member = read_action<typename Member::value_type>(
          reader, *table, field.name, system.shell, names,
          [&](const Document& node, const std::string& prefix) {
            return read_http_apply(reader, node, prefix, space, names);
          });
    } else if constexpr (std::is_same_v<Member, decltype(system.measure)>) {
      member = read_action<typename Member::value_type>(
          reader, *table, field.name, system.shell, names,
          [&](const Document& node, const std::string& prefix) {
            return read_prometheus(reader, node, prefix, names);
          });
    } else if (&member == &system.folder) {
      member = read_folder(reader, *table, field.name);
    } else if (&member == &system.policy_file) {
      member = read_policy_file(reader, root, *table, field.name);
    } else {
      member = read_command(reader, *table, field.name, system.shell, names);
    }
  });
  complain_of_moved_keys(reader, *table, keys);
  reader.check_keys(*table, "system.", keys);
  check_together(reader, *table);
  return system;
}

std::optional<Baseline> read_baseline(DocumentReader& reader, const Document& root,
                                      const Space& space) {
  const Document* table = reader.read_table(root, "baseline");
  if (table == nullptr) return std::nullopt;
  std::vector<OptionField> fields;
  auto baseline = read_struct<Baseline>(reader, *table, "baseline.", fields);
  std::vector<std::string_view> keys = names_of(fields);
  keys.emplace_back("setting");
  reader.check_keys(*table, "baseline.", keys);
  if (reader.require(*table, "baseline.", "setting")) {
    baseline.setting = read_arm(reader, *table->find("setting"), space, "baseline.setting");
  }
  return baseline;
}

Document baseline_document(const Baseline& baseline, const Space& space) {
  Document table;
  table.set("setting", arm_document(space, baseline.setting));
  const Document options = document_of(values_of(baseline), fields_of(baseline));
  for (const auto& [name, value] : *options.as_table()) table.set(name, value);
  return table;
}

std::vector<Limit> read_limits(DocumentReader& reader, const Document& root) {
  const Document* node = root.find("limit");
  if (node == nullptr) return {};
  const Document::List* tables = node->as_tables();
  if (tables == nullptr) {
    reader.complain("limit", node, "must be one or more [[limit]] tables");
    return {};
  }
  std::vector<Limit> limits;
  for (std::size_t i = 0; i < tables->size(); ++i) {
    const Document& table = (*tables)[i];
    const std::string prefix = "limit[" + std::to_string(i) + "].";
    std::vector<OptionField> fields;
    auto limit = read_struct<Limit>(reader, table, prefix, fields);
    std::vector<std::string_view> keys = names_of(fields);
    keys.emplace_back("metric");
    reader.check_keys(table, prefix, keys);
    reader.read(table, prefix, "metric", limit.metric);
    for (const char* key : {"metric", "max"}) reader.note_line(prefix + key, table);
    limits.push_back(std::move(limit));
  }
  reader.complain(violations(limits));
  return limits;
}

Document limits_document(const std::vector<Limit>& limits) {
  Document::List tables;
  for (const Limit& limit : limits) {
    Document table;
    table.set("metric", limit.metric);
    const Document options = document_of(values_of(limit), fields_of(limit));
    for (const auto& [name, value] : *options.as_table()) table.set(name, value);
    tables.push_back(std::move(table));
  }
  return tables;
}

Budget read_budget(DocumentReader& reader, const Document& root) {
  const Document* table = reader.read_table(root, "budget");
  if (table == nullptr) return {};
  std::vector<OptionField> fields;
  const auto budget = read_struct<Budget>(reader, *table, "budget.", fields);
  reader.check_keys(*table, "budget.", names_of(fields));
  return budget;
}

Document system_document(const SystemSpecification& system) {
  Document table;
  visit_fields_of(system, [&]<class Member>(const Field& field, const Member& member) {
    if constexpr (std::is_same_v<Member, bool>) {
      if (member) table.set(field.name, true);
    } else if constexpr (std::is_same_v<Member, std::optional<std::string>>) {
      if (member) table.set(field.name, *member);
    } else if (member) {
      const auto* command = std::get_if<std::string>(&*member);
      table.set(field.name,
                command != nullptr ? Document(*command) : document_of(std::get<1>(*member)));
    }
  });
  const Document options = document_of(values_of(system.options), fields_of(system.options));
  for (const auto& [name, value] : *options.as_table()) table.set(name, value);
  return table;
}

Document budget_document(const Budget& budget) {
  return document_of(values_of(budget), fields_of(budget));
}

}  // namespace canopy
