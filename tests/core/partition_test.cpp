// A cell of a box has, for each axis, its lower end and then its upper end, in log units on a log
// scale; both ends of whole numbers belong to the cell.

#include "canopy/partition.hpp"

#include "canopy/random.hpp"
#include "canopy/space.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using Cell = std::vector<double>;

Cell root_of(const Partition& partition) {
  Cell cell(partition.cell_size());
  partition.root(cell);
  return cell;
}

std::optional<std::pair<Cell, Cell>> halves(const Partition& partition, const Cell& cell,
                                            std::uint32_t depth) {
  Cell parts(2 * cell.size());
  if (!partition.split(cell, depth, parts)) return std::nullopt;
  const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(cell.size());
  return std::pair{Cell(parts.begin(), middle), Cell(middle, parts.end())};
}

std::vector<double> arm_of(const Partition& partition, const Cell& cell) {
  std::vector<double> arm(partition.dimension());
  partition.arm(cell, arm);
  return arm;
}

/// The axis that was cut; fails unless it is exactly one.
std::size_t cut_axis(const Cell& cell, const Cell& left, const Cell& right) {
  std::vector<std::size_t> cut;
  for (std::size_t axis = 0; 2 * axis < cell.size(); ++axis) {
    const bool same_left =
        left[2 * axis] == cell[2 * axis] && left[2 * axis + 1] == cell[2 * axis + 1];
    const bool same_right =
        right[2 * axis] == cell[2 * axis] && right[2 * axis + 1] == cell[2 * axis + 1];
    if (!same_left || !same_right) cut.push_back(axis);
  }
  EXPECT_EQ(cut.size(), 1U) << "axes cut at once";
  return cut.empty() ? 0 : cut.front();
}

/// The axes cut on the way down, always into the left half, until nothing can be cut.
std::vector<std::size_t> axes_cut(const Partition& partition, std::uint32_t deepest) {
  std::vector<std::size_t> axes;
  Cell cell = root_of(partition);
  for (std::uint32_t depth = 0; depth < deepest; ++depth) {
    const auto both = halves(partition, cell, depth);
    if (!both) break;
    axes.push_back(cut_axis(cell, both->first, both->second));
    cell = both->first;
  }
  return axes;
}

/// The elements of a space of one integer or choice, by the leaves of its tree from left to right.
void collect_leaves(const Partition& partition, const Cell& cell, std::uint32_t depth,
                    std::vector<double>& found) {
  if (const auto both = halves(partition, cell, depth)) {
    collect_leaves(partition, both->first, depth + 1, found);
    collect_leaves(partition, both->second, depth + 1, found);
  } else {
    ASSERT_EQ(cell[0], cell[1]) << "cannot be cut though it has several elements";
    found.push_back(arm_of(partition, cell)[0]);
  }
}

/// A few integers: in steps, on a log scale, or plain.
Integer random_integers(std::int64_t most) {
  const std::int64_t width = *rc::gen::inRange<std::int64_t>(1, most);
  if (*rc::gen::arbitrary<bool>()) {
    const auto low = *rc::gen::inRange<std::int64_t>(1, 1000);
    return {low, low + width, Scale::log};
  }
  const auto low = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  return {low, low + width, Scale::linear, *rc::gen::inRange<std::int64_t>(1, width + 1)};
}

Parameter random_parameter(std::string name) {
  switch (*rc::gen::inRange(0, 5)) {
    case 0: {
      const double low = *rc::gen::inRange(-1000, 1000) / 7.0;
      return {std::move(name), Real{low, low + *rc::gen::inRange(1, 1000) / 13.0}};
    }
    case 1: {
      const double low = std::pow(10.0, *rc::gen::inRange(-300, 200) / 10.0);
      const double factor = std::pow(10.0, *rc::gen::inRange(1, 100) / 10.0);
      return {std::move(name), Real{low, low * factor, Scale::log}};
    }
    case 2: {
      const auto low = *rc::gen::inRange<std::int64_t>(-1000, 1000);
      return {std::move(name), Integer{low, low + *rc::gen::inRange<std::int64_t>(1, 100)}};
    }
    case 3:
      return {std::move(name), random_integers(100)};
    default: {
      Choice choice;
      const int values = *rc::gen::inRange(1, 9);
      for (int i = 0; i < values; ++i) choice.choices.push_back("value" + std::to_string(i));
      return {std::move(name), std::move(choice)};
    }
  }
}

