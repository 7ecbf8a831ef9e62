#pragma once

#include "canopy/confidence.hpp"
#include "canopy/partition.hpp"
#include "canopy/space.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace canopy {

/// The names of an enumeration's values, in their order, as study files, JSON and the command line
/// write them. Other rooms add those of their own enumerations.
template <class Enum>
struct EnumNames;

template <>
struct EnumNames<Feedback> {
  static constexpr std::array<std::string_view, 2> names{"iid", "correlated"};
};
template <>
struct EnumNames<Constants> {
  static constexpr std::array<std::string_view, 2> names{"main", "supplement"};
};
template <>
struct EnumNames<Scale> {
  static constexpr std::array<std::string_view, 2> names{"linear", "log"};
};
template <>
struct EnumNames<SplitRule> {
  static constexpr std::array<std::string_view, 2> names{"cyclic", "longest_side"};
};

template <class Enum>
[[nodiscard]] constexpr std::string_view name_of(Enum value) {
  return EnumNames<Enum>::names.at(static_cast<std::size_t>(value));
}

template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> value_named(std::string_view wanted) {
  for (std::size_t i = 0; i < EnumNames<Enum>::names.size(); ++i) {
    if (EnumNames<Enum>::names.at(i) == wanted) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// `must be "iid" or "correlated"`
template <class Enum>
[[nodiscard]] std::string must_be_named() {
  constexpr auto& names = EnumNames<Enum>::names;
  std::string text = "must be ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " or ";
    text.append("\"").append(names.at(i)).append("\"");
  }
  return text;
}

}  // namespace canopy
