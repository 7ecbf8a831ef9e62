#include "canopy/domains/integer.hpp"

#include "core/domains/list_axis.hpp"
#include "core/domains/points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace canopy {
namespace {

std::uint64_t count_of(const Integer& integer) {
  return static_cast<std::uint64_t>((integer.high - integer.low) / integer.step) + 1;
}

/// log((low + place) / low): distance of an integer from the first one on a log scale. Exact even
/// where neighbouring integers have equal logarithms.
double log_distance(const Integer& integer, double place) {
  return std::log1p(place / static_cast<double>(integer.low));
}

std::optional<std::string> wrong_step(const Integer& integer) {
  const std::int64_t width = integer.high - integer.low;
  if (integer.step < 1) return "must be at least 1";
  if (integer.scale == Scale::log && integer.step != 1) return "must be 1 on a log scale";
  if (width > 0 && integer.step > width) {
    return "must be at most high - low = " + std::to_string(width);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Violation> Integer::violations() const {
  std::vector<Violation> found;
  for (const auto& [name, end] : {std::pair{"low", low}, {"high", high}}) {
    if (!exact_double(end)) found.push_back({name, std::to_string(end), "must be within +-2^53"});
  }
  const bool in_reach = found.empty();
  if (low >= high) {
    found.push_back({"low", std::to_string(low), "must be below high = " + std::to_string(high)});
  }
  if (scale == Scale::log && low < 1) {
    found.push_back({"low", std::to_string(low), "must be at least 1 on a log scale"});
  }
  if (const auto wrong = in_reach ? wrong_step(*this) : std::nullopt) {
    found.push_back({"step", std::to_string(step), *wrong});
  }
  return found;
}

std::array<double, 2> Integer::ends() const {
  return {static_cast<double>(low), static_cast<double>(last())};
}

std::optional<std::uint64_t> Integer::count() const {
  return count_of(*this);
}

bool Integer::contains(double coordinate) const {
  const auto whole = exact_whole(coordinate);
  return whole && *whole >= low && *whole <= high && (*whole - low) % step == 0;
}

Value Integer::value(double coordinate) {
  return static_cast<std::int64_t>(coordinate);
}

std::optional<double> Integer::coordinate(const Value& value) const {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto number = whole != nullptr ? exact_double(*whole) : std::nullopt;
  return number && contains(*number) ? number : std::nullopt;
}

double Integer::at(double share) const {
  const auto first = static_cast<double>(low);
  if (scale == Scale::log) {
    const auto values = static_cast<double>(count_of(*this));
    const double place = first * std::expm1(share * log_distance(*this, values));
    return first + std::min(std::floor(place), values - 1.0);
  }
  // The product alone may be too large to be exact; the sum is not, and is rounded once.
  return std::fma(place_at(share, count_of(*this)), static_cast<double>(step), first);
}

double Integer::share(double coordinate) const {
  const auto values = static_cast<double>(count_of(*this));
  const double above = coordinate - static_cast<double>(low);
  if (scale == Scale::log) {
    const double middle =
        std::midpoint(log_distance(*this, above), log_distance(*this, above + 1.0));
    return middle / log_distance(*this, values);
  }
  return (above / static_cast<double>(step) + 0.5) / values;
}

std::shared_ptr<const CutAxis> Integer::axis() const {
  return scale == Scale::log ? log_list_axis(low, high) : list_axis(low, last(), step);
}

std::vector<double> Integer::grid(std::uint64_t points) const {
  const std::uint64_t values = count_of(*this);
  if (scale == Scale::linear) return middles(*this, std::min(points, values));
  std::vector<double> coordinates;
  if (points < values) {
    coordinates = middles(*this, points);
    coordinates.erase(std::unique(coordinates.begin(), coordinates.end()), coordinates.end());
  } else {  // all integers: equal steps on a log scale would skip some
    for (std::int64_t n = low; n <= high; ++n) coordinates.push_back(static_cast<double>(n));
  }
  return coordinates;
}

std::vector<double> Integer::ticks(std::size_t most) const {
  const auto [first, end] = ends();
  if (scale == Scale::log) return powers_of_ten(first, end, most, 1.0);
  if (step == 1) return round_numbers(first, end, most, 1.0);
  std::vector<double> numbers = equal_places(count_of(*this), most);
  for (double& number : numbers) number = first + number * spacing();
  return numbers;
}

std::string Integer::text(double coordinate) {
  return std::to_string(static_cast<std::int64_t>(coordinate));
}

std::string Integer::description() const {
  return "a whole number from " + std::to_string(low) + " to " + std::to_string(high) +
         (step != 1 ? " in steps of " + std::to_string(step) : "") +
         (scale == Scale::log ? " on a log scale" : "");
}

}  // namespace canopy
