#include "studies/specification.hpp"

#include "canopy/errors.hpp"

#include "core/alternatives.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <toml++/toml.h>

namespace canopy {
namespace {

std::string value_text(const toml::node& node) {
  if (node.is_table()) return "{...}";
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  std::string line = text.str();
  if (line.size() > 60) line = line.substr(0, 57) + "...";
  return line;
}

/// Reads keys out of tables, remembers where they stood and collects what is wrong with them.
class Reader {
 public:
  explicit Reader(std::string source) : source_(std::move(source)) {}

  /// Complains about keys that are not in `known`.
  void check_keys(const toml::table& table, const std::string& prefix,
                  std::span<const std::string_view> known) {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      complain(prefix + std::string(key.str()), &node, unknown_name("key", key.str(), known));
    }
  }

  void read(const toml::table& table, const std::string& prefix, std::string_view key,
            double& into) {
    if (const auto number = get<double>(table, prefix, key, "must be a number")) into = *number;
  }

  void read(const toml::table& table, const std::string& prefix, std::string_view key,
            std::optional<double>& into) {
    if (const auto number = get<double>(table, prefix, key, "must be a number")) into = number;
  }

  void read(const toml::table& table, const std::string& prefix, std::string_view key,
            std::int64_t& into) {
    const auto number = get<std::int64_t>(table, prefix, key, "must be a whole number");
    if (number) into = *number;
  }

  void read(const toml::table& table, const std::string& prefix, std::string_view key,
            std::uint64_t& into) {
    const std::string expected = "must be a whole number, 0 or more";
    const auto number = get<std::int64_t>(table, prefix, key, expected);
    if (number && *number < 0) complain(prefix + std::string(key), table.get(key), expected);
    if (number && *number >= 0) into = static_cast<std::uint64_t>(*number);
  }

  void read(const toml::table& table, const std::string& prefix, std::string_view key,
            std::optional<std::uint64_t>& into) {
    if (table.contains(key)) read(table, prefix, key, into.emplace(1));
  }

  void read(const toml::table& table, const std::string& prefix, std::string_view key,
            std::string& into) {
    if (auto text = get<std::string>(table, prefix, key, "must be a string")) {
      into = std::move(*text);
    }
  }

  template <class Enum>
  requires std::is_enum_v<Enum>
  void read(const toml::table& table, const std::string& prefix, std::string_view key, Enum& into) {
    const auto text = get<std::string>(table, prefix, key, must_be_named<Enum>());
    if (!text) return;
    if (const auto value = value_named<Enum>(*text)) {
      into = *value;
    } else {
      complain(prefix + std::string(key), table.get(key), must_be_named<Enum>());
    }
  }

  /// The same for an option that may be left without a value, if there is a word for that.
  template <class Member>
  void read_field(const toml::table& table, const std::string& prefix, const Field& field,
                  Member& into) {
    const toml::node* node = table.get(field.name);
    if (node != nullptr && !field.unset.empty()) {
      if (node->value_exact<std::string>() == field.unset) {
        into = Member{};
        return;
      }
      if (node->is_string()) {
        complain(prefix + std::string(field.name), node,
                 "must be a number or \"" + std::string(field.unset) + '"');
        return;
      }
    }
    read(table, prefix, field.name, into);
  }

  /// A key of some table, or a complaint that it is missing.
  bool require(const toml::table& table, const std::string& prefix, std::string_view key) {
    if (table.contains(key)) return true;
    complain(prefix + std::string(key), nullptr, "is missing", &table);
    return false;
  }

  void complain(const std::string& field, const toml::node* node, std::string expected,
                const toml::node* near = nullptr) {
    if (const toml::node* place = node != nullptr ? node : near) note_line(field, *place);
    violations_.push_back({field, node != nullptr ? value_text(*node) : "", std::move(expected)});
  }

  void complain(const std::vector<Violation>& violations) {
    violations_.insert(violations_.end(), violations.begin(), violations.end());
  }

  void note_line(const std::string& field, const toml::node& node) {
    lines_.emplace_back(field, node.source().begin.line);
  }

  [[nodiscard]] std::size_t complaints() const { return violations_.size(); }

  void throw_if_any() const {
    if (violations_.empty()) return;
    std::string message;
    for (const Violation& violation : violations_) {
      if (!message.empty()) message += "; ";
      message += source_;
      for (const auto& [field, line] : lines_) {
        if (field != violation.field) continue;
        message += ":" + std::to_string(line);
        break;
      }
      message += ": " + violation.text();
    }
    throw SpecificationError(message);
  }

