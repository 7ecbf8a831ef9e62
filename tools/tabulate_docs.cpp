// Writes the tables of the documents that follow from lists of fields: what stands between
// <!-- begin: NAME --> and <!-- end: NAME --> is replaced. With --check nothing is written, and the
// status is 1 if a document is not up to date.

#include "canopy/event.hpp"
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

/// A row of a table of keys.
std::string key_row(std::string_view name, const std::string& standard, std::string_view help) {
  return "| " + code(name) + " | " + standard + " | " + std::string(help) + " |\n";
}

constexpr std::string_view kKeyHead = "| key | default | meaning |\n|---|---|---|\n";

std::string table_of_baseline() {
  std::string table(kKeyHead);
  table += key_row("setting", "", "as a table with every parameter");
  for (const OptionField& field : fields_of<Baseline>()) {
    table += key_row(field.name, text_of(field, field.standard), field.help);
  }
  return table;
}

std::string table_of_system() {
  std::string table(kKeyHead);
  visit_fields_of(SystemSpecification{}, [&]<class Member>(const Field& field, const Member&) {
    table += key_row(field.name, std::is_same_v<Member, bool> ? "`false`" : "", field.help);
  });
  for (const OptionField& field : fields_of<SystemOptions>()) {
    const std::string standard = text_of(field, field.standard);
    table += key_row(field.name, field.words.empty() ? standard : code("\"" + standard + "\""),
                     field.help);
  }
  return table;
}

/// The keys of a table that takes the place of a command; a map has none of its own.
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
  table += key_row("name", "", "not that of a parameter");
  table += key_row("type", code("\"real\""), "or `\"integer\"`, `\"choice\"`: as of a parameter");
  table +=
      key_row("low", "", "as of a parameter, and so are `high`, `scale`, `step` and `choices`");
  table +=
      key_row("period", "",
              "of a real: values that differ by it are the same, as 0 and 360 of an angle are; "
              "`low` and `high` are then 0 and this, and may be left out");
  visit_fields_of(ContextSource{}, [&](const Field& field, const auto& /*member*/) {
    table += key_row(field.name, "", field.help);
  });
  return table;
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
      {"context", table_of_context},
      {"events", table_of_events},
      {"http_apply", table_of_fields<HttpApply>},
      {"prometheus", table_of_fields<PrometheusSource>},
      {"routes", table_of_routes},
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
    return canopy::tabulate({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
