#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace canopy {

/// The names of an enumeration's values, in order, as written in study files, JSON, the command
/// line and Python. Each enumeration that is an option has a specialisation beside it.
template <class Enum>
struct EnumNames;

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

}  // namespace canopy
