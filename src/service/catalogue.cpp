#include "service/catalogue.hpp"

#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/space.hpp"
#include "canopy/study_specification.hpp"

#include <string>
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

/// An option: what it is called and means, its default, and what it may be.
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
    if constexpr (std::is_enum_v<Member>) {
      standard = name_of(member);
    } else if constexpr (std::is_arithmetic_v<Member>) {
      standard = member;
    }
    list.push_back(Document::Table{{"name", field.name},
                                   {"help", field.help},
                                   {"default", field.required ? Document() : standard},
                                   {"required", field.required}});
  });
  return list;
}

}  // namespace

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
  return Document::Table{{"optimizers", std::move(algorithms)},
                         {"environments", std::move(known)},
                         {"parameters", std::move(kinds)},
                         {"system", options_document(fields_of<SystemOptions>())}};
}

}  // namespace canopy::service
