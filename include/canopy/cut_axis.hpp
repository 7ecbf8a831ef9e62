#pragma once

#include <array>
#include <cstdint>

namespace canopy {

/// How one coordinate of a box is cut.
///
/// The side of a cell is given by its two ends, in the units in which the axis is cut: log units on
/// a log scale, for example. Where the values are a list, both ends belong to the side.
class CutAxis {
 public:
  /// The largest number of parts that a side is cut into.
  static constexpr std::uint32_t kMostParts = 10;

  /// One number for each part.
  using PerPart = std::array<double, kMostParts>;

  /// See Partition::Reach.
  struct Reach {
    double arm = 0.0;
    double half_side = 0.0;
  };

  CutAxis() = default;
  CutAxis(const CutAxis&) = delete;
  CutAxis& operator=(const CutAxis&) = delete;
  virtual ~CutAxis() = default;

  /// The side of the whole range.
  [[nodiscard]] virtual std::array<double, 2> root() const = 0;

  /// The number of parts that a side is cut into if `wanted` are requested: 0 if it cannot be cut.
  [[nodiscard]] virtual std::uint32_t part_count(double from, double to,
                                                 std::uint32_t wanted) const = 0;

  /// The upper ends of all parts but the last, if the parts are equal.
  [[nodiscard]] virtual PerPart equal_ends(double from, double to, std::uint32_t parts) const = 0;

  /// The upper ends of all parts but the last, if the side is cut near these increasing fractions
  /// of it.
  [[nodiscard]] virtual PerPart ends_at(double from, double to, std::uint32_t parts,
                                        const PerPart& shares) const = 0;

  /// The start of the part that follows a part with this upper end.
  [[nodiscard]] virtual double next_start(double end) const = 0;

  /// The middle of a side.
  [[nodiscard]] virtual double middle(double from, double to) const = 0;

  /// Converts a number of this axis to the coordinate of an arm.
  [[nodiscard]] virtual double coordinate(double place) const { return place; }
  [[nodiscard]] virtual double place(double coordinate) const { return coordinate; }

  /// The length of a side as a share of the whole range.
  [[nodiscard]] virtual double relative_width(double from, double to) const = 0;

  /// The position of the middle of a side, and the side's extent around it.
  [[nodiscard]] virtual Reach reach(double from, double to) const = 0;
};

}  // namespace canopy
