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
  /// A cell is cut into so many parts at most: one digit names a part in the path to a node.
  static constexpr std::uint32_t kMostParts = CutAxis::kMostParts;

  virtual ~Partition() = default;

  /// Numbers in an arm.
  [[nodiscard]] virtual std::size_t dimension() const = 0;

  /// Numbers in a cell.
  [[nodiscard]] virtual std::size_t cell_size() const = 0;

  /// Writes the cell of the whole set.
  virtual void root(std::span<double> cell) const = 0;

  /// Into how many parts a cell is cut: 2 to kMostParts, always the same. Where `cut` is
  /// overridden, the most that there are.
  [[nodiscard]] virtual std::uint32_t arity() const { return 2; }

  /// Writes the parts of a cell at depth `depth`, one after the other, and returns true; or
  /// returns false if the cell cannot be cut: it then stays a leaf.
  [[nodiscard]] virtual bool split(std::span<const double> cell, std::uint32_t depth,
                                   std::span<double> parts) const = 0;

  /// The same where some cells have fewer parts than others: writes them and returns how many there
  /// are, at least two, or 0 if the cell cannot be cut. Only trees of any arity ask for this.
  [[nodiscard]] virtual std::uint32_t cut(std::span<const double> cell, std::uint32_t depth,
                                          std::span<double> parts) const {
    return split(cell, depth, parts) ? arity() : 0;
  }

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
  using Reach = CutAxis::Reach;
  /// None where distances mean nothing.
  [[nodiscard]] virtual std::optional<Reach> reach(std::span<const double> /*cell*/,
                                                   std::size_t /*axis*/) const {
    return std::nullopt;
  }
};

/// The arity of a partition. Throws ConfigurationError unless it is the one that is wanted, or, if
/// that is 0, one that a tree can have.
[[nodiscard]] std::uint32_t checked_arity(const Partition& partition, std::uint32_t wanted);

/// Which side of a box is cut, and where.
enum class SplitRule {
  cyclic,        ///< The first one that can be, in cyclic order from `depth mod dimension`.
  longest_side,  ///< The one whose side is the largest part of its full range; ties go to the
                 ///< first.
  random_side,   ///< Any that can be, with equal probability.
  random_cut,    ///< The same, and not into equal parts: the cuts are uniform within the side.
  every_side,    ///< All of them, each in two: 2^dimension parts, for up to three parameters.
};

template <>
struct EnumNames<SplitRule> {
  static constexpr std::array<std::string_view, 5> names{"cyclic", "longest_side", "random_side",
                                                         "random_cut", "every_side"};
};

/// How boxes are cut. As text: `cyclic`; `cyclic/3`, into three parts; `random_cut/3@7`, with the
/// seed 7.
struct PartitionRule {
  PartitionRule() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a rule is most of it
  PartitionRule(SplitRule rule, std::optional<std::uint32_t> number = std::nullopt)
      : split(rule), parts(number) {}

  SplitRule split = SplitRule::cyclic;

  /// 2 to 10: how many parts a side is cut into. None: what suits the algorithm, mostly two.
  std::optional<std::uint32_t> parts = std::nullopt;

  /// Of what is drawn at random. The same cell is always cut in the same way.
  std::uint64_t seed = 1;

  friend bool operator==(const PartitionRule&, const PartitionRule&) = default;
};

[[nodiscard]] std::string text_of(const PartitionRule& rule);

/// What was written; none if it is no rule.
[[nodiscard]] std::optional<PartitionRule> partition_rule_from(std::string_view text);

/// What a rule must be, for messages.
inline constexpr std::string_view kPartitionMustBe =
    "must be cyclic, longest_side, random_side, random_cut or every_side, with a number of parts "
    "from 2 to 10 and a seed if you like: \"cyclic/3\", \"random_cut/2@7\"";

/// Boxes cut into equal parts along one coordinate; the arm is the centre. On a log scale, both are
/// in log units. Integers and choices are cut as lists into runs that differ in length by one
/// at most (of two, the left one gets the extra element) and represented by their middle element,
/// rounded down. Integers on a log scale are halved where sqrt(from (to + 1)) is nearest, the
/// middle of log(from)..log(to + 1), and represented by that number, rounded down; more parts
/// likewise. How a side is cut is up to its CutAxis; here is which one is.
///
/// Where a list has fewer values left than there should be parts, each is a part of its own: such a
/// cell has fewer parts than others, and every arm of a finite space is in the end a cell. Of an
/// odd number of equal parts, the middle one has the arm of the whole, except of integers on a log
/// scale.
class BoxPartition final : public Partition {
 public:
  /// Throws ConfigurationError.
  explicit BoxPartition(const Space& space, const PartitionRule& rule = {});

  [[nodiscard]] std::size_t dimension() const override { return sides_.size(); }
  [[nodiscard]] std::size_t cell_size() const override { return 2 * sides_.size(); }
  void root(std::span<double> cell) const override;
  [[nodiscard]] std::uint32_t arity() const override { return arity_; }
  /// Of more than two parts there may be fewer; `cut` says how many.
  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t depth,
                           std::span<double> parts) const override {
    return cut(cell, depth, parts) != 0;
  }
  [[nodiscard]] std::uint32_t cut(std::span<const double> cell, std::uint32_t depth,
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
  std::uint32_t side_parts_;  // into how many parts a side is cut
  std::uint32_t arity_;
};

}  // namespace canopy
