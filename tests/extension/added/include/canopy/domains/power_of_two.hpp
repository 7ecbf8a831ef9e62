#pragma once

#include "canopy/cut_axis.hpp"
#include "canopy/errors.hpp"
#include "canopy/options.hpp"
#include "canopy/value.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// A whole power of two, from `low` to `high`, which are such powers. Its coordinate is the
/// exponent.
struct PowerOfTwo {
  static constexpr std::string_view kName = "power_of_two";
  static constexpr bool kOrdered = true;

  std::int64_t low = 1;
  std::int64_t high = 2;

  // The operations of every kind: see Domain.
  [[nodiscard]] std::vector<Violation> violations() const;
  [[nodiscard]] std::array<double, 2> ends() const;
  [[nodiscard]] std::optional<std::uint64_t> count() const;
  [[nodiscard]] static double spacing() { return 1.0; }
  [[nodiscard]] bool contains(double coordinate) const;
  [[nodiscard]] static Value value(double coordinate);
  [[nodiscard]] std::optional<double> coordinate(const Value& value) const;
  [[nodiscard]] double at(double share) const;
  [[nodiscard]] double share(double coordinate) const;
  [[nodiscard]] std::shared_ptr<const CutAxis> axis() const;
  [[nodiscard]] std::vector<double> grid(std::uint64_t points) const;
  [[nodiscard]] std::vector<double> ticks(std::size_t most) const;
  [[nodiscard]] static std::string text(double coordinate);
  [[nodiscard]] std::string description() const;
  [[nodiscard]] static bool measures_like(const PowerOfTwo& /*other*/) { return true; }

  friend bool operator==(const PowerOfTwo&, const PowerOfTwo&) = default;
};

template <class Visit>
void visit_fields(PowerOfTwo& power, Visit&& visit) {
  visit(Field{.name = "low", .help = "the least value", .required = true}, power.low);
  visit(Field{.name = "high", .help = "the largest value", .required = true}, power.high);
}

}  // namespace canopy
