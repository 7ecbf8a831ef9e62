#include "files/schema.hpp"

#include <utility>

namespace canopy {
namespace {

Document typed(std::string_view type) {
  return Document::Table{{"type", type}};
}

Document reference_to(std::string_view schema) {
  return Document::Table{{"$ref", "#/components/schemas/" + std::string(schema)}};
}

}  // namespace

void SchemaWriter::operator()(const ArmField& field, const std::vector<double>& /*arm*/) {
  add(field.coordinates, "", reference_to("Coordinates"), !field.may_be_missing);
  add(field.name, "", reference_to("Arm"), false);
}

void SchemaWriter::operator()(const ContextField& field, const std::vector<double>& /*context*/) {
  add(field.coordinates, "", reference_to("Coordinates"), !field.may_be_missing);
  add(field.name, field.help, reference_to("Context"), false);
}

void SchemaWriter::operator()(const RewardsField& field, const AnyRewards& /*rewards*/) {
  add("reward", "one, " + std::string(field.help), typed("number"), false);
  add(field.name, "or several, one by one", list_of(typed("number")), false);
  visit_fields_of(Rewards{},
                  [this](const Field& sum, const auto& member) { (*this)(sum.or_none(), member); });
}

void SchemaWriter::operator()(const SettingField& field,
                              const std::optional<std::vector<std::vector<double>>>& /*arms*/) {
  const Document none = typed("null");
  add(field.name, field.help,
      list_of(Document::Table{{"oneOf", Document::List{reference_to("Arm"), none}}}), false);
}

void SchemaWriter::add_arm(const Field& field) {
  add(field.name, field.help, reference_to("Arm"), !field.may_be_missing);
}

void SchemaWriter::add_numbers(const Field& field) {
  add(field.name, field.help, or_null(map_of(typed("number"))), !field.may_be_missing);
}

void SchemaWriter::add_constant(std::string_view name, std::string_view value) {
  add(name, "", Document::Table{{"const", value}}, true);
}

Document SchemaWriter::schema(std::string_view description) const {
  Document object = Document::Table{};
  if (!description.empty()) object.set("description", description);
  object.set("type", "object");
  object.set("properties", properties_);
  object.set("required", required_);
  return object;
}

void SchemaWriter::add(std::string_view name, std::string_view help, Document type, bool required) {
  if (!help.empty()) type.set("description", help);
  properties_.set(name, std::move(type));
  if (required) required_.emplace_back(name);
}

Document SchemaWriter::or_null(Document type) {
  const std::string* name = type.find("type")->as_text();
  type.set("type", Document::List{*name, "null"});
  return type;
}
Document SchemaWriter::map_of(Document type) {
  return Document::Table{{"type", "object"}, {"additionalProperties", std::move(type)}};
}
Document SchemaWriter::list_of(Document type) {
  return Document::Table{{"type", "array"}, {"items", std::move(type)}};
}
Document SchemaWriter::whole_type() {
  return reference_to("Whole");
}
Document SchemaWriter::type_of(double /*number*/) {
  return typed("number");
}
Document SchemaWriter::type_of(bool /*truth*/) {
  return typed("boolean");
}
Document SchemaWriter::type_of(const std::string& /*text*/) {
  return typed("string");
}
Document SchemaWriter::type_of(const std::vector<double>& /*numbers*/) {
  return list_of(typed("number"));
}

Document SchemaWriter::type_of(const std::vector<std::uint64_t>& /*numbers*/) {
  return list_of(whole_type());
}

Document SchemaWriter::type_of(const std::vector<std::string>& /*texts*/) {
  return list_of(typed("string"));
}

Document SchemaWriter::type_of(const std::array<double, 2>& /*ends*/) {
  Document type = list_of(typed("number"));
  type.set("minItems", 2);
  type.set("maxItems", 2);
  return type;
}

Document SchemaWriter::type_of(const std::optional<std::array<double, 2>>& /*ends*/) {
  Document type = type_of(std::array<double, 2>());
  type.set("type", Document::List{"array", "null"});
  return type;
}

Document SchemaWriter::type_of(const std::map<std::string, double>& /*numbers*/) {
  return map_of(typed("number"));
}

}  // namespace canopy
