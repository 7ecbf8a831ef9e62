#pragma once

#include "core/text.hpp"

#include <cmath>
#include <optional>
#include <string_view>

namespace canopy {

/// Parses an output that is a single number, ignoring whitespace around it. Returns none for
/// anything else, and for numbers that are not finite or out of range.
[[nodiscard]] inline std::optional<double> reward_in(std::string_view output) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t begin = output.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return std::nullopt;
  output = output.substr(begin, output.find_last_not_of(kBlanks) - begin + 1);
  if (output.starts_with('+') && !output.starts_with("+-")) output.remove_prefix(1);
  const std::optional<double> number = number_in<double>(output);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace canopy
