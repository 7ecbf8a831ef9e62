#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace canopy {

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string to_text(double value);

/// The number rounded to a decimal place no coarser than `resolution`, without trailing zeros. Not
/// rounded if `resolution` is not positive.
[[nodiscard]] std::string rounded_text(double value, double resolution);

/// The number rounded to `digits` significant digits.
[[nodiscard]] std::string significant_text(double value, int digits);

/// `0.12 to 0.34`, with digits appropriate to the distance between the two.
[[nodiscard]] std::string range_text(double low, double high);

/// Parses a text that is a number and nothing else.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

/// Whether a text is UTF-8 without a zero byte, which databases and JSON can hold.
[[nodiscard]] bool is_text(std::string_view bytes);

/// The candidate with the smallest edit distance from `name`, for "did you mean"; empty if none is
/// close enough.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       std::span<const std::string_view> candidates);

/// `unknown key, did you mean "rho"?`, or a list of known names if none is close.
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view name,
                                       std::span<const std::string_view> candidates);

}  // namespace canopy
