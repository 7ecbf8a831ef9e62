// Rules other than halving cyclically, which is tested in partition_test.cpp.

#include "canopy/cover_tree.hpp"
#include "canopy/errors.hpp"
#include "canopy/partition.hpp"
#include "canopy/random.hpp"
#include "canopy/space.hpp"

#include "support/complaint.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::complaint_of;
using testing::line;
using Row = std::vector<double>;

Row whole_of(const Partition& partition) {
  Row cell(partition.cell_size());
  partition.root(cell);
  return cell;
}

std::vector<Row> parts_of(const Partition& partition, const Row& cell, std::uint32_t depth = 0) {
  Row row(partition.arity() * cell.size());
  const std::uint32_t count = partition.cut(cell, depth, row);
  std::vector<Row> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto first = row.begin() + static_cast<std::ptrdiff_t>(i * cell.size());
    parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(cell.size()));
  }
  return parts;
}

Row middle_of(const Partition& partition, const Row& cell) {
  Row arm(partition.dimension());
  partition.arm(cell, arm);
  return arm;
}

/// Collects all cells below a cell that cannot be cut any further.
void collect(const Partition& partition, const Row& cell, std::uint32_t depth,
             std::vector<Row>& arms) {
  const std::vector<Row> parts = parts_of(partition, cell, depth);
  if (parts.empty()) arms.push_back(middle_of(partition, cell));
  for (const Row& part : parts) collect(partition, part, depth + 1, arms);
}

PartitionRule any_rule() {
  PartitionRule rule(*rc::gen::element(SplitRule::cyclic, SplitRule::longest_side,
                                       SplitRule::random_side, SplitRule::random_cut,
                                       SplitRule::every_side));
  if (rule.split != SplitRule::every_side) rule.parts = *rc::gen::inRange<std::uint32_t>(2, 11);
  rule.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  RC_LOG() << text_of(rule);
  return rule;
}

TEST(PartitionRule, IsReadAndWritten) {
  EXPECT_EQ(partition_rule_from("cyclic"), PartitionRule());
  EXPECT_EQ(partition_rule_from("longest_side"), PartitionRule(SplitRule::longest_side));
  EXPECT_EQ(partition_rule_from("cyclic/3"), PartitionRule(SplitRule::cyclic, 3));
  PartitionRule seeded(SplitRule::random_cut, 10);
  seeded.seed = 7;
  EXPECT_EQ(partition_rule_from("random_cut/10@7"), seeded);
  for (const char* text :
       {"cyclic", "cyclic/2", "random_side@0", "random_cut/3@12", "every_side"}) {
    EXPECT_EQ(text_of(*partition_rule_from(text)), text);
  }
  for (const char* text : {"", "halves", "cyclic/", "cyclic/1", "cyclic/11", "cyclic/-3",
                           "cyclic/3x", "cyclic@", "cyclic@x", "cyclic@3/2", "/3", "Cyclic"}) {
    EXPECT_FALSE(partition_rule_from(text)) << text;
  }
}

TEST(BoxParts, AreEqualAlongASide) {
  const BoxPartition thirds(Space{{"x", Real{0.0, 3.0}}, {"y", Real{1.0, 1000.0, Scale::log}}},
                            PartitionRule(SplitRule::cyclic, 3));
  const double log = std::log(1000.0);
  EXPECT_EQ(thirds.arity(), 3U);
  EXPECT_EQ(parts_of(thirds, whole_of(thirds)),
            (std::vector<Row>{{0, 1, 0, log}, {1, 2, 0, log}, {2, 3, 0, log}}));
  const std::vector<Row> below = parts_of(thirds, {0, 1, 0, log}, 1);
  ASSERT_EQ(below.size(), 3U);
  EXPECT_NEAR(std::exp(below[0][3]), 10.0, 1e-9);
  EXPECT_NEAR(std::exp(below[2][2]), 100.0, 1e-9);
}