 private:
  /// The value of a key, if it is there and of the right type; complains if only the latter fails.
  template <class T>
  std::optional<T> get(const toml::table& table, const std::string& prefix, std::string_view key,
                       const std::string& expected) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    note_line(prefix + std::string(key), *node);
    std::optional<T> value;
    if constexpr (std::is_same_v<T, double>) {
      if (node->is_number()) value = node->value<double>();
    } else {
      value = node->value_exact<T>();
    }
    if (!value) complain(prefix + std::string(key), node, expected);
    return value;
  }

  std::string source_;
  std::vector<Violation> violations_;
  std::vector<std::pair<std::string, toml::source_index>> lines_;
};

constexpr std::array<std::string_view, 4> kTopKeys{"direction", "reward_range", "optimizer",
                                                   "space"};

Objective read_objective(Reader& reader, const toml::table& root) {
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

OptimizerChoice read_optimizer(Reader& reader, const toml::table& root) {
  OptimizerChoice choice;
  const toml::node* node = root.get("optimizer");
  if (node == nullptr) return choice;
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    reader.complain("optimizer", node, "must be a table: [optimizer]");
    return choice;
  }
  const std::string prefix = "optimizer.";
  std::string name = "hct";
  reader.read(*table, prefix, "name", name);
  const auto named = alternative_named<OptimizerOptions, OptimizerEntry>(name);
  if (!named) {
    const auto known = names_of_all<OptimizerOptions, OptimizerEntry>();
    reader.complain("optimizer.name", table->get("name"), unknown_name("optimizer", name, known));
    return choice;
  }
  choice.options = *named;
  std::vector<std::string_view> known{"name"};
  std::visit(
      [&](auto& options) {
        if constexpr (searches_a_tree<OptimizerOf<decltype(options)>>) {
          known.push_back("partition");
          reader.read(*table, prefix, "partition", choice.partition);
        }
        visit_fields(options, [&](const Field& field, auto& member) {
          known.push_back(field.name);
          reader.read_field(*table, prefix, field, member);
        });
        reader.complain(field_violations(options, prefix));
      },
      choice.options);
  reader.check_keys(*table, prefix, known);
  return choice;
}

Choice read_choice(Reader& reader, const toml::table& table, const std::string& prefix) {
  Choice choice;
  if (!reader.require(table, prefix, "choices")) return choice;
  const toml::node& node = *table.get("choices");
  reader.note_line(prefix + "choices", node);
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& value : *list) {
      if (const auto text = value.value_exact<std::string>()) choice.choices.push_back(*text);
    }
    if (choice.choices.size() == list->size()) return choice;
  }
  reader.complain(prefix + "choices", &node, "must be a list of strings (quote numbers)");
  return choice;
}

/// The domain of one [[space]] table of a known type.
std::variant<Real, Integer, Choice> read_domain(Reader& reader, const toml::table& table,
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

std::vector<Parameter> read_parameters(Reader& reader, const toml::array& tables) {
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
std::optional<Space> read_space(Reader& reader, const toml::table& root) {
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

toml::table parse_toml(std::string_view text, const std::string& source) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw SpecificationError(source + ":" + std::to_string(at.line) + ":" +
                             std::to_string(at.column) +
                             ": no valid TOML: " + std::string(error.description()));
  }
}

}  // namespace

StudySpecification parse_study(std::string_view toml, const std::string& source) {
  const toml::table root = parse_toml(toml, source);
  Reader reader(source);
  reader.check_keys(root, "", kTopKeys);
  const Objective objective = read_objective(reader, root);
  const OptimizerChoice optimizer = read_optimizer(reader, root);
  const std::optional<Space> space = read_space(reader, root);
  reader.throw_if_any();
  return {space.value(), optimizer.options, optimizer.partition, objective};
}

StudySpecification load_study(const std::string& path) {
  const auto unreadable = [&](const std::string& why) {
    return SpecificationError(path + ": cannot be read: " + why);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw unreadable("it is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw unreadable(std::generic_category().message(errno));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw unreadable(std::generic_category().message(errno));
  return parse_study(text, path);
}

std::unique_ptr<Optimizer> make_optimizer(const StudySpecification& study) {
  return make_optimizer(study.optimizer, study.space, study.partition, study.objective);
}

}  // namespace canopy
