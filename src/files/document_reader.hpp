#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/errors.hpp"
#include "canopy/options.hpp"
#include "canopy/specification_error.hpp"

#include "files/document.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace canopy {

/// Returns a text such as `must be "iid" or "correlated"`.
[[nodiscard]] std::string must_be_one_of(std::span<const std::string_view> names);

/// Reads keys from tables, remembers their lines and collects mistakes. A field is named in a
/// complaint by `prefix` followed by its key. A `table` that is not a table is treated as empty.
class DocumentReader {
 public:
  /// `source` names the text in messages.
  explicit DocumentReader(std::string source) : source_(std::move(source)) {}

  /// Complains about keys that are not in `known`.
  void check_keys(const Document& table, const std::string& prefix,
                  std::span<const std::string_view> known);

  /// Reads a key if it is present. A value of the wrong kind causes a complaint and is not read.
  void read(const Document& table, const std::string& prefix, std::string_view key, double& into);
  void read(const Document& table, const std::string& prefix, std::string_view key,
            std::int64_t& into);
  void read(const Document& table, const std::string& prefix, std::string_view key,
            std::uint64_t& into);
  void read(const Document& table, const std::string& prefix, std::string_view key,
            std::string& into);
  void read(const Document& table, const std::string& prefix, std::string_view key, bool& into);
  /// Reads two numbers, the first less than the second, or "auto", which is stored as none.
  void read(const Document& table, const std::string& prefix, std::string_view key,
            std::optional<std::array<double, 2>>& into);

  template <class Enum>
  requires std::is_enum_v<Enum>
  void read(const Document& table, const std::string& prefix, std::string_view key, Enum& into) {
    const Document* value = find(table, prefix, key);
    if (value == nullptr) return;
    const std::string* name = value->as_text();
    if (const auto named = name != nullptr ? value_named<Enum>(*name) : std::nullopt) {
      into = *named;
    } else {
      complain(prefix + std::string(key), value, must_be_one_of(EnumNames<Enum>::names));
    }
  }

  /// Returns the table of a top-level key, or null if the key is missing or not a table.
  [[nodiscard]] const Document* read_table(const Document& table, std::string_view key);

  /// Returns the valid options of the table and complains about invalid ones. Keys that are not
  /// options are ignored.
  [[nodiscard]] OptionValues read_options(const Document& table, const std::string& prefix,
                                          const std::vector<OptionField>& fields);

  /// Returns whether a key is present; complains if it is missing.
  bool require(const Document& table, const std::string& prefix, std::string_view key);

  /// At most this many mistakes are reported.
  static constexpr std::size_t kMostMistakes = 50;
  [[nodiscard]] bool is_full() const { return violations_.size() >= kMostMistakes; }

  /// Reports a mistake in the value of a field. `value` is null if the field is missing; the line
  /// of `near`, if given, is used then.
  void complain(const std::string& field, const Document* value, std::string expected,
                const Document* near = nullptr);

  /// Reports violations found elsewhere, with the lines where those fields were noted or read.
  void complain(const std::vector<Violation>& violations);

  /// Remembers the line of a field. Only the first call for a field has an effect.
  void note_line(const std::string& field, const Document& value);

  [[nodiscard]] std::size_t complaints() const { return violations_.size(); }
  [[nodiscard]] const std::vector<Violation>& mistakes() const { return violations_; }

  /// Throws a SpecificationError that lists each distinct mistake once.
  void throw_if_any() const;

 private:
  /// Returns the value of a key and notes its line; null if the key is missing.
  const Document* find(const Document& table, const std::string& prefix, std::string_view key);

  std::string source_;
  std::vector<Violation> violations_;
  std::unordered_map<std::string, std::size_t> lines_;
};

/// Writes options as a table that read_options can read. An option without a value is written as
/// the word that its field uses for that, or left out if the field has none.
[[nodiscard]] Document document_of(const OptionValues& values,
                                   const std::vector<OptionField>& fields);

}  // namespace canopy
