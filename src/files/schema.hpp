#pragma once
// Converts structs with a field list (canopy/options.hpp) to JSON schemas.

#include "canopy/enum_names.hpp"
#include "canopy/options.hpp"
#include "canopy/rewards.hpp"

#include "files/document.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace canopy {

/// Collects the properties of an object from the fields of a struct. It refers to the schemas
/// Whole, Coordinates, Arm and Context, which the enclosing document must define.
class SchemaWriter {
 public:
  template <class Member>
  void operator()(const Field& field, const Member& member) {
    Document type = type_of(member);
    if (field.may_be_null) type = or_null(std::move(type));
    add(field.name, field.help, std::move(type), !field.may_be_missing);
  }
  void operator()(const ArmField& field, const std::vector<double>& arm);
  void operator()(const ContextField& field, const std::vector<double>& context);
  void operator()(const RewardsField& field, const AnyRewards& rewards);
  void operator()(const SettingField& field,
                  const std::optional<std::vector<std::vector<double>>>& arms);
  template <class Coordinates>
  void operator()(const SettingField& field, const Coordinates& /*arm*/) {
    add_arm(field);
  }
  template <class Numbers>
  void operator()(const PerParameterField& field, const Numbers& /*numbers*/) {
    add_numbers(field);
  }

  /// Adds a required property with a constant value.
  void add_constant(std::string_view name, std::string_view value);

  /// The schema of the object.
  [[nodiscard]] Document schema(std::string_view description) const;

 private:
  void add(std::string_view name, std::string_view help, Document type, bool required);

  void add_arm(const Field& field);
  void add_numbers(const Field& field);
  static Document or_null(Document type);

  template <class Whole>
  requires(std::is_unsigned_v<Whole> && !std::is_same_v<Whole, bool>) static Document
      type_of(Whole /*whole*/) {
    return whole_type();
  }
  static Document whole_type();
  static Document type_of(double number);
  static Document type_of(bool truth);
  static Document type_of(const std::string& text);
  static Document type_of(const std::vector<double>& numbers);
  static Document type_of(const std::vector<std::uint64_t>& numbers);
  static Document type_of(const std::vector<std::string>& texts);
  static Document type_of(const std::array<double, 2>& ends);
  static Document type_of(const std::optional<std::array<double, 2>>& ends);
  static Document type_of(const std::map<std::string, double>& numbers);
  template <class Enum>
  requires std::is_enum_v<Enum>
  static Document type_of(Enum /*value*/) {
    const auto& names = EnumNames<Enum>::names;
    return Document::Table{{"enum", Document::List(names.begin(), names.end())}};
  }

  template <HasFields Struct>
  static Document type_of(const Struct& fields) {
    SchemaWriter writer;
    visit_fields_of(fields, writer);
    return writer.schema("");
  }
  template <class Value>
  static Document type_of(const std::optional<Value>& /*value*/) {
    return type_of(Value{});
  }
  template <HasFields Struct>
  static Document type_of(const std::vector<Struct>& /*all*/) {
    return list_of(type_of(Struct{}));
  }
  template <HasFields Struct>
  static Document type_of(const std::map<std::string, Struct>& /*all*/) {
    return map_of(type_of(Struct{}));
  }
  static Document map_of(Document type);
  static Document list_of(Document type);

  Document properties_ = Document::Table{};
  Document::List required_;
};

/// The schema of a struct with a field list.
template <HasFields Struct>
[[nodiscard]] Document schema_of(std::string_view description) {
  SchemaWriter writer;
  visit_fields_of(Struct{}, writer);
  return writer.schema(description);
}

}  // namespace canopy
