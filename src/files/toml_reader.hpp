#pragma once

#include "canopy/errors.hpp"

#include "core/alternatives.hpp"
#include "core/enum_names.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <toml++/toml.h>

namespace canopy {

/// A file that cannot be read as what it should be. The message is a single line that names the
/// file, the line in it, the key, its value and what was expected; every mistake, unless the text
/// is no TOML.
class SpecificationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text of a file. Throws SpecificationError.
[[nodiscard]] std::string read_file(const std::string& path);

/// Parses TOML; `source` names it in messages. Throws SpecificationError with line and column.
[[nodiscard]] toml::table parse_toml(std::string_view text, const std::string& source);

/// Reads keys out of tables, remembers where they stood and collects what is wrong with them.
/// Fields in complaints are named `prefix` and the key.
class TomlReader {
 public:
  explicit TomlReader(std::string source) : source_(std::move(source)) {}

  /// Complains about keys that are not in `known`.
  void check_keys(const toml::table& table, const std::string& prefix,
                  std::span<const std::string_view> known);
  /// Reads a key, if it is there.
  void read(const toml::table& table, const std::string& prefix, std::string_view key,
            double& into);
  void read(const toml::table& table, const std::string& prefix, std::string_view key,
            std::int64_t& into);
  void read(const toml::table& table, const std::string& prefix, std::string_view key,
            std::uint64_t& into);
  void read(const toml::table& table, const std::string& prefix, std::string_view key,
            std::string& into);
  void read(const toml::table& table, const std::string& prefix, std::string_view key, bool& into);

  /// The table of a key, if it is there and one.
  [[nodiscard]] const toml::table* read_table(const toml::table& table, std::string_view key);

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

  /// Reads an option, if it is there: a number, a name, or the word for no value.
  template <class Member>
  void read_field(const toml::table& table, const std::string& prefix, const Field& field,
                  Member& into) {
    if constexpr (std::is_enum_v<Member>) {
      read(table, prefix, field.name, into);
    } else {
      const toml::node* node = table.get(field.name);
      if (node == nullptr) return;
      note_line(prefix + std::string(field.name), *node);
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      const double number = node->is_number() ? node->value<double>().value_or(kNone) : kNone;
      if (!field.unset.empty() && node->value_exact<std::string>() == field.unset) {
        into = Member{};
      } else if (fits(number, into)) {
        set(into, number);
      } else {
        complain(prefix + std::string(field.name), node, must_be(field));
      }
    }
  }

  /// A key of some table, or a complaint that it is missing.
  bool require(const toml::table& table, const std::string& prefix, std::string_view key);

  void complain(const std::string& field, const toml::node* node, std::string expected,
                const toml::node* near = nullptr);

  void complain(const std::vector<Violation>& violations);

  void note_line(const std::string& field, const toml::node& node);

  [[nodiscard]] std::size_t complaints() const { return violations_.size(); }

  /// Throws SpecificationError with all of it.
  void throw_if_any() const;

 private:
  /// Whether a number is whole, where a whole number is wanted.
  static bool fits(double number, const double& /*into*/) { return !std::isnan(number); }
  static bool fits(double number, const std::uint64_t& /*into*/) {
    return number >= 0.0 && number <= 0x1p53 && std::floor(number) == number;
  }
  template <class Value>
  static bool fits(double number, const std::optional<Value>& /*into*/) {
    return fits(number, Value{});
  }

  static void set(double& into, double number) { into = number; }
  static void set(std::uint64_t& into, double number) { into = static_cast<std::uint64_t>(number); }
  template <class Value>
  static void set(std::optional<Value>& into, double number) {
    set(into.emplace(), number);
  }

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

/// What a table names, with its options, and the keys that it may have.
template <class Variant>
struct NamedAlternative {
  std::optional<Variant> options;  ///< None when there is no such name.
  std::vector<std::string_view> keys{"name"};
};

/// Reads the key `name` out of a table, with `name` as its default, and the options of what it
/// names. The keys are left to be checked.
template <class Variant, template <class> class Entry>
[[nodiscard]] NamedAlternative<Variant> read_alternative(TomlReader& reader,
                                                         const toml::table& table,
                                                         const std::string& prefix,
                                                         std::string_view kind, std::string name) {
  reader.read(table, prefix, "name", name);
  NamedAlternative<Variant> result{alternative_named<Variant, Entry>(name)};
  if (!result.options) {
    const std::vector<std::string_view> known = names_of_all<Variant, Entry>();
    reader.complain(prefix + "name", table.get("name"), unknown_name(kind, name, known));
    return result;
  }
  std::visit(
      [&](auto& options) {
        visit_fields(options, [&](const Field& field, auto& member) {
          result.keys.push_back(field.name);
          reader.read_field(table, prefix, field, member);
        });
        reader.complain(field_violations(options, prefix));
      },
      *result.options);
  return result;
}

}  // namespace canopy
