#pragma once

#include "canopy/cut_axis.hpp"
#include "canopy/enum_names.hpp"
#include "canopy/space.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// How a cell's depth bounds the variation of f within it.
enum class Extent : std::uint8_t {
  shrinks,    ///< f varies less in deeper cells: reals, integers.
  one_arm,    ///< The cell holds a single arm.
  unordered,  ///< The cell holds several values of a choice: depth says nothing about f.
};

/// A recursive partition of a set: the P_{h,i} and x_{h,i} of the paper.
///
/// A cell is a row of `cell_size()` numbers that only the partition interprets: the ends of a box,
/// or an index into a taxonomy. The tree stores the rows and passes them back, so that a partition
/// is stateless and one object may serve many optimizers and threads. To search a custom set,
/// derive from this class; the arm of a cell is then any vector of numbers that identifies an
/// element.
class Partition {
 public:
  /// The largest number of parts of a cell: in the path to a node, a part is a single digit.
  static constexpr std::uint32_t kMostParts = CutAxis::kMostParts;

  virtual ~Partition() = default;

  /// Number of coordinates of an arm.
  [[nodiscard]] virtual std::size_t dimension() const = 0;

  /// Number of values that describe a cell.
  [[nodiscard]] virtual std::size_t cell_size() const = 0;

  /// Writes the cell of the whole set.
  virtual void root(std::span<double> cell) const = 0;

  /// The number of parts into which every cell is cut: 2 to kMostParts. If `cut` is overridden, the
  /// largest number.
  [[nodiscard]] virtual std::uint32_t arity() const { return 2; }

  /// Writes the parts of a cell at depth `depth`, one after the other, and returns true; or returns
  /// false if the cell cannot be cut, so that it stays a leaf.
  [[nodiscard]] virtual bool split(std::span<const double> cell, std::uint32_t depth,
                                   std::span<double> parts) const = 0;

  /// `split` for cells with different numbers of parts: writes the parts and returns their number,
  /// at least two, or 0 if the cell cannot be cut. Only used by trees of any arity.
  [[nodiscard]] virtual std::uint32_t cut(std::span<const double> cell, std::uint32_t depth,
                                          std::span<double> parts) const {
    return split(cell, depth, parts) ? arity() : 0;
  }

  /// Writes the point that represents the cell.
  virtual void arm(std::span<const double> cell, std::span<double> arm) const = 0;

  /// How the depth of this cell bounds the variation of f in it.
  [[nodiscard]] virtual Extent extent(std::span<const double> /*cell*/) const {
    return Extent::shrinks;
  }

  /// Whether these numbers are an arm of the set.
  [[nodiscard]] virtual bool contains(Arm arm) const { return arm.size() == dimension(); }

  /// Whether an arm of the set is in this cell; false if that is not known.
  [[nodiscard]] virtual bool holds(std::span<const double> /*cell*/, Arm /*arm*/) const {
    return false;
  }

  /// The position of a cell's arm and the extent of the cell to either side of its middle, along
  /// one coordinate, with the whole set scaled to [0, 1].
  using Reach = CutAxis::Reach;
  /// None if distances have no meaning.
  [[nodiscard]] virtual std::optional<Reach> reach(std::span<const double> /*cell*/,
                                                   std::size_t /*axis*/) const {
    return std::nullopt;
  }
};

/// The arity of a partition. Throws ConfigurationError unless it equals `wanted` or, if that is 0,
/// is one that a tree supports.
[[nodiscard]] std::uint32_t checked_arity(const Partition& partition, std::uint32_t wanted);

/// Which side of a box is cut, and where.
enum class SplitRule {
  cyclic,        ///< The first side that can be cut, in cyclic order from `depth mod dimension`.
  longest_side,  ///< The side that is the largest part of its full range; ties go to the
                 ///< first.
  random_side,   ///< Any side that can be cut, with equal probability.
  random_cut,    ///< A random side, cut at places that are uniform within it.
  every_side,    ///< All sides, each in two: 2^dimension parts, for up to three parameters.
};

template <>
struct EnumNames<SplitRule> {
  static constexpr std::array<std::string_view, 5> names{"cyclic", "longest_side", "random_side",
                                                         "random_cut", "every_side"};
};