Space random_space() {
  std::vector<Parameter> parameters;
  const int dimension = *rc::gen::inRange(1, 5);
  parameters.reserve(static_cast<std::size_t>(dimension));
  for (int i = 0; i < dimension; ++i) {
    parameters.push_back(random_parameter("p" + std::to_string(i)));
  }
  return Space(std::move(parameters));
}

bool is_real(const Parameter& parameter) {
  return parameter.domain.as<Real>() != nullptr;
}

/// The integers of a parameter on a log scale; null for any other parameter.
const Integer* log_integers_of(const Parameter& parameter) {
  const auto* integer = parameter.domain.as<Integer>();
  return integer != nullptr && integer->scale == Scale::log ? integer : nullptr;
}

double step_of(const Parameter& parameter) {
  const auto* integer = parameter.domain.as<Integer>();
  return integer != nullptr ? static_cast<double>(integer->step) : 1.0;
}

/// Checks that no other cut of the integers from..to makes halves that are more equal in log units.
void check_log_cut(double from, double to, double right) {
  const auto difference = [&](double start) {
    return std::abs(std::log(start / from) - std::log((to + 1.0) / start));
  };
  if (right > from + 1.0) RC_ASSERT(difference(right) <= difference(right - 1.0) + 1e-9);
  if (right < to) RC_ASSERT(difference(right) <= difference(right + 1.0) + 1e-9);
}

/// Checks that the two halves cover the cell and do not overlap.
void check_halves(const Parameter& parameter, const double* cell, const double* left,
                  const double* right) {
  RC_ASSERT(left[0] == cell[0]);
  RC_ASSERT(right[1] == cell[1]);
  if (is_real(parameter)) {
    RC_ASSERT(left[1] == right[0]);
    RC_ASSERT(cell[0] < left[1] && left[1] < cell[1]);
    RC_ASSERT(std::abs((left[1] - cell[0]) - (cell[1] - left[1])) <=
              1e-15 * (std::abs(cell[0]) + std::abs(cell[1])));
    return;
  }
  RC_ASSERT(left[0] <= left[1] && right[0] <= right[1]);
  RC_ASSERT(right[0] == left[1] + step_of(parameter));
  if (log_integers_of(parameter) != nullptr) {
    check_log_cut(cell[0], cell[1], right[0]);
  } else {
    const double extra = (left[1] - left[0]) - (right[1] - right[0]);
    RC_ASSERT(extra == 0.0 || extra == step_of(parameter));
  }
}

/// Checks that the arm is the middle of the cell, in the user's units.
void check_arm(const Parameter& parameter, const double* cell, double arm) {
  if (const auto* real = parameter.domain.as<Real>()) {
    RC_ASSERT(real->low <= arm && arm <= real->high);
    const bool log = real->scale == Scale::log;
    const double low = log ? std::exp(cell[0]) * (1.0 - 1e-12) : cell[0];
    const double high = log ? std::exp(cell[1]) * (1.0 + 1e-12) : cell[1];
    RC_ASSERT(low <= arm && arm <= high);
    const double middle = log ? std::exp(0.5 * (cell[0] + cell[1])) : 0.5 * (cell[0] + cell[1]);
    RC_ASSERT(std::abs(arm - middle) <= 1e-12 * std::abs(middle) + 1e-300);
  } else if (log_integers_of(parameter) != nullptr) {
    RC_ASSERT(arm == std::floor(std::sqrt(cell[0] * (cell[1] + 1.0))));
  } else {
    const double step = step_of(parameter);
    RC_ASSERT(arm == cell[0] + step * std::floor(0.5 * (cell[1] - cell[0]) / step));
  }
}

