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

/// A real number in [low, high]. On a log scale (low > 0) cells are halved in log units, so that
/// 1..10 gets as much attention as 10..100.
struct Real {
  static constexpr std::string_view kName = "real";
  static constexpr bool kOrdered = true;

  double low = 0.0;
  double high = 1.0;
  Scale scale = Scale::linear;

  // The operations of every kind: see Domain.
  [[nodiscard]] std::vector<Violation> violations() const;
  [[nodiscard]] std::array<double, 2> ends() const { return {low, high}; }
  [[nodiscard]] static std::optional<std::uint64_t> count() { return std::nullopt; }
  [[nodiscard]] static double spacing() { return 0.0; }
  [[nodiscard]] bool contains(double coordinate) const;
  [[nodiscard]] static Value value(double coordinate) { return coordinate; }
  [[nodiscard]] std::optional<double> coordinate(const Value& value) const;
  [[nodiscard]] double at(double share) const;
  [[nodiscard]] double share(double coordinate) const;
  [[nodiscard]] std::shared_ptr<const CutAxis> axis() const;
  [[nodiscard]] std::vector<double> grid(std::uint64_t points) const;
  [[nodiscard]] std::vector<double> ticks(std::size_t most) const;
  [[nodiscard]] std::string text(double coordinate) const;
  [[nodiscard]] std::string description() const;
  [[nodiscard]] static bool measures_like(const Real& /*other*/) { return true; }

  friend bool operator==(const Real&, const Real&) = default;
};

template <class Visit>
void visit_fields(Real& real, Visit&& visit) {
  visit(Field{.name = "low", .help = "the smallest value", .required = true}, real.low);
  visit(Field{.name = "high", .help = "the largest value", .required = true}, real.high);
  visit(Field{.name = "scale", .help = "linear or log"}, real.scale);
}

}  // namespace canopy
