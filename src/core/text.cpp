#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace canopy {
namespace {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// The length in bytes of the character at the beginning of a text; 0 if it is not a valid
/// character.
std::size_t bytes_of_first(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto is_within = [](unsigned byte, unsigned low, unsigned high) {
    return byte >= low && byte <= high;
  };
  const auto continues = [&](std::size_t i) { return is_within(at(i), 0x80, 0xBF); };
  const unsigned first = at(0);
  if (is_within(first, 0x01, 0x7F)) return 1;
  if (is_within(first, 0xC2, 0xDF)) return continues(1) ? 2 : 0;
  if (is_within(first, 0xE0, 0xEF)) {
    const bool fits = is_within(at(1), first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return fits && continues(2) ? 3 : 0;
  }
  if (is_within(first, 0xF0, 0xF4)) {
    const bool fits = is_within(at(1), first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return fits && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string to_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string significant_text(double value, int digits) {
  if (!std::isfinite(value)) return to_text(value);
  if (value == 0.0) return "0";
  std::array<char, 64> buffer{};
  const auto written = [&](double number, std::chars_format format, int precision) {
    const auto result =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format, precision);
    return std::string(buffer.data(), result.ptr);
  };
  // Exponent form first: rounding may have added a digit.
  const std::string exact = written(value, std::chars_format::scientific, digits - 1);
  const double number = number_in<double>(exact).value_or(value);
  const double magnitude = std::abs(number);
  if (magnitude < 1e-4 || magnitude >= 1e15) {
    return written(number, std::chars_format::general, digits);
  }
  const int first = static_cast<int>(std::floor(std::log10(magnitude)));
  std::string text = written(number, std::chars_format::fixed, std::max(0, digits - 1 - first));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string rounded_text(double value, double resolution) {
  constexpr double kMostDigits = 15.0;
  if (!std::isfinite(value) || !std::isfinite(resolution) || !(resolution > 0.0)) {
    return to_text(value);
  }
  if (std::abs(value) < 0.5 * resolution) return "0";
  const double first =
      std::floor(std::log10(std::abs(value)));  // decimal exponent of the first digit
  const double last = std::floor(std::log10(resolution));
  return significant_text(value,
                          static_cast<int>(std::clamp(first - last + 1.0, 1.0, kMostDigits)));
}

std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view nearest;
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < fewest && distance < candidate.size()) {
      fewest = distance;
      nearest = candidate;
    }
  }
  return std::string(nearest);
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> candidates) {
  std::string text = "unknown " + std::string(kind);
  if (const std::string nearest = nearest_name(name, candidates); !nearest.empty()) {
    return text + ", did you mean \"" + nearest + "\"?";
  }
  text += "; known:";
  for (const std::string_view candidate : candidates) {
    text += ' ';
    text += candidate;
  }
  return text;
}

bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t first = bytes_of_first(bytes);
    if (first == 0) return false;
    bytes.remove_prefix(first);
  }
  return true;
}

std::string range_text(double low, double high) {
  const double resolution = 0.05 * (high - low);
  return rounded_text(low, resolution) + " to " + rounded_text(high, resolution);
}

}  // namespace canopy
