#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/errors.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace canopy {

/// The valid values of a number.
struct Range {
  std::string_view text;  ///< `in (0, 1)`, to follow "must be"
  bool (*contains)(double);
};

// Wide enough for any use, narrow enough for squares and products to stay finite.
inline constexpr Range kPositive{"a number from 1e-50 to 1e50",
                                 [](double x) { return x >= 1e-50 && x <= 1e50; }};
inline constexpr Range kNotNegative{"a number from 0 to 1e50",
                                    [](double x) { return x >= 0.0 && x <= 1e50; }};
inline constexpr Range kOpenUnit{"in (0, 1)", [](double x) { return x > 0.0 && x < 1.0; }};
inline constexpr Range kHalfOpenUnit{"in (0, 1]", [](double x) { return x > 0.0 && x <= 1.0; }};
inline constexpr Range kUnit{"in [0, 1]", [](double x) { return x >= 0.0 && x <= 1.0; }};
inline constexpr Range kRate{"a number from 1e-6 to 1",
                             [](double x) { return x >= 1e-6 && x <= 1.0; }};
inline constexpr Range kAroundOne{"a number from 0.001 to 1000",
                                  [](double x) { return x >= 0.001 && x <= 1000.0; }};
inline constexpr Range kThousand{"a whole number from 1 to 1000",
                                 [](double x) { return x >= 1.0 && x <= 1000.0; }};
inline constexpr Range kMillion{"a whole number from 1 to 1000000",
                                [](double x) { return x >= 1.0 && x <= 1e6; }};
inline constexpr Range kAtLeastOne{"a whole number from 1 to 9007199254740992",
                                   [](double x) { return x >= 1.0 && x <= 0x1p53; }};
inline constexpr Range kOneOrMore{"1 or more", [](double x) { return x >= 1.0; }};
inline constexpr Range kAnyWhole{"a whole number from 0 to 9007199254740992",
                                 [](double x) { return x >= 0.0 && x <= 0x1p53; }};
inline constexpr Range kAnyNumber{"a number", [](double x) { return x - x == 0.0; }};

/// The description of an option, apart from the member that holds its value.
///
/// Options are plain structs. One function beside the struct lists its members:
///
///     template <class Visit>
///     void visit_fields(TeaOptions& options, Visit&& visit) {
///       visit(Field{"strength", "how much tea", kOpenUnit}, options.strength);
///     }
///
/// Range checks, study files, JSON, the command line, Python and all printing use that list.
/// Members are doubles, whole numbers (std::uint64_t), enumerations with EnumNames, and optionals
/// of these. An option with the same name means the same everywhere.
///
/// Kinds of parameters are listed in the same way (canopy/domain.hpp); they may also have members
/// of type std::int64_t and std::vector<std::string>.
struct Field {
  std::string_view name;
  std::string_view help;
  Range range = kAnyNumber;  ///< valid values of a number
  std::string_view unset =
      {};                 ///< The word for an optional without a value, if users may write it.
  bool required = false;  ///< Files must give a value; the default is only a placeholder.
  bool brief = false;     ///< Not written if it has its default.
  bool may_be_missing = false;                 ///< omitted if zero, false or empty; see `or_none`
  bool may_be_null = false;                    ///< may be infinite or unknown; see `or_null`
  std::optional<double> usual = std::nullopt;  ///< see `usually`

  /// A copy of the field that is omitted if its value is zero, false or empty.
  [[nodiscard]] constexpr Field or_none() const {
    Field field = *this;
    field.may_be_missing = true;
    return field;
  }
  /// A copy for a number that may be infinite or unknown, which is written as null.
  [[nodiscard]] constexpr Field or_null() const {
    Field field = *this;
    field.may_be_null = true;
    return field;
  }
  /// A copy for a number that usually has this value; journals omit it then.
  [[nodiscard]] constexpr Field usually(double value) const {
    Field field = *this;
    field.usual = value;
    return field;
  }
};

