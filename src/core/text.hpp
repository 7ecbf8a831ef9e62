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

/// The number for people: rounded to a decimal place that is no coarser than `resolution`, without
/// zeros at the end. In full where that is no positive number.
[[nodiscard]] std::string rounded_text(double value, double resolution);

/// The same with so many significant digits.
[[nodiscard]] std::string significant_text(double value, int digits);

/// `0.12 to 0.34`, with as many digits as the distance between the two is worth.
[[nodiscard]] std::string range_text(double low, double high);

/// The number of a text that is nothing but a number.
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

/// The candidate with the fewest single-letter edits from `name`, for "did you mean"; empty when
/// none is near enough to be a likely slip.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       std::span<const std::string_view> candidates);

/// `unknown key, did you mean "rho"?`, or a list of what is known when nothing is near.
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view name,
                                       std::span<const std::string_view> candidates);

}  // namespace canopy
