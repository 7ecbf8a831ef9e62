#include "service/catalogue.hpp"

#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/space.hpp"
#include "canopy/study_specification.hpp"

#include "files/json.hpp"
#include "studies/stored_specification.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace canopy::service {
namespace {

Document value_of(const OptionValue& value) {
  return std::visit(
      []<class Value>(const Value& each) -> Document {
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return {};
        } else {
          return each;
        }
      },
      value);
}

/// An option: its name, help, default and valid values.
Document option_document(const OptionField& field) {
  using Kind = OptionField::Kind;
  const char* kind = field.kind == Kind::word    ? "word"
                     : field.kind == Kind::whole ? "whole"
                                                 : "real";
  Document option = Document::Table{{"name", field.name},
                                    {"help", field.help},
                                    {"kind", kind},
                                    {"default", value_of(field.standard)},
                                    {"must_be", field.must_be()}};
  if (!field.words.empty()) {
    option.set("words", Document::List(field.words.begin(), field.words.end()));
  }
  if (!field.unset.empty()) option.set("unset", field.unset);
  return option;
}

Document options_document(const std::vector<OptionField>& fields) {
  Document::List options;
  for (const OptionField& field : fields) options.push_back(option_document(field));
  return options;
}

/// The fields of a kind of parameter, and their defaults.
Document fields_document(const Domain& domain) {
  Document::List list;
  visit_fields_of(domain, [&]<class Member>(const Field& field, const Member& member) {
    Document standard;
    Document::List words;
    if constexpr (std::is_enum_v<Member>) {
      standard = name_of(member);
      words.assign(EnumNames<Member>::names.begin(), EnumNames<Member>::names.end());
    } else if constexpr (std::is_arithmetic_v<Member>) {
      standard = member;
    }
    Document each = Document::Table{{"name", field.name},
                                    {"help", field.help},
                                    {"default", field.required ? Document() : standard},
                                    {"required", field.required}};
    if (!words.empty()) each.set("words", std::move(words));
    list.push_back(std::move(each));
  });
  return list;
}

/// The specification with all defaults filled in, as a new study stores it.
Document complete(const Document& specification) {
  StudySpecification study = parse_stored_study(json_text(specification), "specification");
  if (optimizers().find(study.optimizer.name) != nullptr) study = resolved(std::move(study));
  return parse_json(json_of(study), "specification");
}

bool is_default(const Document& specification, const char* section, std::string_view option) {
  Document without = specification;
  without.find(section)->erase(option);
  try {
    const Document completed = complete(without);
    const Document* value = completed.find(section)->find(option);
    return value != nullptr && *value == *specification.find(section)->find(option);
  } catch (const SpecificationError&) {
    return false;  // the other options depend on it
  } catch (const ConfigurationError&) {
    return false;
  }
}

}  // namespace

Document options_of(const std::string& specification) {
  static constexpr std::array<std::string_view, 5> kNotOptions{"name", "revision", "apply",
                                                               "measure", "process"};
  const Document study = parse_json(specification, "specification");
  Document sections{Document::Table{}};
  for (const char* section : {"optimizer", "system"}) {
    const Document* table = study.find(section);
    Document::List options;
    for (const auto& [name, value] : table != nullptr ? *table->as_table() : Document::Table{}) {
      if (std::find(kNotOptions.begin(), kNotOptions.end(), name) != kNotOptions.end()) continue;
      options.push_back(Document::Table{
          {"name", name}, {"value", value}, {"is_default", is_default(study, section, name)}});
    }
    sections.set(section, std::move(options));
  }
  return sections;
}

Document catalogue_document() {
  Document::List algorithms;
  for (const std::string_view name : optimizers().names()) {
    const OptimizerEntry& entry = optimizers().at(name);
    algorithms.push_back(Document::Table{{"name", entry.name},
                                         {"line", entry.line},
                                         {"revision", entry.revision},
                                         {"has_tree", entry.has_tree},
                                         {"parts", entry.parts},
                                         {"options", options_document(entry.fields)}});
  }
  Document::List known;
  for (const std::string_view name : environments().names()) {
    const EnvironmentEntry& entry = environments().at(name);
    known.push_back(Document::Table{
        {"name", entry.name}, {"line", entry.line}, {"options", options_document(entry.fields)}});
  }
  Document::List kinds;
  for (const std::string_view name : Domain::names()) {
    kinds.push_back(
        Document::Table{{"type", name}, {"fields", fields_document(*Domain::named(name))}});
  }
  return Document::Table{
      {"optimizers", std::move(algorithms)},
      {"environments", std::move(known)},
      {"parameters", std::move(kinds)},
      {"system", options_document(fields_of<SystemOptions>())},
      {"baseline", options_document(fields_of<Baseline>())},
      {"budget", options_document(fields_of<Budget>())},
      {"limit", options_document(fields_of<Limit>())},
      {"defaults", Document::Table{{"optimizer", kDefaultOptimizer},
                                   {"parameter", Domain().name()},
                                   {"direction", name_of(Objective{}.direction)}}}};
}

}  // namespace canopy::service
