// Generates the tables of the documents from lists of fields: replaces the text between
// <!-- begin: NAME --> and <!-- end: NAME -->. With --check nothing is written, and the exit status
// is 1 if a document is not up to date.

#include "canopy/domain.hpp"
#include "canopy/event.hpp"
#include "canopy/family.hpp"
#include "canopy/limits.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/study_specification.hpp"

#include "service/routes.hpp"

#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace canopy {
namespace {

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

/// The names of an event's fields, as they are sent and exported.
class FieldNames {
 public:
  template <class AnyField, class Member>
  void operator()(const AnyField& field, const Member& /*member*/) {
    if constexpr (std::is_same_v<AnyField, ArmField>) {
      add(field.coordinates, "");
      add(field.name, "");
    } else if constexpr (std::is_same_v<AnyField, ContextField>) {
      add(field.coordinates, "");
      add(field.name, field.help);
    } else if constexpr (std::is_same_v<AnyField, RewardsField>) {
      text_ += text_.empty() ? "" : ", ";
      text_ +=
          "`reward`, or `rewards`, or `count`, `sum`, `squared_deviations` (from the mean), "
          "`min` and `max`";
    } else {
      const bool explains = field.name != "ticket" && field.name != "reward";
      add(field.name, explains ? field.help : "");
    }
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add(std::string_view name, std::string_view help) {
    if (!text_.empty()) text_ += ", ";
    text_ += code(name);
    if (!help.empty()) text_ += " (" + std::string(help) + ")";
  }

  std::string text_;
};

std::string table_of_events() {
  std::string table = "| kind | meaning | fields |\n|---|---|---|\n";
  for (const std::string_view kind : event_kinds()) {
    std::visit(
        [&](const auto& event) {
          FieldNames names;
          visit_fields_of(event, names);
          table +=
              "| " + code(kind) + " | " + std::string(event.kLine) + " | " + names.text() + " |\n";
        },
        event_named(kind).value());
  }
  return table;
}

/// A cell of a table.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : text) safe += c == '|' ? std::string("\\|") : std::string(1, c);
  return safe;
}

/// A row of a table of keys.
std::string key_row(std::string_view name, const std::string& standard, std::string_view must_be,
                    std::string_view help) {
  return "| " + code(name) + " | " + standard + " | " + cell(must_be) + " | " + cell(help) + " |\n";
}

constexpr std::string_view kKeyHead = "| key | default | value | meaning |\n|---|---|---|---|\n";

std::string quoted(std::string_view word) {
  return code("\"" + std::string(word) + "\"");
}

/// Describes the valid values: `"iid"`, `"correlated"`; or in (0, 1).
std::string values_of_field(const OptionField& field) {
  if (field.kind == OptionField::Kind::word) {
    std::string list;
    for (const std::string& word : field.words) list += (list.empty() ? "" : ", ") + quoted(word);
    return list;
  }
  std::string text(field.range.text);
  // These ranges are limited only by what a double can hold.
  if (text == kPositive.text) text = "a number above 0";
  if (text == kNotNegative.text) text = "a number, at least 0";
  if (text == kAnyWhole.text) text = "a whole number, at least 0";
  if (text == kAtLeastOne.text) text = "a whole number, at least 1";
  if (!field.unset.empty()) text += " or " + quoted(field.unset);
  return text;
}

std::string default_of_field(const OptionField& field) {
  const std::string text = text_of(field, field.standard);
  if (text.empty()) return "";
  return std::holds_alternative<std::string>(field.standard) || text == field.unset ? quoted(text)
                                                                                    : code(text);
}

std::string rows_of_options(const std::vector<OptionField>& fields) {
  std::string rows;
  for (const OptionField& field : fields) {
    rows += key_row(field.name, default_of_field(field), values_of_field(field), field.help);
  }
  return rows;
}

std::string table_of_study() {
  std::string table(kKeyHead);
  table += key_row("name", "the file's name", "text", "the name of the study, for `canopy tune`");
  table += key_row("direction", quoted("maximize"), "`\"maximize\"`, `\"minimize\"`",
                   "whether large rewards are good");
  table += key_row("reward_range", quoted("auto"), "`\"auto\"`, or two numbers: `[0.0, 1.0]`",
                   "roughly the range of rewards; by default it is learnt");
  table += key_row("hard_range", code("false"), "`true`, `false`",
                   "no reward can be outside of `reward_range`; intervals then hold for any "
                   "distribution");
  table += key_row("confidence", code("0.95"), "in (0, 1)", "the level of intervals");
  table += key_row("format", "the current one", "a whole number",
                   "the version of these keys; `canopy studies show` writes it, other files need "
                   "not have it");
  return table;
}

std::string table_of_parameters() {
  std::string table = "| type | key | default | value | meaning |\n|---|---|---|---|---|\n";
  for (const std::string_view name : Domain::names()) {
    visit_fields_of(
        *Domain::named(name), [&]<class Member>(const Field& field, const Member& member) {
          std::string standard;
          std::string values = "a list of texts";
          if constexpr (std::is_enum_v<Member>) {
            standard = quoted(name_of(member));
            values.clear();
            for (const std::string_view each : EnumNames<Member>::names) {
              values += (values.empty() ? "" : ", ") + quoted(each);
            }
          } else if constexpr (std::is_arithmetic_v<Member>) {
            std::ostringstream text;
            text << member;
            standard = code(text.str());
            values = std::is_integral_v<Member> ? "a whole number" : "a number";
          }
          table += "| " + quoted(name) + " " +
                   key_row(field.name, field.required ? "required" : standard, values, field.help);
        });
  }
  return table;
}

std::string table_of_limit() {
  return std::string(kKeyHead) +
         key_row("metric", "required", "text", "the name of a number that `measure` prints") +
         rows_of_options(fields_of<Limit>());
}

std::string table_of_budget() {
  return std::string(kKeyHead) + rows_of_options(fields_of<Budget>());
}

std::string table_of_baseline() {
  return std::string(kKeyHead) +
         key_row("setting", "required", "a value for every parameter",
                 "the setting to compare with") +
         rows_of_options(fields_of<Baseline>());
}

std::string table_of_system() {
  std::string table(kKeyHead);
  visit_fields_of(SystemSpecification{}, [&]<class Member>(const Field& field, const Member&) {
    constexpr bool kIsSwitch = std::is_same_v<Member, bool>;
    table += key_row(field.name, kIsSwitch ? code("false") : "",
                     kIsSwitch ? "`true`, `false`" : "text", field.help);
  });
  return table + rows_of_options(fields_of<SystemOptions>());
}

/// The keys of a table that replaces a command.
template <class Struct>
std::string table_of_fields() {
  std::string table = "| key | meaning |\n|---|---|\n";
  visit_fields_of(Struct{}, [&](const Field& field, const auto& /*member*/) {
    table += "| " + code(std::string(field.name)) + " | " + std::string(field.help) + " |\n";
  });
  return table;
}

std::string table_of_context() {
  std::string table(kKeyHead);
  table += key_row("name", "required", "text", "not the name of a parameter");
  table += key_row("type", quoted("real"), "`\"real\"`, `\"integer\"`, `\"choice\"`",
                   "as for a parameter");
  table += key_row("low", "required", "a number",
                   "as for a parameter, like `high`, `scale`, `step` and `choices`");
  table +=
      key_row("period", "", "a number",
              "for a real: values that differ by the period are the same, like the angles 0 and "
              "360; `low` and `high` are then 0 and the period, and may be left out");
  visit_fields_of(ContextSource{}, [&](const Field& field, const auto& /*member*/) {
    table += key_row(field.name, "", "text", field.help);
  });
  return table;
}

/// All optimizers: a one-line description of each, and what it supports.
std::string table_of_optimizers() {
  std::string table =
      "| name | what it does | `partition` | contexts | correlated feedback "
      "|\n|---|---|---|---|---|\n";
  const auto yes = [](bool is) { return is ? std::string("yes") : std::string(); };
  for (const OptimizerEntry& entry : optimizers()) {
    table += "| [" + code(entry.name) + "](#" + entry.name + ") | " + cell(entry.line) + " | " +
             yes(entry.has_tree) + " | " + yes(entry.make_in_contexts != nullptr) + " | " +
             yes(entry.takes_correlated_feedback) + " |\n";
  }
  return table;
}

/// The options of every optimizer, each under a heading.
std::string table_of_options() {
  std::string text;
  for (const OptimizerEntry& entry : optimizers()) {
    text += "\n### " + entry.name + "\n\n";
    text += entry.fields.empty() ? std::string("No options.\n")
                                 : std::string(kKeyHead) + rows_of_options(entry.fields);
  }
  return text + "\n";
}

std::string table_of_routes() {
  std::string table = "| route | role | |\n|---|---|---|\n";
  for (const service::Route& route : service::routes()) {
    table += "| " + code(std::string(route.method) + " " + std::string(route.pattern)) + " | " +
             (route.role ? std::string(name_of(*route.role)) : "none") + " | " +
             std::string(route.summary) + " |\n";
  }
  return table;
}

/// The text with every marked table replaced. Throws if an end is missing.
std::string with_tables(std::string text) {
  const std::map<std::string, std::function<std::string()>> tables{
      {"baseline", table_of_baseline},
      {"budget", table_of_budget},
      {"context", table_of_context},
      {"events", table_of_events},
      {"http_apply", table_of_fields<HttpApply>},
      {"prometheus", table_of_fields<PrometheusSource>},
      {"limit", table_of_limit},
      {"optimizers", table_of_optimizers},
      {"options", table_of_options},
      {"parameters", table_of_parameters},
      {"routes", table_of_routes},
      {"study", table_of_study},
      {"system", table_of_system}};
  for (const auto& [name, table] : tables) {
    const std::string begin = "<!-- begin: " + name + " -->\n";
    const std::size_t from = text.find(begin);
    if (from == std::string::npos) continue;
    const std::size_t first = from + begin.size();
    const std::size_t last = text.find("<!-- end: " + name + " -->", first);
    if (last == std::string::npos) throw std::runtime_error("the table " + name + " has no end");
    text.replace(first, last - first, table());
  }
  return text;
}

std::string text_in(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int tabulate(const std::vector<std::string>& arguments) {
  bool checks = false;
  int status = 0;
  for (const std::string& argument : arguments) {
    if (argument == "--check") {
      checks = true;
      continue;
    }
    const std::string before = text_in(argument);
    const std::string after = with_tables(before);
    if (before == after) continue;
    if (checks) {
      std::cerr << argument << ": its tables are not up to date; run make format\n";
      status = 1;
    } else {
      std::ofstream(argument) << after;
    }
  }
  return status;
}

}  // namespace
}  // namespace canopy

int main(int argc, char** argv) {
  try {
    canopy::add_family();
    return canopy::tabulate({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
