#include "studies/specification.hpp"

#include "canopy/errors.hpp"

#include "core/text.hpp"
#include "files/toml_reader.hpp"

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace canopy {
namespace {

constexpr std::array<std::string_view, 7> kTopKeys{
    "name", "direction", "reward_range", "optimizer", "space", "system", "budget"};

Objective read_objective(TomlReader& reader, const toml::table& root) {
  Objective objective;
  reader.read(root, "", "direction", objective.direction);
  if (const toml::node* range = root.get("reward_range")) {
    reader.note_line("reward_range", *range);
    const toml::array* pair = range->as_array();
    if (pair == nullptr || pair->size() != 2 || !pair->get(0)->is_number() ||
        !pair->get(1)->is_number()) {
      reader.complain("reward_range", range, "must be a list of two numbers");
    } else {
      objective.reward_range = {*pair->get(0)->value<double>(), *pair->get(1)->value<double>()};
    }
  }
  reader.complain(violations(objective));
  return objective;
}

struct OptimizerChoice {
  OptimizerOptions options = HctOptions{};
  SplitRule partition = SplitRule::cyclic;
};

OptimizerChoice read_optimizer(TomlReader& reader, const toml::table& root) {
  OptimizerChoice choice;
  const toml::table* table = reader.read_table(root, "optimizer");
  if (table == nullptr) return choice;
  auto [named, keys] = read_alternative<OptimizerOptions, OptimizerEntry>(
      reader, *table, "optimizer.", "optimizer", "hct");
  if (!named) return choice;
  choice.options = *named;
  const bool has_tree = std::visit(
      []<class Options>(const Options&) { return searches_a_tree<OptimizerOf<Options>>; }, *named);
  if (has_tree) {
    keys.emplace_back("partition");
    reader.read(*table, "optimizer.", "partition", choice.partition);
  }
  reader.check_keys(*table, "optimizer.", keys);
  return choice;
}

Choice read_choice(TomlReader& reader, const toml::table& table, const std::string& prefix) {
  Choice choice;
  if (!reader.require(table, prefix, "choices")) return choice;
  const toml::node& node = *table.get("choices");
  reader.note_line(prefix + "choices", node);
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& value : *list) {
      const auto text = value.value_exact<std::string>();
      if (text && text->find('\0') == std::string::npos) choice.choices.push_back(*text);
    }
    if (choice.choices.size() == list->size()) return choice;
  }
  reader.complain(prefix + "choices", &node,
                  "must be a list of strings (quote numbers) without zero bytes");
  return choice;
}

/// The domain of one [[space]] table of a known type.
std::variant<Real, Integer, Choice> read_domain(TomlReader& reader, const toml::table& table,
                                                const std::string& prefix, std::string_view type) {
  static constexpr std::array<std::string_view, 5> real_keys{"name", "type", "low", "high",
                                                             "scale"};
  static constexpr std::array<std::string_view, 3> choice_keys{"name", "type", "choices"};
  if (type == "choice") {
    reader.check_keys(table, prefix, choice_keys);
    return read_choice(reader, table, prefix);
  }
  reader.require(table, prefix, "low");
  reader.require(table, prefix, "high");
  if (type == "integer") {
    reader.check_keys(table, prefix, std::span(real_keys).first(4));
    Integer integer;
    reader.read(table, prefix, "low", integer.low);
    reader.read(table, prefix, "high", integer.high);
    return integer;
  }
  reader.check_keys(table, prefix, real_keys);
  Real real;
  reader.read(table, prefix, "low", real.low);
  reader.read(table, prefix, "high", real.high);
  reader.read(table, prefix, "scale", real.scale);
  return real;
}