RC_GTEST_PROP(Partition, HalvesCoverTheCellWithoutOverlap, ()) {
  const Space space = random_space();
  const auto rule = *rc::gen::element(SplitRule::cyclic, SplitRule::longest_side);
  const BoxPartition partition(space, rule);
  RandomStream turns({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  Cell cell = root_of(partition);
  for (std::uint32_t depth = 0; depth < 200; ++depth) {
    const std::vector<double> arm = arm_of(partition, cell);
    for (std::size_t i = 0; i < arm.size(); ++i) {
      check_arm(space.parameters()[i], &cell[2 * i], arm[i]);
    }
    const auto both = halves(partition, cell, depth);
    if (!both) break;
    const std::size_t axis = cut_axis(cell, both->first, both->second);
    check_halves(space.parameters()[axis], &cell[2 * axis], &both->first[2 * axis],
                 &both->second[2 * axis]);
    cell = turns.uniform() < 0.5 ? both->first : both->second;
  }
}

RC_GTEST_PROP(Partition, EveryValueOfAnIntegerIsALeafExactlyOnceAndInOrder, ()) {
  const Integer integer = random_integers(300);
  const Space space{{"n", integer}};
  const BoxPartition partition(space);
  std::vector<double> found;
  collect_leaves(partition, root_of(partition), 0, found);
  std::vector<double> expected;
  for (std::int64_t n = integer.low; n <= integer.high; n += integer.step) {
    expected.push_back(static_cast<double>(n));
  }
  RC_ASSERT(found == expected);
  RC_ASSERT(space.value_count(0) == expected.size());
  for (const double value : found) RC_ASSERT(partition.contains(std::vector{value}));
}

RC_GTEST_PROP(Partition, EveryIntegerIsALeafExactlyOnceAndInOrder, ()) {
  const auto low = *rc::gen::inRange<std::int64_t>(-500, 500);
  const auto high = low + *rc::gen::inRange<std::int64_t>(1, 300);
  const BoxPartition partition(Space{{"n", Integer{low, high}}});
  std::vector<double> found;
  collect_leaves(partition, root_of(partition), 0, found);
  std::vector<double> expected;
  for (std::int64_t n = low; n <= high; ++n) expected.push_back(static_cast<double>(n));
  RC_ASSERT(found == expected);
}

TEST(Partition, ACellHasTwoNumbersAnAxis) {
  const BoxPartition partition(Space{{"x", Real{-1.0, 3.0}}, {"n", Integer{2, 9}}});
  EXPECT_EQ(partition.dimension(), 2U);
  EXPECT_EQ(partition.cell_size(), 4U);
  EXPECT_EQ(root_of(partition), (Cell{-1.0, 3.0, 2.0, 9.0}));
}

TEST(Partition, BoxesAreCutInTwoAndContainTheArmsOfTheirSpace) {
  const BoxPartition partition(Space{{"x", Real{-1.0, 3.0}}, {"n", Integer{2, 9}}});
  EXPECT_EQ(partition.arity(), 2U);
  EXPECT_TRUE(partition.contains(std::vector{3.0, 2.0}));
  EXPECT_FALSE(partition.contains(std::vector{3.5, 2.0}));
  EXPECT_FALSE(partition.contains(std::vector{3.0, 2.5}));
  EXPECT_FALSE(partition.contains(std::vector{3.0}));
}

TEST(Partition, RealsAreHalvedAtTheMidpointWhichBothHalvesShare) {
  const BoxPartition partition(Space{{"x", Real{-1.0, 3.0}}});
  const auto both = halves(partition, root_of(partition), 0);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->first, (Cell{-1.0, 1.0}));
  EXPECT_EQ(both->second, (Cell{1.0, 3.0}));
  EXPECT_EQ(arm_of(partition, root_of(partition)), std::vector{1.0});
  EXPECT_EQ(arm_of(partition, both->first), std::vector{0.0});
  EXPECT_EQ(arm_of(partition, both->second), std::vector{2.0});
}

TEST(Partition, ALogScaleIsHalvedInLogUnits) {
  const BoxPartition partition(Space{{"x", Real{1e-2, 1e6, Scale::log}}});
  const Cell root = root_of(partition);
  const auto both = halves(partition, root, 0);
  ASSERT_TRUE(both.has_value());
  // sqrt(1e-2 * 1e6) = 100: the geometric mean, where the halves 0.01..100 and 100..1e6 meet.
  EXPECT_NEAR(arm_of(partition, root)[0], 100.0, 1e-10);
  EXPECT_NEAR(arm_of(partition, both->first)[0], 1.0, 1e-12);
  EXPECT_NEAR(arm_of(partition, both->second)[0], 1e4, 1e-8);
}

TEST(Partition, TheSidesOfACellAreInUnitsOfTheUser) {
  const BoxPartition partition(
      Space{{"x", Real{1.0, 100.0, Scale::log}}, {"k", Integer{3, 8}}, {"y", Real{-1.0, 1.0}}});
  const Cell cell = root_of(partition);
  EXPECT_EQ(partition.side(cell, 0), (std::array{1.0, 100.0}));
  EXPECT_EQ(partition.side(cell, 1), (std::array{3.0, 8.0}));
  const auto by_x = halves(partition, cell, 0);
  ASSERT_TRUE(by_x.has_value());
  EXPECT_NEAR(partition.side(by_x->first, 0)[1], 10.0, 1e-12);
  EXPECT_EQ(partition.side(by_x->first, 0)[1], partition.side(by_x->second, 0)[0]);
  const auto by_y = halves(partition, cell, 2);
  ASSERT_TRUE(by_y.has_value());
  EXPECT_EQ(partition.side(by_y->second, 2), (std::array{0.0, 1.0}));
}

TEST(Partition, ArmsOnALogScaleNeverLeaveTheRange) {
  // exp(log(high)) may round to above high.
  for (const double low : {1e-3, 0.1, 0.7, 3.0, 1e5, 5e-324}) {
    const double high = low * 1e4;
    const BoxPartition partition(Space{{"x", Real{low, high, Scale::log}}});
    for (const bool rightwards : {false, true}) {
      Cell cell = root_of(partition);
      for (std::uint32_t depth = 0; depth < 100; ++depth) {
        const auto both = halves(partition, cell, depth);
        if (!both) break;
        cell = rightwards ? both->second : both->first;
        const double arm = arm_of(partition, cell)[0];
        ASSERT_GE(arm, low);
        ASSERT_LE(arm, high);
      }
    }
  }
}

TEST(Partition, TheLeftHalfOfAnOddListGetsTheExtraElement) {
  const BoxPartition partition(Space{{"n", Integer{3, 7}}});
  const auto both = halves(partition, root_of(partition), 0);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->first, (Cell{3.0, 5.0}));
  EXPECT_EQ(both->second, (Cell{6.0, 7.0}));
}

