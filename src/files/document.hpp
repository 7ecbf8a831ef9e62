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

/// A value of a TOML or JSON text, and the line that it stood on. Tables keep the order of their
/// keys. Where a function needs a certain kind (find, set, as_list, ...), it says what happens to
/// the others; none of them converts a value.
class Document {
 public:
  enum class Kind {
    nothing,  ///< JSON's null, which TOML has no word for.
    boolean,
    whole,  ///< A whole number of 64 bits.
    number,
    text,
    list,
    table,
    other,  ///< TOML's dates and times, which nothing here uses: kept so that messages can name
            ///< them.
  };
  using List = std::vector<Document>;
  /// Each key once, which is up to those who fill it.
  using Table = std::vector<std::pair<std::string, Document>>;

  Document() = default;
  template <std::same_as<bool> Bool>  // pointers would become a plain bool unasked
  Document(Bool value) : value_(value) {}
  /// A number where a whole one does not fit.
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

  /// A value of kind `other`, as TOML writes it.
  [[nodiscard]] static Document other(std::string text);

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(value_.index()); }

  // The value, where it is of that kind.
  [[nodiscard]] std::optional<bool> as_bool() const;
  [[nodiscard]] std::optional<std::int64_t> as_whole() const;
  /// Whole numbers count as well, up to 2^53 and from -2^53, where a double begins to skip some.
  [[nodiscard]] std::optional<double> as_number() const;
  [[nodiscard]] const std::string* as_text() const { return std::get_if<std::string>(&value_); }
  [[nodiscard]] const List* as_list() const { return std::get_if<List>(&value_); }
  [[nodiscard]] const Table* as_table() const { return std::get_if<Table>(&value_); }
  [[nodiscard]] const std::string* as_other() const;
  /// A list of one or more tables and nothing else: TOML's [[name]].
  [[nodiscard]] const List* as_tables() const;

  /// The value of a key; null if there is none or this is not a table.
  [[nodiscard]] const Document* find(std::string_view key) const;
  [[nodiscard]] Document* find(std::string_view key);
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }

  /// Replaces the value of a key, or adds it at the end. Nothing becomes a table; throws
  /// std::logic_error if this is anything else.
  void set(std::string_view key, Document value);

  /// Removes a key, if this is a table that has it.
  void erase(std::string_view key);

  /// Adds to a list. Nothing becomes one; throws std::logic_error if this is anything else.
  void push_back(Document value);

  /// From 1; 0 when it is not known.
  [[nodiscard]] std::size_t line() const { return line_; }
  void set_line(std::size_t line) { line_ = line; }

  /// The value as TOML, on one line of at most 60 bytes, for messages: `'iid'`, `[ 1, 2 ]`, `{...}`
  /// for a table, `null` for nothing.
  [[nodiscard]] std::string excerpt() const;

  /// The same kind and value, wherever they stood and in whatever order keys do. A NaN equals a
  /// NaN: a document equals its copy.
  friend bool operator==(const Document& left, const Document& right);

 private:
  struct Other {
    std::string text;
  };

  // In the order of Kind.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Table, Other> value_;
  std::size_t line_ = 0;
};

/// How deep lists and tables may lie in each other in a text that is read. Everything that walks a
/// document calls itself for every level, and a text may come from anybody.
inline constexpr std::size_t kDeepestDocument = 100;

}  // namespace canopy
