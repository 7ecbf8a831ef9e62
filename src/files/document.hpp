#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace canopy {

template <class Type>
concept WholeNumber = std::integral<Type> && !std::same_as<Type, bool> && !std::same_as<Type, char>;

/// A value of a TOML or JSON text and the line it was on. Tables keep the order of their keys.
/// Functions that need a certain kind (find, set, as_list, ...) document what they do with other
/// kinds; none of them converts a value.
class Document {
 public:
  enum class Kind {
    nothing,  ///< JSON's null; TOML has no equivalent
    boolean,
    whole,  ///< a signed 64-bit integer
    number,
    text,
    list,
    table,
    other,  ///< TOML dates and times: not used, but kept so that messages can show them
  };
  using List = std::vector<Document>;
  /// Keys must be unique; code that fills a table has to ensure it.
  using Table = std::vector<std::pair<std::string, Document>>;

  Document() = default;
  template <std::same_as<bool> Bool>  // a template, so that pointers do not convert to bool
  Document(Bool value) : value_(value) {}
  /// Integers that do not fit into a signed 64-bit integer are stored as floating-point numbers.
  template <WholeNumber Whole>
  Document(Whole value) : value_(static_cast<std::int64_t>(value)) {
    if (!std::in_range<std::int64_t>(value)) value_ = static_cast<double>(value);
  }
  template <std::floating_point Number>
  Document(Number value) : value_(static_cast<double>(value)) {}
  Document(std::string text) : value_(std::move(text)) {}
  Document(std::string_view text) : value_(std::string(text)) {}
  Document(const char* text) : value_(std::string(text)) {}
  Document(List list) : value_(std::move(list)) {}
  Document(Table table) : value_(std::move(table)) {}

  /// A value of kind `other`, in TOML syntax.
  [[nodiscard]] static Document other(std::string text);

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(value_.index()); }

  // The value if it has that kind, else none or null.
  [[nodiscard]] std::optional<bool> as_bool() const;
  [[nodiscard]] std::optional<std::int64_t> as_whole() const;
  /// Also returns integers from -2^53 to 2^53, which a double represents exactly.
  [[nodiscard]] std::optional<double> as_number() const;
  [[nodiscard]] const std::string* as_text() const { return std::get_if<std::string>(&value_); }
  [[nodiscard]] const List* as_list() const { return std::get_if<List>(&value_); }
  [[nodiscard]] const Table* as_table() const { return std::get_if<Table>(&value_); }
  [[nodiscard]] const std::string* as_other() const;
  /// A list that consists of one or more tables (TOML's [[name]]).
  [[nodiscard]] const List* as_tables() const;

  /// The value of a key; null if the key is missing or this is not a table.
  [[nodiscard]] const Document* find(std::string_view key) const;
  [[nodiscard]] Document* find(std::string_view key);
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }

  /// Replaces the value of a key, or adds it at the end. A null document becomes a table. Throws
  /// std::logic_error for any other kind.
  void set(std::string_view key, Document value);

  /// Removes a key. Does nothing if this is not a table or does not have the key.
  void erase(std::string_view key);

  /// Appends to a list. A null document becomes a list. Throws std::logic_error for any other kind.
  void push_back(Document value);

  /// The line number, from 1; 0 if it is unknown.
  [[nodiscard]] std::size_t line() const { return line_; }
  void set_line(std::size_t line) { line_ = line; }

  /// The value as one line of TOML with at most 60 bytes, for messages: `'iid'`, `[ 1, 2 ]`,
  /// `{...}` for a table, `null` for null.
  [[nodiscard]] std::string excerpt() const;

  /// Compares kind and value; lines and the order of keys are ignored. NaN equals NaN, so that a
  /// document equals its copy.
  friend bool operator==(const Document& left, const Document& right);

 private:
  struct Other {
    std::string text;
  };

  // In the order of the enum Kind.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Table, Other> value_;
  std::size_t line_ = 0;
};

/// The maximum nesting depth of a text that is read. Documents are processed recursively, so
/// untrusted input must not be nested without limit.
inline constexpr std::size_t kDeepestDocument = 100;

}  // namespace canopy