/// The rule for cutting boxes. As text: `cyclic`; `cyclic/3`, into three parts; `random_cut/3@7`,
/// with the seed 7.
struct PartitionRule {
  PartitionRule() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a SplitRule alone is a rule
  PartitionRule(SplitRule rule, std::optional<std::uint32_t> number = std::nullopt)
      : split(rule), parts(number) {}

  SplitRule split = SplitRule::cyclic;

  /// 2 to 10: the number of parts of a side. None: the algorithm's default, mostly two.
  std::optional<std::uint32_t> parts = std::nullopt;

  /// Seed of random cuts. The same cell is always cut in the same way.
  std::uint64_t seed = 1;

  friend bool operator==(const PartitionRule&, const PartitionRule&) = default;
};

[[nodiscard]] std::string text_of(const PartitionRule& rule);

/// Parses a rule; none if the text is not one.
[[nodiscard]] std::optional<PartitionRule> partition_rule_from(std::string_view text);

/// The constraint on a rule, for messages.
inline constexpr std::string_view kPartitionMustBe =
    "must be cyclic, longest_side, random_side, random_cut or every_side, with a number of parts "
    "from 2 to 10 and a seed, both optional: \"cyclic/3\", \"random_cut/2@7\"";

/// Boxes cut into equal parts along one coordinate; the arm is the centre. On a log scale, both are
/// in log units. Integers and choices are cut as lists into runs whose lengths differ by at most
/// one (of two runs, the left one gets the extra element) and represented by their middle element,
/// rounded down. Integers on a log scale are halved at the number nearest to sqrt(from (to + 1)),
/// the middle of log(from)..log(to + 1), and represented by that number, rounded down; the same
/// applies to more parts. CutAxis defines how a side is cut; this class chooses the side.
///
/// If a list has fewer values left than the number of parts, each value is a part of its own: such
/// a cell has fewer parts than others, so that every arm of a finite space eventually has a cell.
/// With an odd number of equal parts, the middle part has the arm of the whole cell, except for
/// integers on a log scale.
class BoxPartition final : public Partition {
 public:
  /// Throws ConfigurationError.
  explicit BoxPartition(const Space& space, const PartitionRule& rule = {});

  [[nodiscard]] std::size_t dimension() const override { return sides_.size(); }
  [[nodiscard]] std::size_t cell_size() const override { return 2 * sides_.size(); }
  void root(std::span<double> cell) const override;
  [[nodiscard]] std::uint32_t arity() const override { return arity_; }
  /// With more than two parts, a cell may have fewer; `cut` returns the number.
  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t depth,
                           std::span<double> parts) const override {
    return cut(cell, depth, parts) != 0;
  }
  [[nodiscard]] std::uint32_t cut(std::span<const double> cell, std::uint32_t depth,
                                  std::span<double> parts) const override;
  void arm(std::span<const double> cell, std::span<double> arm) const override;

  /// `unordered` while a choice has several values left, `one_arm` once every parameter has a
  /// single value, else `shrinks`.
  [[nodiscard]] Extent extent(std::span<const double> cell) const override;

  [[nodiscard]] bool contains(Arm arm) const override { return space_.contains(arm); }

  [[nodiscard]] bool holds(std::span<const double> cell, Arm arm) const override;
  [[nodiscard]] std::optional<Reach> reach(std::span<const double> cell,
                                           std::size_t axis) const override;

  /// The two ends of a cell along one coordinate, in the user's units.
  [[nodiscard]] std::array<double, 2> side(std::span<const double> cell, std::size_t axis) const;

 private:
  struct Side {
    std::shared_ptr<const CutAxis> axis;
    bool ordered;  ///< Otherwise the order says nothing about f.
  };

  [[nodiscard]] bool can_cut(std::span<const double> cell, std::size_t axis) const;
  [[nodiscard]] std::size_t choose_axis(std::span<const double> cell, std::uint32_t depth) const;
  [[nodiscard]] std::size_t random_axis(std::span<const double> cell, std::uint64_t seed) const;
  [[nodiscard]] std::uint32_t halve_every_side(std::span<const double> cell,
                                               std::span<double> parts) const;

  Space space_;
  std::vector<Side> sides_;
  PartitionRule rule_;
  std::uint32_t side_parts_;  // number of parts of a side
  std::uint32_t arity_;
};

}  // namespace canopy
