#pragma once

#include "canopy/confidence.hpp"
#include "canopy/hct.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/partition.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace canopy {

/// The names of an enumeration's values, in their order, as study files, JSON and the command line
/// write them.
template <class Enum>
struct EnumNames;

template <>
struct EnumNames<Feedback> {
  static constexpr std::array<std::string_view, 2> names{"iid", "correlated"};
};
template <>
struct EnumNames<Preset> {
  static constexpr std::array<std::string_view, 2> names{"practical", "paper"};
};
template <>
struct EnumNames<Constants> {
  static constexpr std::array<std::string_view, 2> names{"main", "supplement"};
};
template <>
struct EnumNames<Direction> {
  static constexpr std::array<std::string_view, 2> names{"maximize", "minimize"};
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
  std::string text = "must be";
  std::string_view separator = " \"";
  for (const std::string_view name : EnumNames<Enum>::names) {
    text.append(separator).append(name).append("\"");
    separator = " or \"";
  }
  return text;
}

}  // namespace canopy
