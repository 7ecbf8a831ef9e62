#pragma once

#include "canopy/domain.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace canopy {

struct Parameter {
  std::string name;
  Domain domain;

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// A point of a space: one coordinate (see Domain) per parameter, in the order of the parameters.
using Arm = std::span<const double>;

/// The search space: a box of named parameters. Immutable after construction, so it may be shared
/// among threads.
class Space {
 public:
  /// Throws ConfigurationError when there is no parameter, a name is empty or repeated, or a domain
  /// has violations.
  explicit Space(std::vector<Parameter> parameters);
  Space(std::initializer_list<Parameter> parameters);

  [[nodiscard]] std::size_t dimension() const { return parameters_.size(); }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }

  /// The value of coordinate `index` of the arm, in the user's form.
  [[nodiscard]] Value value(Arm arm, std::size_t index) const;

  /// The coordinate of a value of that parameter; none if the value is not valid.
  [[nodiscard]] std::optional<double> coordinate(std::size_t index, const Value& value) const;

  /// Whether these numbers are an arm of the space.
  [[nodiscard]] bool contains(Arm arm) const;

  /// The number of values of a parameter; none if it is continuous.
  [[nodiscard]] std::optional<std::uint64_t> value_count(std::size_t index) const;

  /// Writes the arm at a point of the unit cube (see Domain::at): uniform points become uniform
  /// arms.
  void from_unit_cube(std::span<const double> point, std::span<double> arm) const;

  /// Writes a point of the unit cube that `from_unit_cube` maps to this arm, up to rounding: the
  /// middle one if there are several.
  void to_unit_cube(Arm arm, std::span<double> point) const;

  /// The arm as text: `x = 0.25, mode = fast`.
  [[nodiscard]] std::string describe(Arm arm) const;

  friend bool operator==(const Space&, const Space&) = default;

 private:
  std::vector<Parameter> parameters_;
};

}  // namespace canopy