/// The coordinates of an arm, in journals. Where the space is known, they are also written by the
/// names of its parameters.
struct ArmField : Field {
  std::string_view coordinates = "coordinates";  ///< key of the coordinates
};

/// The coordinates of a context, in journals. Where the variables are known, they are also written
/// by name.
struct ContextField : Field {
  std::string_view coordinates = "context_coordinates";  ///< key of the coordinates
};

/// An arm in results, written only by the names of its parameters.
struct SettingField : Field {};

/// A number for every parameter, by the parameter's name.
struct PerParameterField : Field {};

inline constexpr ArmField kArmField{{"arm", "the setting"}};

/// Whether a member is zero, false or empty, so that it can be left out.
template <class Member>
[[nodiscard]] bool is_empty(const Member& member) {
  if constexpr (requires { member.has_value(); }) {
    return !member.has_value();
  } else if constexpr (requires { member.empty(); }) {
    return member.empty();
  } else if constexpr (std::equality_comparable<Member>) {
    return member == Member{};
  } else {
    return false;  // a nested struct
  }
}

namespace detail {
struct AnyVisit {
  template <class AnyField, class Member>
  void operator()(const AnyField& /*field*/, const Member& /*member*/) const {}
};
}  // namespace detail

/// A struct with a list of its fields.
template <class Struct>
concept HasFields = requires(Struct& fields) {
  visit_fields(fields, detail::AnyVisit{});
};

/// Calls visit(field, member) for every field of a const struct.
template <class Struct, class Visit>
void visit_fields_of(const Struct& fields, Visit&& visit) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): members are passed on as constants
  visit_fields(const_cast<Struct&>(fields),
               [&](const auto& field, const auto& member) { visit(field, member); });
}

/// The value of an option of any struct: none, a number, a whole number, or the name of an
/// enumeration's value.
using OptionValue = std::variant<std::monostate, double, std::uint64_t, std::string>;

/// A Field with the type-dependent information from its struct.
struct OptionField {
  enum class Kind { real, whole, word };

  std::string name = {};
  std::string help = {};
  Kind kind = Kind::real;
  Range range = kAnyNumber;
  std::vector<std::string> words = {};  ///< the values of an enumeration
  std::string unset = {};               ///< see Field
  bool optional = false;                ///< whether it may be unset
  OptionValue standard = {};            ///< its default

  /// `must be in (0, 1)`, `must be "iid" or "correlated"`.
  [[nodiscard]] std::string must_be() const;
};

/// Option values by name, in order, for a struct whose type is not known at compile time.
class OptionValues {
 public:
  using Named = std::pair<std::string, OptionValue>;

  OptionValues() = default;
  OptionValues(std::initializer_list<Named> values) : values_(values) {}

  /// The value with that name, or null.
  [[nodiscard]] const OptionValue* find(std::string_view name) const;

  /// Sets a value, or adds it at the end.
  void set(std::string_view name, OptionValue value);

  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  friend bool operator==(const OptionValues&, const OptionValues&) = default;

 private:
  std::vector<Named> values_;
};

/// The user's input (a number, a whole number, a word) as a value of that field; none if its type
/// does not fit. `violations` checks ranges.
[[nodiscard]] std::optional<OptionValue> fitted(const OptionField& field, OptionValue written);

/// A value parsed from text, as on a command line. Whole numbers may be written as 1e5.
[[nodiscard]] std::optional<OptionValue> parsed(const OptionField& field, const std::string& text);

/// The value as text; for an unset value the field's word for it, which may be empty.
[[nodiscard]] std::string text_of(const OptionField& field, const OptionValue& value);

/// All violations among some values: unknown names, wrong types, values out of range. Options are
/// named by `prefix` and their name. Options that are not given are not checked.
[[nodiscard]] std::vector<Violation> violations(const std::vector<OptionField>& fields,
                                                const OptionValues& values,
                                                std::string_view prefix);