TEST(BoxParts, OfAListDifferByOneAtMostAndAreNeverEmpty) {
  const auto lists = [](std::int64_t last, std::uint32_t parts) {
    const BoxPartition partition(Space{{"n", Integer{0, last}}},
                                 PartitionRule(SplitRule::cyclic, parts));
    return parts_of(partition, whole_of(partition));
  };
  EXPECT_EQ(lists(6, 3), (std::vector<Row>{{0, 1}, {2, 4}, {5, 6}}));
  EXPECT_EQ(lists(7, 3), (std::vector<Row>{{0, 2}, {3, 4}, {5, 7}}));
  EXPECT_EQ(lists(8, 3), (std::vector<Row>{{0, 2}, {3, 5}, {6, 8}}));
  EXPECT_EQ(lists(1, 3), (std::vector<Row>{{0, 0}, {1, 1}})) << "as many as there are values";
  EXPECT_EQ(lists(3, 10), (std::vector<Row>{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
  const BoxPartition choices(Space{{"c", Choice{{"a", "b", "c", "d", "e"}}}},
                             PartitionRule(SplitRule::cyclic, 3));
  EXPECT_EQ(parts_of(choices, whole_of(choices)), (std::vector<Row>{{0, 1}, {2, 2}, {3, 4}}));
  EXPECT_TRUE(parts_of(choices, {2, 2}).empty());
}

TEST(BoxParts, OfIntegersOnALogScaleGrowByAFactor) {
  const BoxPartition thirds(Space{{"n", Integer{1, 999, Scale::log}}},
                            PartitionRule(SplitRule::cyclic, 3));
  EXPECT_EQ(parts_of(thirds, whole_of(thirds)), (std::vector<Row>{{1, 9}, {10, 99}, {100, 999}}));
  EXPECT_EQ(parts_of(thirds, {1, 2}), (std::vector<Row>{{1, 1}, {2, 2}}));
  EXPECT_EQ(parts_of(thirds, {5, 7}), (std::vector<Row>{{5, 5}, {6, 6}, {7, 7}}));
}

RC_GTEST_PROP(BoxParts, TheMiddleOneOfAnOddNumberHasTheArmOfTheWhole, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RC_LOG() << "seed " << seed;
  RandomStream random({.seed = seed});
  const double from = (random.uniform() - 0.5) * std::pow(10.0, 6.0 * random.uniform());
  const double to = from + std::pow(10.0, 8.0 * random.uniform() - 4.0);
  const auto parts = *rc::gen::element(3U, 5U, 9U);
  const Space space{{"x", Real{from, to}},
                    {"y", Real{1e-3, 1.0 + random.uniform(), Scale::log}},
                    {"n", Integer{-5, 5 + static_cast<std::int64_t>(random() % 1000)}}};
  const BoxPartition partition(space, PartitionRule(SplitRule::cyclic, parts));
  Row cell = whole_of(partition);
  int others = 0;  // two in a million
  for (std::uint32_t depth = 0; depth < 15; ++depth) {
    const std::vector<Row> cut = parts_of(partition, cell, depth);
    const bool has_middle = cut.size() % 2 == 1;
    if (has_middle && middle_of(partition, cut[cut.size() / 2]) != middle_of(partition, cell)) {
      ++others;
    }
    RC_ASSERT(cut.size() >= 2U);
    cell = cut[random() % cut.size()];
  }
  RC_ASSERT(others <= 1);
}

/// The fraction of the whole in a cell, considering its sides that are reals or lists.
double share_of(const BoxPartition& partition, const Row& cell) {
  double share = 1.0;
  for (std::size_t axis = 0; axis < partition.dimension(); ++axis) {
    share *= 2.0 * partition.reach(cell, axis)->half_side;
  }
  return share;
}

RC_GTEST_PROP(BoxParts, CoverTheCellHoweverItIsCut, ()) {
  const Space space{{"x", Real{-1.0, 2.0}},
                    {"n", Integer{1, 40, *rc::gen::element(Scale::linear, Scale::log)}},
                    {"c", Choice{{"a", "b", "c", "d"}}}};
  const BoxPartition partition(space, any_rule());
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RC_LOG() << "seed " << seed;
  RandomStream random({.seed = seed});
  Row cell = whole_of(partition);
  for (std::uint32_t depth = 0; depth < 10; ++depth) {
    const std::vector<Row> parts = parts_of(partition, cell, depth);
    RC_ASSERT(!parts.empty());  // there is a real
    RC_ASSERT(parts.size() <= partition.arity());
    RC_ASSERT(parts == parts_of(partition, cell, depth));  // the same each time
    double share = 0.0;
    for (const Row& part : parts) {
      share += share_of(partition, part);
      for (std::size_t i = 0; i < cell.size(); i += 2) {
        RC_ASSERT(cell[i] <= part[i] && part[i] <= part[i + 1] && part[i + 1] <= cell[i + 1]);
      }
      RC_ASSERT(partition.contains(middle_of(partition, part)));
    }
    RC_ASSERT(std::abs(share / share_of(partition, cell) - 1.0) < 1e-6);
    cell = parts[random() % parts.size()];
  }
}

RC_GTEST_PROP(BoxParts, EveryArmOfAFiniteSpaceIsACellExactlyOnce, ()) {
  const auto last = *rc::gen::inRange<std::int64_t>(1, 12);
  const Space space{{"n", Integer{0, last}},
                    {"m", Integer{1, 9, *rc::gen::element(Scale::linear, Scale::log)}},
                    {"c", Choice{{"a", "b", "c"}}}};
  const BoxPartition partition(space, any_rule());
  std::vector<Row> arms;
  collect(partition, whole_of(partition), 0, arms);
  RC_ASSERT(arms.size() == static_cast<std::size_t>((last + 1) * 9 * 3));
  RC_ASSERT(std::set<Row>(arms.begin(), arms.end()).size() == arms.size());
}

TEST(BoxParts, DrawnAtRandomAreUniformAndDependOnTheSeed) {
  const Space square{{"x", Real{0.0, 1.0}}, {"y", Real{0.0, 1.0}}};
  double sum = 0.0;
  double squares = 0.0;
  int first_side = 0;
  constexpr int kSeeds = 4000;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    PartitionRule rule(SplitRule::random_cut);
    rule.seed = seed;
    const BoxPartition partition(square, rule);
    const Row left = parts_of(partition, whole_of(partition)).front();
    const bool is_x = left[1] < 1.0;
    first_side += is_x ? 1 : 0;
    const double cut = is_x ? left[1] : left[3];
    sum += cut;
    squares += cut * cut;
  }
  // Standard errors: 0.008 of a share of 1/2, 0.0046 of a mean, 0.0047 of a mean square.
  EXPECT_NEAR(first_side / double{kSeeds}, 0.5, 0.04);
  EXPECT_NEAR(sum / kSeeds, 0.5, 0.025);
  EXPECT_NEAR(squares / kSeeds, 1.0 / 3.0, 0.025);
}

TEST(BoxParts, OfEverySideAreAllTheCorners) {
  const BoxPartition partition(Space{{"x", Real{0.0, 1.0}}, {"n", Integer{0, 2}}},
                               SplitRule::every_side);
  EXPECT_EQ(partition.arity(), 4U);
  EXPECT_EQ(parts_of(partition, whole_of(partition)),
            (std::vector<Row>{{0, .5, 0, 1}, {.5, 1, 0, 1}, {0, .5, 2, 2}, {.5, 1, 2, 2}}));
  EXPECT_EQ(parts_of(partition, {0, .5, 2, 2}),
            (std::vector<Row>{{0, .25, 2, 2}, {.25, .5, 2, 2}}));
}

TEST(BoxParts, ARuleThatDoesNotFitIsRefused) {
  const Space four{{"a", Real{}}, {"b", Real{}}, {"c", Real{}}, {"d", Real{}}};
  EXPECT_EQ(
      complaint_of<BoxPartition>(four, PartitionRule(SplitRule::every_side)),
      "optimizer.partition = every_side: cannot be used here: with 4 parameters it makes more "
      "than 10 parts");
  EXPECT_EQ(complaint_of<BoxPartition>(line(), PartitionRule(SplitRule::every_side, 3)),
            "optimizer.partition = every_side/3: must not have a number of parts: every_side "
            "halves every side");
  EXPECT_EQ(complaint_of<BoxPartition>(line(), PartitionRule(SplitRule::cyclic, 11)),
            "optimizer.partition = cyclic/11: the number of parts must be 2 to 10");
}

struct Nothing {
  void transfer(State& /*state*/) {}
};

RC_GTEST_PROP(CoverTree, OfAnyArityIsConsistentAndCanBeRestored, ()) {
  const Space space{{"x", Real{0.0, 1.0}}, {"c", Choice{{"a", "b"}}}};
  const auto partition = std::make_shared<BoxPartition>(space, any_rule());
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RC_LOG() << "seed " << seed;
  RandomStream random({.seed = seed});
  using Tree = CoverTree<Nothing, kAnyArity>;
  Tree tree(partition);
  for (int i = 0; i < 60; ++i) {
    const auto node = static_cast<NodeIndex>(random() % tree.size());
    if (!tree[node].is_leaf() || tree.expand(node)) continue;
    // Random cuts may be so close to each other that only a narrow cell is left.
    const Row cell(tree.cell(node).begin(), tree.cell(node).end());
    RC_ASSERT(parts_of(*partition, cell, tree[node].depth).empty());
  }
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree[i].is_leaf()) continue;
    const std::vector<Row> parts =
        parts_of(*partition, Row(tree.cell(i).begin(), tree.cell(i).end()), tree[i].depth);
    RC_ASSERT(Tree::child_count(tree[i]) == parts.size());
    for (std::uint32_t which = 0; which < parts.size(); ++which) {
      const NodeIndex child = tree[i].children + which;
      RC_ASSERT(tree[child].parent == i);
      RC_ASSERT(tree.path(child) == tree.path(i) + std::to_string(which));
      RC_ASSERT(Row(tree.cell(child).begin(), tree.cell(child).end()) == parts[which]);
    }
  }
  RC_ASSERT(tree.shallow_first().size() == tree.size());

  State saving;
  tree.transfer(saving);
  const std::string saved = saving.text();
  Tree restored(partition);
  State restoring(saved);
  restored.transfer(restoring);
  restoring.end();
  RC_ASSERT(restored.size() == tree.size());
  for (NodeIndex i = 0; i < tree.size(); ++i) RC_ASSERT(restored.path(i) == tree.path(i));
}

TEST(CoverTree, RefusesAPartitionOfAnotherArity) {
  const std::shared_ptr<const Partition> thirds =
      std::make_shared<BoxPartition>(line(), PartitionRule(SplitRule::cyclic, 3));
  EXPECT_EQ((complaint_of<CoverTree<Nothing>>(thirds)),
            "optimizer.partition: this algorithm needs cells with 2 parts, the partition makes 3");
  EXPECT_EQ((complaint_of<CoverTree<Nothing, kAnyArity>>(thirds)), "");
}

}  // namespace
}  // namespace canopy
