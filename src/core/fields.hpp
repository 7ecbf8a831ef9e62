#pragma once

#include "canopy/errors.hpp"

#include "core/enum_names.hpp"
#include "core/text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace canopy {

/// The valid values of a number.
struct Range {
  std::string_view text;  ///< `in (0, 1)`, to follow "must be"
  bool (*contains)(double);
};

// Wide enough for anybody, narrow enough for squares and products to stay finite.
inline constexpr Range kPositive{"a number from 1e-50 to 1e50",
                                 [](double x) { return x >= 1e-50 && x <= 1e50; }};
inline constexpr Range kNotNegative{"a number from 0 to 1e50",
                                    [](double x) { return x >= 0.0 && x <= 1e50; }};
inline constexpr Range kOpenUnit{"in (0, 1)", [](double x) { return x > 0.0 && x < 1.0; }};
inline constexpr Range kHalfOpenUnit{"in (0, 1]", [](double x) { return x > 0.0 && x <= 1.0; }};
inline constexpr Range kRate{"a number from 1e-6 to 1",
                             [](double x) { return x >= 1e-6 && x <= 1.0; }};
inline constexpr Range kUnit{"in [0, 1]", [](double x) { return x >= 0.0 && x <= 1.0; }};
inline constexpr Range kMillion{"a whole number from 1 to 1000000",
                                [](double x) { return x >= 1.0 && x <= 1e6; }};
inline constexpr Range kAtLeastOne{"a whole number from 1 to 9007199254740992",
                                   [](double x) { return x >= 1.0 && x <= 0x1p53; }};
inline constexpr Range kAnyWhole{"a whole number from 0 to 9007199254740992",
                                 [](double x) { return x >= 0.0 && x <= 0x1p53; }};
inline constexpr Range kNoRange{"", [](double) { return true; }};

/// What is to be known of an option beside its place in its struct. A function
/// `visit_fields(options, visit)` calls `visit` with the Field of every option and a reference to
/// it: the range checks, study files, the command line and what is printed of options all walk that
/// one list. Options are doubles, whole numbers (std::uint64_t), optionals of these, and
/// enumerations with names. Where two structs have an option of the same name, it means the same.
struct Field {
  std::string_view name;
  std::string_view help;
  Range range = kNoRange;
  std::string_view unset = {};  ///< The word for an optional without a value, if users may say it.
};

/// `must be in (0, 1)`, or `must be a whole number ... or "doubling"`.
[[nodiscard]] inline std::string must_be(const Field& field) {
  std::string text = "must be " + std::string(field.range.text);
  if (!field.unset.empty()) text.append(" or \"").append(field.unset).append("\"");
  return text;
}

template <class Type, class Variant>
inline constexpr bool is_alternative = false;
template <class Type, class... Alternatives>
inline constexpr bool is_alternative<Type, std::variant<Alternatives...>> =
    (std::is_same_v<Type, Alternatives> || ...);

/// A struct of options, const or not, that is an alternative of the variant.
template <class Options, class Variant>
concept AlternativeOf = is_alternative<std::remove_const_t<Options>, Variant>;

/// The value of an option as text; `unset` where an optional has none.
[[nodiscard]] inline std::string field_text(const Field& /*field*/, double value) {
  return to_text(value);
}
[[nodiscard]] inline std::string field_text(const Field& /*field*/, std::uint64_t value) {
  return std::to_string(value);
}
template <class Enum>
requires std::is_enum_v<Enum>
[[nodiscard]] std::string field_text(const Field& /*field*/, Enum value) {
  return std::string(name_of(value));
}
template <class Value>
[[nodiscard]] std::string field_text(const Field& field, const std::optional<Value>& value) {
  return value ? field_text(field, *value) : std::string(field.unset);
}

/// All options on one line: `nu1 1, rho 0.5`. Those without a value or a word for that are left
/// out, and so is a seed, which is no property of an algorithm.
template <class Options>
[[nodiscard]] std::string options_text(const Options& options) {
  std::string line;
  visit_fields(options, [&](const Field& field, const auto& member) {
    const std::string text = field_text(field, member);
    if (text.empty() || field.name == "seed") return;
    if (!line.empty()) line += ", ";
    line.append(field.name).append(" ").append(text);
  });
  return line;
}

/// Every option that is out of its range, named `prefix` and its name.
template <class Options>
[[nodiscard]] std::vector<Violation> field_violations(const Options& options,
                                                      std::string_view prefix) {
  std::vector<Violation> found;
  const auto check = [&](const Field& field, const auto& value, const auto& self) -> void {
    using Member = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_arithmetic_v<Member>) {
      if (field.range.contains(static_cast<double>(value))) return;
      found.push_back(
          {std::string(prefix).append(field.name), field_text(field, value), must_be(field)});
    } else if constexpr (!std::is_enum_v<Member>) {
      if (value) self(field, *value, self);
    }
  };
  visit_fields(options,
               [&](const Field& field, const auto& member) { check(field, member, check); });
  return found;
}

}  // namespace canopy
