#pragma once

#include "canopy/errors.hpp"

#include "core/alternatives.hpp"
#include "core/enum_names.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

namespace nb = nanobind;

/// A value for people, as Python shows it; cut short.
[[nodiscard]] std::string shown(nb::handle value);

/// The text of a string; none for what is no string, or none that could be written down.
[[nodiscard]] std::optional<std::string> text_from(nb::handle value);

/// The number that an object stands for; none for what is no single number, texts among them.
[[nodiscard]] std::optional<double> number_from(nb::handle value);

/// Keyword arguments on their way into structs of options. What is wrong with them is collected.
class GivenOptions {
 public:
  explicit GivenOptions(nb::dict given) : given_(std::move(given)) {}

  /// Sets the options that were given. None leaves a default as it is.
  template <class Options>
  void apply_to(Options& options, std::string_view prefix) {
    visit_fields(options, [&](const Field& field, auto& member) {
      known_.push_back(field.name);
      const nb::str key(field.name.data(), field.name.size());
      if (!given_.contains(key)) return;
      const nb::object value = given_[key];
      if (value.is_none() || set(field, value, member)) return;
      using Member = std::remove_cvref_t<decltype(member)>;
      violations_.push_back(
          {std::string(prefix).append(field.name), shown(value), expected<Member>(field)});
    });
    for (Violation& each : field_violations(options, prefix)) violations_.push_back(each);
  }

  /// Throws ConfigurationError with everything that is wrong, options that nobody knows included.
  void throw_if_any() const;

 private:
  template <class Member>
  static std::string expected(const Field& field) {
    if constexpr (std::is_enum_v<Member>) {
      return must_be_named<Member>();
    } else {
      return must_be(field);
    }
  }

  static bool set(const Field& /*field*/, nb::handle value, double& member) {
    const auto number = number_from(value);
    if (number) member = *number;
    return number.has_value();
  }
  static bool set(const Field& /*field*/, nb::handle value, std::uint64_t& member) {
    const auto number = number_from(value);
    if (!number || !(*number >= 0.0 && *number <= 0x1p53) || std::floor(*number) != *number) {
      return false;
    }
    member = static_cast<std::uint64_t>(*number);
    return true;
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  static bool set(const Field& /*field*/, nb::handle value, Enum& member) {
    const auto named = value_named<Enum>(text_from(value).value_or(""));
    if (named) member = *named;
    return named.has_value();
  }
  template <class Value>
  static bool set(const Field& field, nb::handle value, std::optional<Value>& member) {
    if (!field.unset.empty() && text_from(value) == field.unset) {
      member.reset();
      return true;
    }
    Value inner{};
    if (!set(field, value, inner)) return false;
    member = inner;
    return true;
  }

  nb::dict given_;
  std::vector<std::string_view> known_;
  std::vector<Violation> violations_;
};

/// The default options of what is called `name`. Throws ConfigurationError when nothing is.
template <class Variant, template <class> class Entry>
[[nodiscard]] Variant defaults_of(std::string_view kind, nb::handle given) {
  const std::string name = text_from(given).value_or("");
  if (auto found = alternative_named<Variant, Entry>(name)) return *found;
  const std::vector<std::string_view> known = names_of_all<Variant, Entry>();
  throw ConfigurationError({{std::string(kind), shown(given), unknown_name(kind, name, known)}});
}

/// An enumeration by its name. Throws ConfigurationError.
template <class Enum>
[[nodiscard]] Enum enum_from(const std::string& field, nb::handle given) {
  if (const auto value = value_named<Enum>(text_from(given).value_or(""))) return *value;
  throw ConfigurationError({{field, shown(given), must_be_named<Enum>()}});
}

/// The value of an option; None where there is none.
[[nodiscard]] inline nb::object option_object(double value) {
  return nb::float_(value);
}
[[nodiscard]] inline nb::object option_object(std::uint64_t value) {
  return nb::int_(value);
}
template <class Enum>
requires std::is_enum_v<Enum>
[[nodiscard]] nb::object option_object(Enum value) {
  return nb::str(name_of(value).data());
}
template <class Value>
[[nodiscard]] nb::object option_object(const std::optional<Value>& value) {
  return value ? option_object(*value) : nb::none();
}

/// Options as a dictionary.
template <class Options>
[[nodiscard]] nb::dict options_dictionary(const Options& options) {
  nb::dict result;
  visit_fields(options, [&](const Field& field, const auto& member) {
    result[nb::str(field.name.data(), field.name.size())] = option_object(member);
  });
  return result;
}

template <class... Alternatives>
[[nodiscard]] nb::dict options_dictionary(const std::variant<Alternatives...>& chosen) {
  return std::visit([](const auto& options) { return options_dictionary(options); }, chosen);
}

}  // namespace canopy::python
