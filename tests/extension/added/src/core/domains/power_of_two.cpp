#include "canopy/domains/power_of_two.hpp"

#include "core/domains/list_axis.hpp"
#include "core/domains/points.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace canopy {
namespace {

bool is_power(std::int64_t number) {
  return number > 0 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

std::int64_t exponent_of(std::int64_t power) {
  return std::countr_zero(static_cast<std::uint64_t>(power));
}

std::int64_t power_of(double exponent) {
  return std::int64_t{1} << static_cast<std::int64_t>(exponent);
}

std::uint64_t count_of(const PowerOfTwo& power) {
  return static_cast<std::uint64_t>(exponent_of(power.high) - exponent_of(power.low)) + 1;
}

}  // namespace

std::vector<Violation> PowerOfTwo::violations() const {
  std::vector<Violation> found;
  for (const auto& [name, end] : {std::pair{"low", low}, {"high", high}}) {
    if (!is_power(end)) found.push_back({name, std::to_string(end), "must be a power of two"});
  }
  if (low >= high) {
    found.push_back({"low", std::to_string(low), "must be below high = " + std::to_string(high)});
  }
  return found;
}

std::array<double, 2> PowerOfTwo::ends() const {
  return {static_cast<double>(exponent_of(low)), static_cast<double>(exponent_of(high))};
}

std::optional<std::uint64_t> PowerOfTwo::count() const {
  return count_of(*this);
}

bool PowerOfTwo::contains(double coordinate) const {
  const auto [first, last] = ends();
  return exact_whole(coordinate) && coordinate >= first && coordinate <= last;
}

Value PowerOfTwo::value(double coordinate) {
  return power_of(coordinate);
}

std::optional<double> PowerOfTwo::coordinate(const Value& value) const {
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr || !is_power(*whole) || *whole < low || *whole > high) return std::nullopt;
  return static_cast<double>(exponent_of(*whole));
}

double PowerOfTwo::at(double share) const {
  return ends().front() + place_at(share, count_of(*this));
}

double PowerOfTwo::share(double coordinate) const {
  return (coordinate - ends().front() + 0.5) / static_cast<double>(count_of(*this));
}

std::shared_ptr<const CutAxis> PowerOfTwo::axis() const {
  return list_axis(exponent_of(low), exponent_of(high));
}

std::vector<double> PowerOfTwo::grid(std::uint64_t points) const {
  return middles(*this, std::min(points, count_of(*this)));
}

std::vector<double> PowerOfTwo::ticks(std::size_t most) const {
  std::vector<double> exponents = equal_places(count_of(*this), most);
  for (double& exponent : exponents) exponent += ends().front();
  return exponents;
}

std::string PowerOfTwo::text(double coordinate) {
  return std::to_string(power_of(coordinate));
}

std::string PowerOfTwo::description() const {
  return "a power of two from " + std::to_string(low) + " to " + std::to_string(high);
}

}  // namespace canopy
