#pragma once

#include "canopy/enum_names.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace canopy {

enum class Scale { linear, log };

template <>
struct EnumNames<Scale> {
  static constexpr std::array<std::string_view, 2> names{"linear", "log"};
};

/// A real number in [low, high]. On a log scale (low > 0) cells are halved in log units, so that
/// 1..10 gets as much attention as 10..100.
struct Real {
  double low = 0.0;
  double high = 1.0;
  Scale scale = Scale::linear;

  friend bool operator==(const Real&, const Real&) = default;
};

/// A whole number: low, low + step, low + 2 step, ... up to the last that is not above high, all
/// within +-2^53. On a log scale (low >= 1, step 1) cells are halved in log units, where the number
/// i takes the place from log i to log(i + 1).
struct Integer {
  std::int64_t low = 0;
  std::int64_t high = 1;
  Scale scale = Scale::linear;
  std::int64_t step = 1;

  /// The largest value: high, unless the steps miss it.
  [[nodiscard]] std::int64_t last() const { return high - (high - low) % step; }

  friend bool operator==(const Integer&, const Integer&) = default;
};

/// One of a list of values, in the order given. Neighbours in the list share cells, so put similar
/// values side by side.
struct Choice {
  std::vector<std::string> choices;

  friend bool operator==(const Choice&, const Choice&) = default;
};

struct Parameter {
  std::string name;
  std::variant<Real, Integer, Choice> domain;

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// A point of a space: one number per parameter, in the order of the parameters. A real is its
/// value, an integer its value as a double, a choice the index in its list.
using Arm = std::span<const double>;

/// One coordinate of an arm as the user knows it.
using Value = std::variant<double, std::int64_t, std::string>;

/// A box of named parameters: what is being tuned. Immutable after construction, so it may be
/// shared among threads.
class Space {
 public:
  /// Throws ConfigurationError when there is no parameter, a name is empty or repeated, bounds are
  /// not finite or not in order, a log scale starts at or below zero, a step is not between 1 and
  /// high - low or not 1 on a log scale, or a list is empty or repeats.
  explicit Space(std::vector<Parameter> parameters);
  Space(std::initializer_list<Parameter> parameters);

  [[nodiscard]] std::size_t dimension() const { return parameters_.size(); }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }

  /// Coordinate `index` of the arm, typed: a double, a whole number, or the chosen text.
  [[nodiscard]] Value value(Arm arm, std::size_t index) const;

  /// The coordinate of a value of that parameter; none if it is not one of its values.
  [[nodiscard]] std::optional<double> coordinate(std::size_t index, const Value& value) const;

  /// Whether these numbers are an arm of the space.
  [[nodiscard]] bool contains(Arm arm) const;

  /// How many values a parameter has; none for a real.
  [[nodiscard]] std::optional<std::uint64_t> value_count(std::size_t index) const;

  /// Writes the arm at a point of the unit cube: uniform points become uniform arms, on a log scale
  /// in log units. There, an integer i is as likely as log((i + 1) / i) is large.
  void from_unit_cube(std::span<const double> point, std::span<double> arm) const;

  /// Writes a point of the unit cube that `from_unit_cube` takes to this arm, up to rounding: the
  /// middle of them if there are several.
  void to_unit_cube(Arm arm, std::span<double> point) const;

  /// The arm for people: `x = 0.25, mode = fast`. Numbers are rounded to about a hundred-thousandth
  /// of the range.
  [[nodiscard]] std::string describe(Arm arm) const;

  friend bool operator==(const Space&, const Space&) = default;

 private:
  std::vector<Parameter> parameters_;
};

}  // namespace canopy
