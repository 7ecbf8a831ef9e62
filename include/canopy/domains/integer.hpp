#pragma once

#include "canopy/cut_axis.hpp"
#include "canopy/errors.hpp"
#include "canopy/options.hpp"
#include "canopy/scale.hpp"
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

/// An integer: low, low + step, low + 2 step, ... up to the last that is not above high, all within
/// +-2^53. On a log scale (low >= 1, step 1) cells are halved in log units, where i takes the
/// interval from log i to log(i + 1).
struct Integer {
  static constexpr std::string_view kName = "integer";
  static constexpr bool kOrdered = true;

  std::int64_t low = 0;
  std::int64_t high = 1;
  Scale scale = Scale::linear;
  std::int64_t step = 1;

  /// The largest value: high, unless the steps miss it.
  [[nodiscard]] std::int64_t last() const { return high - (high - low) % step; }

  // The operations of every kind: see Domain.
  [[nodiscard]] std::vector<Violation> violations() const;
  [[nodiscard]] std::array<double, 2> ends() const;
  [[nodiscard]] std::optional<std::uint64_t> count() const;
  [[nodiscard]] double spacing() const { return static_cast<double>(step); }
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
  [[nodiscard]] static bool measures_like(const Integer& /*other*/) { return true; }

  friend bool operator==(const Integer&, const Integer&) = default;
};

template <class Visit>
void visit_fields(Integer& integer, Visit&& visit) {
  visit(Field{.name = "low", .help = "the smallest value", .required = true}, integer.low);
  visit(Field{.name = "high", .help = "upper bound of the values", .required = true}, integer.high);
  visit(Field{.name = "scale", .help = "linear or log", .brief = true}, integer.scale);
  visit(Field{.name = "step", .help = "distance between consecutive values", .brief = true},
        integer.step);
}

}  // namespace canopy