TEST(Partition, AnIntegerCellIsRepresentedByItsMiddleRoundedDown) {
  const BoxPartition partition(Space{{"n", Integer{-7, 8}}});
  EXPECT_EQ(arm_of(partition, Cell{3.0, 7.0}), std::vector{5.0});
  EXPECT_EQ(arm_of(partition, Cell{3.0, 6.0}), std::vector{4.0});
  EXPECT_EQ(arm_of(partition, Cell{-4.0, -3.0}), std::vector{-4.0}) << "down, not towards zero";
  EXPECT_EQ(arm_of(partition, Cell{-3.0, 2.0}), std::vector{-1.0}) << "-1/2 down";
  EXPECT_EQ(arm_of(partition, Cell{8.0, 8.0}), std::vector{8.0});
}

TEST(Partition, IntegersInStepsAreHalvedAsTheListOfTheirValues) {
  const BoxPartition partition(Space{{"n", Integer{0, 22, Scale::linear, 5}}});  // 0 5 10 15 20
  EXPECT_EQ(root_of(partition), (Cell{0.0, 20.0})) << "to the last value, not to high";
  EXPECT_EQ(arm_of(partition, root_of(partition)), std::vector{10.0});
  const auto both = halves(partition, root_of(partition), 0);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->first, (Cell{0.0, 10.0}));
  EXPECT_EQ(both->second, (Cell{15.0, 20.0}));
  EXPECT_EQ(arm_of(partition, both->second), std::vector{15.0});
  EXPECT_EQ(partition.side(both->second, 0), (std::array{15.0, 20.0}));
  EXPECT_EQ(partition.extent(both->second), Extent::shrinks);
  EXPECT_EQ(partition.extent(Cell{15.0, 15.0}), Extent::one_arm);
}

