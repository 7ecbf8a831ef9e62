#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/space.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace canopy {

/// What depth says about how much f varies within a cell.
enum class Extent : std::uint8_t {
  shrinks,    ///< f varies less in deeper cells: reals, integers.
  one_arm,    ///< The cell holds a single arm.
  unordered,  ///< The cell still holds several values of a choice, about which depth says nothing.
};

/// How a set is cut into smaller and smaller parts: the P_{h,i} and x_{h,i} of the paper.
///
/// A cell is a row of `cell_size()` numbers that only the partition reads: the ends of a box, or an
/// index into a taxonomy. The tree keeps the rows and hands them back, so a partition has no state
/// and one object may serve many optimizers and threads. To search a set of your own, derive from
/// this class; the arm of a cell is then whatever numbers you use to find the element again.
class Partition {
 public:
  virtual ~Partition() = default;

  /// Numbers in an arm.
  [[nodiscard]] virtual std::size_t dimension() const = 0;

  /// Numbers in a cell.
  [[nodiscard]] virtual std::size_t cell_size() const = 0;

  /// Writes the cell of the whole set.
  virtual void root(std::span<double> cell) const = 0;

  /// Into how many parts a cell is cut: always the same.
  [[nodiscard]] virtual std::uint32_t arity() const { return 2; }

  /// Writes the parts of a cell at depth `depth`, one after the other, and returns true; or
  /// returns false if the cell cannot be cut: it then stays a leaf.
  [[nodiscard]] virtual bool split(std::span<const double> cell, std::uint32_t depth,
                                   std::span<double> parts) const = 0;

  /// Writes the point that represents the cell.
  virtual void arm(std::span<const double> cell, std::span<double> arm) const = 0;

  /// What the depth of this cell says about f in it.
  [[nodiscard]] virtual Extent extent(std::span<const double> /*cell*/) const {
    return Extent::shrinks;
  }

  /// Whether these numbers are an arm of the set.
  [[nodiscard]] virtual bool contains(Arm arm) const { return arm.size() == dimension(); }

  /// Whether an arm of the set is in this cell, as far as is known.
  [[nodiscard]] virtual bool holds(std::span<const double> /*cell*/, Arm /*arm*/) const {
    return false;
  }

  /// Where the arm of a cell is and how far the cell reaches to either side of its middle, along
  /// one coordinate, if the whole set goes from 0 to 1.
  struct Reach {
    double arm = 0.0;
    double half_side = 0.0;
  };
  /// None where distances mean nothing.
  [[nodiscard]] virtual std::optional<Reach> reach(std::span<const double> /*cell*/,
                                                   std::size_t /*axis*/) const {
    return std::nullopt;
  }
};

/// Which coordinate of a box is halved.
enum class SplitRule {
  cyclic,        ///< The first one that can be, in cyclic order from `depth mod dimension`.
  longest_side,  ///< The one whose side is the largest part of its full range; ties go to the
                 ///< first.
};

template <>
struct EnumNames<SplitRule> {
  static constexpr std::array<std::string_view, 2> names{"cyclic", "longest_side"};
};

/// Boxes halved at the midpoint of one coordinate; the arm is the centre. On a log scale, both are
/// in log units. Integers and choices are halved as lists (the left half gets the extra
/// element) and represented by their middle element, rounded down. Integers on a log scale are
/// halved where sqrt(from (to + 1)) is nearest, the middle of log(from)..log(to + 1), and
/// represented by that number, rounded down.
class BoxPartition final : public Partition {
 public:
  explicit BoxPartition(const Space& space, SplitRule rule = SplitRule::cyclic);

  [[nodiscard]] std::size_t dimension() const override { return axes_.size(); }
  [[nodiscard]] std::size_t cell_size() const override { return 2 * axes_.size(); }
  void root(std::span<double> cell) const override;
  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t depth,
                           std::span<double> parts) const override;
  void arm(std::span<const double> cell, std::span<double> arm) const override;

  /// `unordered` while a choice has several values left, `one_arm` once nothing has, else
  /// `shrinks`.
  [[nodiscard]] Extent extent(std::span<const double> cell) const override;

  [[nodiscard]] bool contains(Arm arm) const override { return space_.contains(arm); }

  [[nodiscard]] bool holds(std::span<const double> cell, Arm arm) const override;
  [[nodiscard]] std::optional<Reach> reach(std::span<const double> cell,
                                           std::size_t axis) const override;

  /// The two ends of a cell along one coordinate, in the user's units.
  [[nodiscard]] std::array<double, 2> side(std::span<const double> cell, std::size_t axis) const;

 private:
  enum class Kind { linear, log, whole, whole_log };

  /// One coordinate in the units in which it is halved.
  struct Axis {
    Kind kind;
    double low, high;                ///< of the whole range, in those units
    double lowest_arm, highest_arm;  ///< of the whole range, in the user's units
    std::int64_t step = 1;           ///< from one whole number to the next
    bool unordered = false;          ///< a choice: its order says nothing about f

    [[nodiscard]] bool is_whole() const { return kind == Kind::whole || kind == Kind::whole_log; }
    [[nodiscard]] double middle(double from, double to) const;

    /// The upper end of the left half and the lower end of the right one.
    [[nodiscard]] std::array<double, 2> cut(double from, double to) const;
    [[nodiscard]] double in_user_units(double value) const;
    [[nodiscard]] bool can_split(double from, double to) const;
    [[nodiscard]] double relative_width(double from, double to) const;
    [[nodiscard]] double relative_place(double value) const;
  };

  [[nodiscard]] std::size_t choose_axis(std::span<const double> cell, std::uint32_t depth) const;

  Space space_;
  std::vector<Axis> axes_;
  SplitRule rule_;
};

}  // namespace canopy