std::vector<Parameter> read_parameters(TomlReader& reader, const toml::array& tables) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const toml::table& table = *tables.get(i)->as_table();
    std::string prefix = "space[" + std::to_string(i) + "].";
    Parameter parameter;
    if (reader.require(table, prefix, "name")) {
      reader.read(table, prefix, "name", parameter.name);
      if (!parameter.name.empty()) prefix = "space." + parameter.name + ".";
    }
    std::string type = "real";
    reader.read(table, prefix, "type", type);
    if (type == "real" || type == "integer" || type == "choice") {
      parameter.domain = read_domain(reader, table, prefix, type);
    } else {
      reader.complain(prefix + "type", table.get("type"),
                      R"(must be "real", "integer" or "choice")");
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

/// None when something was wrong with it.
std::optional<Space> read_space(TomlReader& reader, const toml::table& root) {
  const toml::node* node = root.get("space");
  const toml::array* tables = node != nullptr ? node->as_array() : nullptr;
  if (tables == nullptr || !tables->is_array_of_tables()) {
    reader.complain("space", node, "must be one or more [[space]] tables");
    return std::nullopt;
  }
  const std::size_t complaints = reader.complaints();
  std::vector<Parameter> parameters = read_parameters(reader, *tables);
  if (reader.complaints() != complaints) return std::nullopt;
  try {
    return Space(std::move(parameters));
  } catch (const ConfigurationError& error) {
    reader.complain(error.violations());
    return std::nullopt;
  }
}

std::string domain_text(const Real& real) {
  return std::string("real from ") + to_text(real.low) + " to " + to_text(real.high) +
         (real.scale == Scale::log ? " on a log scale" : "");
}
std::string domain_text(const Integer& integer) {
  return "integer from " + std::to_string(integer.low) + " to " + std::to_string(integer.high);
}
std::string domain_text(const Choice& choice) {
  std::string text = "one of";
  for (const std::string& each : choice.choices) text += " \"" + each + "\"";
  return text;
}

/// Every option of the optimizer, seeds too.
template <class Options>
void add_options(std::map<std::string, std::string>& fields, const Options& options) {
  visit_fields(options, [&](const Field& field, const auto& member) {
    fields["optimizer." + std::string(field.name)] = field_text(field, member);
  });
}

}  // namespace

StudySpecification parse_study(std::string_view toml, const std::string& source) {
  const toml::table root = parse_toml(toml, source);
  TomlReader reader(source);
  reader.check_keys(root, "", kTopKeys);
  std::string name;
  reader.read(root, "", "name", name);
  const Objective objective = read_objective(reader, root);
  const OptimizerChoice optimizer = read_optimizer(reader, root);
  const std::optional<Space> space = read_space(reader, root);
  std::optional<SystemSpecification> system;
  if (space) system = read_system(reader, root, *space);
  const Budget budget = read_budget(reader, root);
  reader.throw_if_any();
  return {
      name,  space.value(), optimizer.options, optimizer.partition, objective, std::move(system),
      budget};
}

StudyFile load_study_file(const std::string& path) {
  std::string source = read_file(path);
  return {parse_study(source, path), std::move(source)};
}

StudySpecification load_study(const std::string& path) {
  return load_study_file(path).study;
}

std::map<std::string, std::string> learning_fields(const StudySpecification& study) {
  std::map<std::string, std::string> fields;
  fields["direction"] = name_of(study.objective.direction);
  fields["reward_range"] = "[" + to_text(study.objective.reward_range[0]) + ", " +
                           to_text(study.objective.reward_range[1]) + "]";
  fields["optimizer.name"] = name_of_alternative<OptimizerEntry>(study.optimizer);
  fields["optimizer.partition"] = name_of(study.partition);
  std::visit(
      [&](const auto& options) {
        add_options(fields, filled_in(options, study.space.dimension()));
      },
      study.optimizer);
  for (std::size_t i = 0; i < study.space.dimension(); ++i) {
    const Parameter& parameter = study.space.parameters()[i];
    fields["space." + parameter.name] =
        "number " + std::to_string(i + 1) + ", " +
        std::visit([](const auto& domain) { return domain_text(domain); }, parameter.domain);
  }
  return fields;
}

std::unique_ptr<Optimizer> make_optimizer(const StudySpecification& study) {
  return make_optimizer(study.optimizer, study.space, study.partition, study.objective);
}

}  // namespace canopy