TEST(Partition, IntegersOnALogScaleAreHalvedInLogUnits) {
  const BoxPartition partition(Space{{"n", Integer{1, 65536, Scale::log}}});
  const Cell root = root_of(partition);
  EXPECT_EQ(root, (Cell{1.0, 65536.0}));
  EXPECT_EQ(arm_of(partition, root), std::vector{256.0});
  const auto both = halves(partition, root, 0);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->first, (Cell{1.0, 255.0}));
  EXPECT_EQ(both->second, (Cell{256.0, 65536.0}));
  EXPECT_EQ(arm_of(partition, both->first), std::vector{16.0});
  EXPECT_EQ(arm_of(partition, both->second), std::vector{4096.0});
  EXPECT_EQ(partition.side(both->second, 0), (std::array{256.0, 65536.0}));
}

TEST(Partition, FewIntegersOnALogScaleHaveHalvesThatAreNotEmpty) {
  const BoxPartition partition(Space{{"n", Integer{1, 100, Scale::log}}});
  const auto left = [&](double from, double to) {
    const auto both = halves(partition, Cell{from, to}, 0);
    return both ? both->first : Cell{};
  };
  EXPECT_EQ(left(1.0, 2.0), (Cell{1.0, 1.0}));
  EXPECT_EQ(left(1.0, 3.0), (Cell{1.0, 1.0})) << "1 takes as much as 2 and 3";
  EXPECT_EQ(left(99.0, 100.0), (Cell{99.0, 99.0}));
  EXPECT_EQ(left(98.0, 100.0), (Cell{98.0, 98.0}));
  EXPECT_EQ(left(7.0, 7.0), Cell{}) << "cannot be cut";
}

RC_GTEST_PROP(Partition, EveryIntegerOfTheWidestLogScaleCanBeReached, ()) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  const BoxPartition partition(Space{{"n", Integer{1, kLargest, Scale::log}}});
  const auto distance = *rc::gen::inRange<std::int64_t>(1, 1000);
  const auto somewhere = *rc::gen::inRange<std::int64_t>(1, kLargest + 1);
  const auto target =
      static_cast<double>(*rc::gen::element(somewhere, distance, kLargest + 1 - distance));
  Cell cell = root_of(partition);
  std::uint32_t depth = 0;
  while (const auto both = halves(partition, cell, depth)) {
    RC_ASSERT(both->first[0] <= both->first[1] && both->second[0] <= both->second[1]);
    RC_ASSERT(both->second[0] - both->first[1] == 1.0);
    cell = target <= both->first[1] ? both->first : both->second;
    RC_ASSERT(cell[0] <= target && target <= cell[1]);
    const double arm = arm_of(partition, cell)[0];
    RC_ASSERT(cell[0] <= arm && arm <= cell[1]);
    ++depth;
  }
  RC_ASSERT(arm_of(partition, cell) == std::vector{target});
  RC_ASSERT(depth <= 60U);
}

