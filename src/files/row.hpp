#pragma once
// Converts structs with a field list (canopy/options.hpp) to rows: short JSON lists of the values
// in the order of the fields, such as ["tell",7,0.5]. Journals store one row per event, so reading
// and writing them must be fast.

#include "canopy/enum_names.hpp"
#include "canopy/options.hpp"
#include "canopy/rewards.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace canopy {

/// Thrown when a text is not a valid row of a struct; the message says why.
class RowError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Appends a row to a text. Trailing fields that have their default value, or are optional and
/// empty, are omitted. New fields must therefore be added at the end of a list, so that older rows
/// remain readable.
class RowWriter {
 public:
  RowWriter(std::string& text, std::string_view name);

  template <class Member>
  void operator()(const Field& field, const Member& member) {
    text_ += ',';
    write(member);
    if (!is_usual(field, member)) end_ = text_.size();
  }

  void finish();

 private:
  template <class Member>
  [[nodiscard]] static bool is_usual(const Field& field, const Member& member) {
    if constexpr (std::is_arithmetic_v<Member>) {
      if (field.usual) return static_cast<double>(member) == *field.usual;
    }
    return field.may_be_missing && is_empty(member);
  }
  void write(double number);
  void write(std::uint64_t whole);
  void write(bool truth) { text_ += truth ? "true" : "false"; }
  void write(const std::string& text);
  void write(const std::vector<double>& numbers);
  void write(const std::optional<std::array<double, 2>>& ends);
  void write(const std::map<std::string, double>& numbers);
  void write(const AnyRewards& rewards);
  template <class Enum>
  requires std::is_enum_v<Enum>
  void write(Enum value) { text_.append("\"").append(name_of(value)).append("\""); }

  std::string& text_;
  std::size_t end_ = 0;  // the end of the last field that must be written
};

/// Reads a row. All functions throw RowError.
class RowReader {
 public:
  /// Reads the name at the beginning of the row.
  explicit RowReader(std::string_view text);

  [[nodiscard]] const std::string& name() const { return name_; }

  template <class Member>
  void operator()(const Field& field, Member& member) {
    if (!next_is(',')) {
      if constexpr (std::is_arithmetic_v<Member>) {
        if (field.usual) member = static_cast<Member>(*field.usual);
      }
      if (field.usual || field.may_be_missing) return;
      refuse_missing(field.name);
    }
    read(member);
    if constexpr (std::is_arithmetic_v<Member>) {
      if (!field.range.contains(static_cast<double>(member))) refuse_range(field);
    }
  }

  /// Throws if there is unread text.
  void finish();

 private:
  [[nodiscard]] bool next_is(char letter) {
    if (rest_.empty() || rest_.front() != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(std::string_view word);
  [[noreturn]] static void refuse_missing(std::string_view field);
  [[noreturn]] static void refuse_range(const Field& field);
  [[noreturn]] void refuse(std::string_view expected) const;
  void read(double& into);
  void read(std::uint64_t& into);
  void read(bool& into);
  void read(std::string& into);
  void read(std::vector<double>& into);
  void read(std::optional<std::array<double, 2>>& into);
  void read(std::map<std::string, double>& into);
  void read(AnyRewards& into);
  template <class Enum>
  requires std::is_enum_v<Enum>
  void read(Enum& into) {
    std::string name;
    read(name);
    const auto named = value_named<Enum>(name);
    if (!named) refuse("a known name");
    into = *named;
  }

  std::string_view rest_;
  std::string name_;
};

}  // namespace canopy
