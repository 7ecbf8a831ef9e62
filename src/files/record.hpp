#pragma once
// Converts structs with a field list (canopy/options.hpp) to documents and back, reporting every
// mistake by field.

#include "canopy/enum_names.hpp"
#include "canopy/options.hpp"
#include "canopy/rewards.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"
#include "files/document_reader.hpp"
#include "files/names.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace canopy {

/// Writes the fields of a struct into a table; nested structs become nested tables. Infinities and
/// NaN become null. The arm of an event is written as its exact coordinates and, if it is in the
/// space, also by parameter names: `"coordinates":[0.5],"arm":{"x":0.5}`. The context of an event
/// is written in the same way.
class RecordWriter {
 public:
  RecordWriter(const Names& names, Document& table) : names_(names), table_(table) {}

  template <class Member>
  void operator()(const Field& field, const Member& member) {
    if (field.may_be_missing && is_empty(member)) return;
    table_.set(field.name, value_of(member));
  }
  void operator()(const ArmField& field, const std::vector<double>& arm);
  void operator()(const ContextField& field, const std::vector<double>& context);
  void operator()(const RewardsField& field, const AnyRewards& rewards);
  void operator()(const SettingField& field,
                  const std::optional<std::vector<std::vector<double>>>& arms);
  template <class Coordinates>
  void operator()(const SettingField& field, const Coordinates& arm) {
    if (!field.may_be_missing || !arm.empty()) set_arm(field, arm);
  }
  template <class Numbers>
  void operator()(const PerParameterField& field, const Numbers& numbers) {
    set_numbers(field, numbers);
  }

 private:
  void set_arm(const Field& field, Arm arm);
  void set_numbers(const Field& field, const std::vector<double>& numbers);

  template <class Whole>
  requires(std::is_unsigned_v<Whole> && !std::is_same_v<Whole, bool>) static Document
      value_of(Whole whole) {
    return whole_document(whole);
  }
  static Document whole_document(std::uint64_t whole);
  static Document value_of(double number) {
    return std::isfinite(number) ? Document(number) : Document();
  }
  static Document value_of(bool truth) { return truth; }
  static Document value_of(const std::string& text) { return text; }
  static Document value_of(const std::vector<double>& numbers);
  static Document value_of(const std::vector<std::uint64_t>& numbers);
  static Document value_of(const std::vector<std::string>& texts);
  static Document value_of(const std::array<double, 2>& ends);
  static Document value_of(const std::optional<std::array<double, 2>>& ends);
  static Document value_of(const std::map<std::string, double>& numbers);
  template <class Enum>
  requires std::is_enum_v<Enum>
  static Document value_of(Enum value) { return name_of(value); }
  template <HasFields Struct>
  [[nodiscard]] Document value_of(const Struct& fields) const {
    Document table = Document::Table{};
    visit_fields_of(fields, RecordWriter(names_, table));
    return table;
  }
  template <class Value>
  [[nodiscard]] Document value_of(const std::optional<Value>& value) const {
    return value ? value_of(*value) : Document();
  }
  template <HasFields Struct>
  [[nodiscard]] Document value_of(const std::vector<Struct>& all) const {
    Document::List list;
    for (const Struct& each : all) list.push_back(value_of(each));
    return list;
  }
  template <HasFields Struct>
  [[nodiscard]] Document value_of(const std::map<std::string, Struct>& all) const {
    Document table = Document::Table{};
    for (const auto& [name, each] : all) table.set(name, value_of(each));
    return table;
  }

  Names names_;
  Document& table_;
};

/// Writes a struct with a field list as a document.
template <HasFields Struct>
[[nodiscard]] Document record_of(const Names& names, const Struct& fields) {
  Document table = Document::Table{};
  visit_fields_of(fields, RecordWriter(names, table));
  return table;
}

/// Reads the fields of a struct from a table. Mistakes are reported to the reader; a field with a
/// mistake keeps its previous value.
class RecordReader {
 public:
  /// Fields are named in complaints with this `prefix`, such as `events[3].`
  RecordReader(const Names& names, const Document& table, DocumentReader& reader,
               const std::string& prefix)
      : names_(names), table_(table), reader_(reader), prefix_(prefix) {}

  template <class Member>
  void operator()(const Field& field, Member& member) {
    known_.push_back(field.name);
    const Document* value = table_.find(field.name);
    if (value == nullptr && field.may_be_missing) return;
    if (reader_.require(table_, prefix_, field.name)) read(field, *value, member);
  }
  void operator()(const ArmField& field, std::vector<double>& arm);
  void operator()(const ContextField& field, std::vector<double>& context);
  void operator()(const RewardsField& field, AnyRewards& rewards);

  /// Complains about keys that are neither fields nor among `others`.
  void check_keys(std::initializer_list<std::string_view> others);

 private:
  void read(const Field& field, const Document& value, std::uint64_t& into);
  void read(const Field& field, const Document& value, double& into);
  void read(const Field& field, const Document& value, std::vector<double>& into);
  void read(const Field& field, const Document& value, std::optional<std::array<double, 2>>& into);
  void read(const Field& field, const Document& value, std::map<std::string, double>& into);
  template <class Other>  // a string, a boolean or an enum name
  void read(const Field& field, const Document& /*value*/, Other& into) {
    reader_.read(table_, prefix_, field.name, into);
  }
  void complain(std::string_view name, const Document* value, std::string expected);
  template <class ReadNamed>
  void read_coordinates(const Field& field, std::string_view coordinates_key,
                        std::vector<double>& into, const ReadNamed& read_named);
  void read_number(const std::string& name, const Document& value, double& into);
  void read_numbers(const std::string& name, const Document& value, std::vector<double>& into);

  Names names_;
  const Document& table_;
  DocumentReader& reader_;
  const std::string& prefix_;
  std::vector<std::string_view> known_;
};

}  // namespace canopy