RC_GTEST_PROP(Partition, WideIntegersInStepsStayOnTheirSteps, ()) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  const auto step = *rc::gen::inRange<std::int64_t>(1, 1000);
  const Space space{{"n", Integer{-kLargest, kLargest, Scale::linear, step}}};
  const BoxPartition partition(space);
  RandomStream turns({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  Cell cell = root_of(partition);
  std::uint32_t depth = 0;
  while (const auto both = halves(partition, cell, depth)) {
    RC_ASSERT(both->second[0] - both->first[1] == static_cast<double>(step));
    cell = turns.uniform() < 0.5 ? both->first : both->second;
    RC_ASSERT(space.contains(arm_of(partition, cell)));
    ++depth;
  }
  RC_ASSERT(cell[0] == cell[1]);
}

TEST(Partition, AChoiceIsTheListOfItsIndices) {
  const BoxPartition partition(Space{{"c", Choice{{"a", "b", "c", "d", "e"}}}});
  EXPECT_EQ(root_of(partition), (Cell{0.0, 4.0}));
  EXPECT_EQ(arm_of(partition, root_of(partition)), std::vector{2.0});
  std::vector<double> found;
  collect_leaves(partition, root_of(partition), 0, found);
  EXPECT_EQ(found, (std::vector{0.0, 1.0, 2.0, 3.0, 4.0}));
}

// --- extent --------------------------------------------------------------------------------------

TEST(Partition, RealsAndIntegersShrinkWithDepthUntilOneArmIsLeft) {
  const BoxPartition partition(Space{{"x", Real{}}, {"n", Integer{0, 3}}});
  EXPECT_EQ(partition.extent(root_of(partition)), Extent::shrinks);
  EXPECT_EQ(partition.extent(Cell{0.25, 0.5, 2.0, 2.0}), Extent::shrinks) << "x is still wide";
  const BoxPartition integers(Space{{"n", Integer{0, 3}}, {"m", Integer{0, 1}}});
  EXPECT_EQ(integers.extent(root_of(integers)), Extent::shrinks);
  EXPECT_EQ(integers.extent(Cell{2.0, 2.0, 0.0, 1.0}), Extent::shrinks);
  EXPECT_EQ(integers.extent(Cell{2.0, 2.0, 1.0, 1.0}), Extent::one_arm);
}

TEST(Partition, ACellWithSeveralValuesOfAChoiceIsUnordered) {
  const BoxPartition partition(Space{{"n", Integer{0, 3}}, {"c", Choice{{"a", "b", "c"}}}});
  EXPECT_EQ(partition.extent(root_of(partition)), Extent::unordered);
  EXPECT_EQ(partition.extent(Cell{2.0, 2.0, 0.0, 1.0}), Extent::unordered);
  EXPECT_EQ(partition.extent(Cell{2.0, 3.0, 1.0, 1.0}), Extent::shrinks);
  EXPECT_EQ(partition.extent(Cell{2.0, 2.0, 1.0, 1.0}), Extent::one_arm);
}

TEST(Partition, AChoiceOfOneValueIsNeverUnordered) {
  const BoxPartition alone(Space{{"c", Choice{{"only"}}}});
  EXPECT_EQ(alone.extent(root_of(alone)), Extent::one_arm);
  const BoxPartition with_real(Space{{"c", Choice{{"only"}}}, {"x", Real{}}});
  EXPECT_EQ(with_real.extent(root_of(with_real)), Extent::shrinks);
}

RC_GTEST_PROP(Partition, ACellOfIntegersAndChoicesHoldsOneArmWhenItCannotBeCut, ()) {
  Choice choice{{"a", "b", "c", "d", "e"}};
  choice.choices.resize(*rc::gen::inRange<std::size_t>(1, 6));
  const BoxPartition partition(
      Space{{"n", Integer{0, *rc::gen::inRange<std::int64_t>(1, 100)}}, {"c", choice}});
  RandomStream turns({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  Cell cell = root_of(partition);
  for (std::uint32_t depth = 0;; ++depth) {
    const auto both = halves(partition, cell, depth);
    RC_ASSERT((partition.extent(cell) == Extent::one_arm) == !both.has_value());
    if (!both) break;
    cell = turns.uniform() < 0.5 ? both->first : both->second;
  }
}

// --- which axis is cut ---------------------------------------------------------------------------

TEST(Partition, TheCyclicRuleTakesTheAxesInTurn) {
  const BoxPartition partition(Space{{"x", Real{}}, {"y", Real{0.0, 100.0}}, {"z", Real{}}});
  EXPECT_EQ(axes_cut(partition, 7), (std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0}));
}

TEST(Partition, TheCyclicRuleStartsFromTheDepth) {
  const BoxPartition partition(Space{{"x", Real{}}, {"y", Real{}}, {"z", Real{}}});
  const Cell root = root_of(partition);
  for (std::uint32_t depth = 0; depth < 9; ++depth) {
    const auto both = halves(partition, root, depth);
    ASSERT_TRUE(both.has_value());
    EXPECT_EQ(cut_axis(root, both->first, both->second), depth % 3);
  }
}

TEST(Partition, TheCyclicRuleSkipsWhatCannotBeCut) {
  const BoxPartition partition(
      Space{{"x", Real{}}, {"one", Choice{{"only"}}}, {"n", Integer{0, 1}}});
  // Depth 1 passes over the single choice; from depth 3 on, n is a single integer as well.
  EXPECT_EQ(axes_cut(partition, 7), (std::vector<std::size_t>{0, 2, 0, 0, 0, 0, 0}));
  const Cell with_single_n = {0.0, 1.0, 0.0, 0.0, 1.0, 1.0};
  const auto both = halves(partition, with_single_n, 2);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(cut_axis(with_single_n, both->first, both->second), 0U) << "around the end";
}

TEST(Partition, TheLongestSideIsMeasuredByItsFullRange) {
  // Whatever the numeric length of y, the first cut is a tie and goes to x; the second goes to y.
  const BoxPartition partition(Space{{"x", Real{}}, {"y", Real{0.0, 1000.0}}},
                               SplitRule::longest_side);
  EXPECT_EQ(axes_cut(partition, 6), (std::vector<std::size_t>{0, 1, 0, 1, 0, 1}));
}

TEST(Partition, TheLongestSideRuleDoesNotDependOnTheDepth) {
  const BoxPartition partition(Space{{"x", Real{}}, {"y", Real{}}}, SplitRule::longest_side);
  for (std::uint32_t depth = 0; depth < 4; ++depth) {
    const Cell narrow_x = {0.25, 0.5, 0.0, 0.5};
    const auto both = halves(partition, narrow_x, depth);
    ASSERT_TRUE(both.has_value());
    EXPECT_EQ(both->first, (Cell{0.25, 0.5, 0.0, 0.25}));
    EXPECT_EQ(both->second, (Cell{0.25, 0.5, 0.25, 0.5}));
  }
}

TEST(Partition, TheLongestSideRulePassesOverWhatCannotBeCut) {
  const BoxPartition partition(
      Space{{"one", Choice{{"only"}}}, {"n", Integer{0, 3}}, {"x", Real{0.0, 1.0}}},
      SplitRule::longest_side);
  // n is cut first. Its left half 0..1 is a third of its range, so x has to shrink to 1/4 before
  // 0..1 is cut into single integers.
  EXPECT_EQ(axes_cut(partition, 6), (std::vector<std::size_t>{1, 2, 2, 1, 2, 2}));
}

TEST(Partition, TheLongestSideOfALogScaleIsMeasuredInLogUnits) {
  const BoxPartition partition(Space{{"x", Real{1.0, 1e8, Scale::log}}, {"y", Real{0.0, 1.0}}},
                               SplitRule::longest_side);
  EXPECT_EQ(axes_cut(partition, 4), (std::vector<std::size_t>{0, 1, 0, 1}));
}

TEST(Partition, TheLongestSideOfLogIntegersIsMeasuredInLogUnits) {
  const BoxPartition partition(Space{{"n", Integer{1, 65535, Scale::log}}, {"y", Real{0.0, 1.0}}},
                               SplitRule::longest_side);
  EXPECT_EQ(axes_cut(partition, 6), (std::vector<std::size_t>{0, 1, 0, 1, 0, 1}));
}

TEST(Partition, SingleIntegersCannotBeCut) {
  for (const SplitRule rule : {SplitRule::cyclic, SplitRule::longest_side}) {
    const BoxPartition partition(Space{{"n", Integer{0, 5}}, {"c", Choice{{"a", "b"}}}}, rule);
    EXPECT_FALSE(halves(partition, Cell{3.0, 3.0, 1.0, 1.0}, 0).has_value());
    EXPECT_TRUE(halves(partition, Cell{3.0, 3.0, 0.0, 1.0}, 0).has_value());
  }
}

TEST(Partition, AdjacentDoublesCannotBeCut) {
  const double next = std::nextafter(1.0, 2.0);
  for (const SplitRule rule : {SplitRule::cyclic, SplitRule::longest_side}) {
    const BoxPartition two(Space{{"x", Real{1.0, next}}}, rule);
    EXPECT_FALSE(halves(two, root_of(two), 0).has_value());
    const BoxPartition three(Space{{"x", Real{1.0, std::nextafter(next, 2.0)}}}, rule);
    const auto both = halves(three, root_of(three), 0);
    ASSERT_TRUE(both.has_value());
    EXPECT_EQ(both->first, (Cell{1.0, next}));
    EXPECT_FALSE(halves(three, both->first, 1).has_value());
    EXPECT_FALSE(halves(three, both->second, 1).has_value());
  }
}

TEST(Partition, CuttingARealComesToAnEnd) {
  const BoxPartition partition(Space{{"x", Real{0.0, 1.0}}});
  Cell cell = root_of(partition);
  std::uint32_t depth = 0;
  while (const auto both = halves(partition, cell, depth)) {
    cell = both->second;
    ++depth;
    ASSERT_LE(depth, 60U);
  }
  EXPECT_EQ(depth, 53U);  // 1 - 2^-53 is the last number below 1
}

TEST(Partition, VeryWideRangesDoNotOverflow) {
  constexpr double kMax = std::numeric_limits<double>::max();
  for (const double end : {1e308, kMax}) {
    for (const SplitRule rule : {SplitRule::cyclic, SplitRule::longest_side}) {
      const BoxPartition partition(Space{{"x", Real{-end, end}}, {"y", Real{0.0, 1.0}}}, rule);
      const Cell root = root_of(partition);
      EXPECT_EQ(arm_of(partition, root), (std::vector{0.0, 0.5}));
      const auto both = halves(partition, root, 0);
      ASSERT_TRUE(both.has_value());
      EXPECT_EQ(both->first, (Cell{-end, 0.0, 0.0, 1.0}));
      EXPECT_EQ(both->second, (Cell{0.0, end, 0.0, 1.0}));
      EXPECT_EQ(arm_of(partition, both->first)[0], -end / 2.0);
      EXPECT_EQ(arm_of(partition, both->second)[0], end / 2.0);
      const auto again = halves(partition, both->second, 1);
      ASSERT_TRUE(again.has_value());
      EXPECT_EQ(cut_axis(both->second, again->first, again->second), 1U);
    }
  }
}

TEST(Partition, VeryWideLogScalesDoNotOverflow) {
  const BoxPartition partition(
      Space{{"x", Real{5e-324, std::numeric_limits<double>::max(), Scale::log}}});
  Cell cell = root_of(partition);
  for (std::uint32_t depth = 0; depth < 60; ++depth) {
    const double arm = arm_of(partition, cell)[0];
    ASSERT_TRUE(std::isfinite(arm) && arm > 0.0) << arm;
    const auto both = halves(partition, cell, depth);
    if (!both) break;
    cell = depth % 2 == 0 ? both->second : both->first;
  }
}

RC_GTEST_PROP(Partition, EveryIntegerOfTheWidestRangeCanBeReached, ()) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  const BoxPartition partition(Space{{"n", Integer{-kLargest, kLargest}}});
  const auto distance = *rc::gen::inRange<std::int64_t>(0, 1000);
  const std::int64_t somewhere = *rc::gen::inRange<std::int64_t>(-kLargest, kLargest + 1);
  const auto target = static_cast<double>(
      *rc::gen::element(somewhere, -kLargest + distance, kLargest - distance, distance));
  Cell cell = root_of(partition);
  std::uint32_t depth = 0;
  while (const auto both = halves(partition, cell, depth)) {
    RC_ASSERT(both->second[0] - both->first[1] == 1.0);
    cell = target <= both->first[1] ? both->first : both->second;
    RC_ASSERT(cell[0] <= target && target <= cell[1]);
    ++depth;
  }
  RC_ASSERT(arm_of(partition, cell) == std::vector{target});
  RC_ASSERT(depth == 54U || depth == 55U);  // 2^54 + 1 integers
}

TEST(Partition, TheWidestIntegerRangeGivesTheExtraOneToTheLeft) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  const BoxPartition partition(Space{{"n", Integer{-kLargest, kLargest}}});
  EXPECT_EQ(arm_of(partition, root_of(partition)), std::vector{0.0});
  const auto both = halves(partition, root_of(partition), 0);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->first, (Cell{-0x1p53, 0.0}));
  EXPECT_EQ(both->second, (Cell{1.0, 0x1p53}));
}

}  // namespace
}  // namespace canopy