/// Every field's value: as given, or the default.
[[nodiscard]] OptionValues completed(const std::vector<OptionField>& fields,
                                     const OptionValues& given);

/// All options on one line: `nu1 1, rho 0.5`. Options that have neither a value nor a word for its
/// absence are omitted, and so is a seed, which is not a property of the algorithm.
[[nodiscard]] std::string options_text(const std::vector<OptionField>& fields,
                                       const OptionValues& values);

// --- conversion between structs and values -------------------------------------------------------

namespace detail {

template <class Member>
struct OptionMember {  // a number or an enumeration
  static constexpr bool kOptional = false;
  using Inner = Member;
};
template <class Member>
struct OptionMember<std::optional<Member>> {
  static constexpr bool kOptional = true;
  using Inner = Member;
};

template <class Member>
[[nodiscard]] OptionValue value_of(const Member& member) {
  if constexpr (OptionMember<Member>::kOptional) {
    return member ? value_of(*member) : OptionValue{};
  } else if constexpr (std::is_enum_v<Member>) {
    return std::string(name_of(member));
  } else {
    return member;
  }
}

/// Returns false if the value has another type.
template <class Member>
[[nodiscard]] bool assign(Member& member, const OptionValue& value) {
  if constexpr (OptionMember<Member>::kOptional) {
    member.reset();
    return std::holds_alternative<std::monostate>(value) || assign(member.emplace(), value);
  } else if constexpr (std::is_enum_v<Member>) {
    const auto* word = std::get_if<std::string>(&value);
    const auto named = word != nullptr ? value_named<Member>(*word) : std::nullopt;
    if (named) member = *named;
    return named.has_value();
  } else {
    const auto* number = std::get_if<Member>(&value);
    if (number != nullptr) member = *number;
    return number != nullptr;
  }
}

}  // namespace detail

/// The fields of a struct of options, with these defaults.
template <class Options>
[[nodiscard]] std::vector<OptionField> fields_of(Options defaults = {}) {
  std::vector<OptionField> fields;
  visit_fields(defaults, [&]<class Member>(const Field& field, Member& member) {
    using Inner = typename detail::OptionMember<Member>::Inner;
    OptionField described{.name = std::string(field.name), .help = std::string(field.help)};
    described.range = field.range;
    described.unset = field.unset;
    described.optional = detail::OptionMember<Member>::kOptional;
    described.standard = detail::value_of(member);
    if constexpr (std::is_enum_v<Inner>) {
      described.kind = OptionField::Kind::word;
      for (const std::string_view name : EnumNames<Inner>::names)
        described.words.emplace_back(name);
    } else if constexpr (std::is_same_v<Inner, std::uint64_t>) {
      described.kind = OptionField::Kind::whole;
    }
    fields.push_back(std::move(described));
  });
  return fields;
}

/// The values of a struct of options.
template <class Options>
[[nodiscard]] OptionValues values_of(Options options) {
  OptionValues values;
  visit_fields(options, [&](const Field& field, auto& member) {
    values.set(field.name, detail::value_of(member));
  });
  return values;
}

/// A struct of options with these values, and defaults for the others. Throws ConfigurationError,
/// with names that start with `prefix`.
template <class Options>
[[nodiscard]] Options options_from(const OptionValues& values, std::string_view prefix) {
  throw_if_any(violations(fields_of<Options>(), values, prefix));
  Options options;
  visit_fields(options, [&](const Field& field, auto& member) {
    if (const OptionValue* value = values.find(field.name)) (void)detail::assign(member, *value);
  });
  return options;
}

/// All violations of a struct of options.
template <class Options>
[[nodiscard]] std::vector<Violation> violations_of(const Options& options,
                                                   std::string_view prefix) {
  return violations(fields_of(options), values_of(options), prefix);
}

}  // namespace canopy
