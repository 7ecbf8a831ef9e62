#include "core/domains/points.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

std::optional<double> exact_double(std::int64_t whole) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  if (whole < -kLargest || whole > kLargest) return std::nullopt;
  return static_cast<double>(whole);
}

std::optional<std::int64_t> exact_whole(double number) {
  if (!(std::abs(number) <= 0x1p53) || std::floor(number) != number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

double place_at(double share, std::uint64_t count) {
  const auto values = static_cast<double>(count);
  return std::min(std::floor(share * values), values - 1.0);
}

std::vector<double> round_numbers(double low, double high, std::size_t most, double distance) {
  constexpr double kRounding = 1e-9;  // 0.3 is three steps of 0.1, but not in double arithmetic
  // Divide first: the width of a very wide range may overflow.
  const auto all = static_cast<double>(most);
  double power = std::pow(10.0, std::floor(std::log10(high / all - low / all)));
  for (;; power *= 10.0) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double step = std::max(digit * power, distance);
      const double first = std::ceil(low / step - kRounding);
      const double last = std::floor(high / step + kRounding);
      if (!(std::max(std::abs(first), std::abs(last)) < 0x1p53)) return {low, high};
      if (last - first >= all) continue;
      const auto count = last < first ? 0 : static_cast<std::size_t>(last - first) + 1;
      std::vector<double> numbers;
      numbers.reserve(count);
      for (std::size_t k = 0; k < count; ++k) {
        const double i = first + static_cast<double>(k);
        const double number = step < 1.0 ? i / std::round(1.0 / step) : i * step;
        numbers.push_back(std::clamp(number, low, high));
      }
      return numbers;
    }
  }
}

std::vector<double> powers_of_ten(double low, double high, std::size_t most, double distance) {
  const double first = std::ceil(std::log10(low));
  const double last = std::floor(std::log10(high));
  if (last - first < 1.0) return round_numbers(low, high, most, distance);
  std::vector<double> powers;
  for (const double place : equal_places(static_cast<std::uint64_t>(last - first) + 1, most)) {
    const double power = std::pow(10.0, first + place);
    if (low <= power && power <= high) powers.push_back(power);
  }
  return powers;
}

std::vector<double> equal_places(std::uint64_t count, std::size_t most) {
  const std::uint64_t distance = (count + most - 1) / most;
  std::vector<double> places;
  for (std::uint64_t i = 0; i < count; i += distance) places.push_back(static_cast<double>(i));
  return places;
}

}  // namespace canopy
