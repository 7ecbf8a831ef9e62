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

/// `must be "iid" or "correlated"`
[[nodiscard]] std::string must_be_one_of(std::span<const std::string_view> names);

/// Reads keys out of tables, remembers where they stood and collects what is wrong with them.
/// Fields in complaints are named `prefix` and the key. A `table` that is not a table has no keys.
class DocumentReader {
 public:
  /// `source` names the text in messages.
  explicit DocumentReader(std::string source) : source_(std::move(source)) {}

  /// Complains about keys that are not in `known`.
  void check_keys(const Document& table, const std::string& prefix,
                  std::span<const std::string_view> known);

  /// Reads a key, if it is there. What is of another kind is complained about and not read.
  void read(const Document& table, const std::string& prefix, std::string_view key, double& into);
  void read(const Document& table, const std::string& prefix, std::string_view key,
            std::int64_t& into);
  void read(const Document& table, const std::string& prefix, std::string_view key,
            std::uint64_t& into);
  void read(const Document& table, const std::string& prefix, std::string_view key,
            std::string& into);
  void read(const Document& table, const std::string& prefix, std::string_view key, bool& into);
  /// Two numbers, the first below the second; or "auto", which is none.
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

  /// The table of a key at the top, if it is there and one.
  [[nodiscard]] const Document* read_table(const Document& table, std::string_view key);

  /// The options in the table that are valid; complains about the others.
  /// Keys that are not options are ignored.
  [[nodiscard]] OptionValues read_options(const Document& table, const std::string& prefix,
                                          const std::vector<OptionField>& fields);

  /// Whether a key is there; complains if it is missing.
  bool require(const Document& table, const std::string& prefix, std::string_view key);

  /// More than that are not said; whoever reads a list stops there.
  static constexpr std::size_t kMostMistakes = 50;
  [[nodiscard]] bool is_hopeless() const { return violations_.size() >= kMostMistakes; }

  /// Says what is wrong with the value of a field, which is null when there is none. Then the line
  /// is that of `near`, if anything is.
  void complain(const std::string& field, const Document* value, std::string expected,
                const Document* near = nullptr);

  /// Violations that others found, on the lines where those fields were noted or read.
  void complain(const std::vector<Violation>& violations);

  /// Remembers where a field stood; the first time counts.
  void note_line(const std::string& field, const Document& value);

  [[nodiscard]] std::size_t complaints() const { return violations_.size(); }
  [[nodiscard]] const std::vector<Violation>& mistakes() const { return violations_; }

  /// Throws SpecificationError with every mistake once.
  void throw_if_any() const;

 private:
  /// The value of a key, its line noted; null if there is none.
  const Document* find(const Document& table, const std::string& prefix, std::string_view key);

  std::string source_;
  std::vector<Violation> violations_;
  std::unordered_map<std::string, std::size_t> lines_;
};

/// Options as a table that read_options reads back. One without a value is written as the field's
/// word for that, or left out where it has none.
[[nodiscard]] Document document_of(const OptionValues& values,
                                   const std::vector<OptionField>& fields);

}  // namespace canopy
