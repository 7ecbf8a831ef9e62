#include "canopy/cover_tree.hpp"

#include "canopy/detail/bounded_node.hpp"
#include "canopy/hct.hpp"
#include "canopy/partition.hpp"
#include "canopy/random.hpp"
#include "canopy/state.hpp"

#include "optimizers/bounded_tree.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using Node = BoundedTree::Node;

BoundedTree over(const Space& space) {
  return BoundedTree(std::make_shared<BoxPartition>(space));
}

BoundedTree over_the_unit_interval() {
  return over({{"x", Real{0.0, 1.0}}});
}

std::vector<double> numbers(std::span<const double> span) {
  return {span.begin(), span.end()};
}

/// Expands random leaves until there are `size` nodes, or nothing is left to cut.
template <class Tree>
void grow(Tree& tree, RandomStream& random, NodeIndex nodes) {
  std::vector<NodeIndex> leaves;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree[i].is_leaf()) leaves.push_back(i);
  }
  while (tree.size() < nodes && !leaves.empty()) {
    std::swap(leaves[random() % leaves.size()], leaves.back());
    const NodeIndex leaf = leaves.back();
    leaves.pop_back();
    if (!tree.expand(leaf)) continue;
    for (NodeIndex child = tree[leaf].children; child < tree.size(); ++child) {
      leaves.push_back(child);
    }
  }
}

TEST(CoverTree, StartsWithTheRootAlone) {
  const BoundedTree tree = over_the_unit_interval();
  EXPECT_EQ(tree.size(), 1U);
  EXPECT_EQ(tree.depth(), 0U);
  const Node& root = tree[BoundedTree::kRoot];
  EXPECT_TRUE(root.is_leaf());
  EXPECT_TRUE(root.splittable);
  EXPECT_EQ(root.extent, Extent::shrinks);
  EXPECT_EQ(root.depth, 0U);
  EXPECT_EQ(root.parent, BoundedTree::kRoot);
  EXPECT_EQ(root.upper, kInfinity);
  EXPECT_EQ(root.bound, kInfinity);
  EXPECT_EQ(root.pulls, 0.0);
  EXPECT_EQ(root.mean(), 0.0);
  EXPECT_EQ(tree.path(BoundedTree::kRoot), "");
  EXPECT_EQ(numbers(tree.arm(BoundedTree::kRoot)), std::vector{0.5});
  EXPECT_EQ(numbers(tree.cell(BoundedTree::kRoot)), (std::vector{0.0, 1.0}));
}

TEST(CoverTree, ExpandGivesALeafTwoAdjacentChildren) {
  BoundedTree tree = over_the_unit_interval();
  tree[0].sum = 6.0;
  tree[0].pulls = 8.0;
  ASSERT_TRUE(tree.expand(0));
  ASSERT_TRUE(tree.expand(2));
  EXPECT_EQ(tree.size(), 5U);
  EXPECT_EQ(tree.depth(), 2U);
  EXPECT_EQ(tree[0].children, 1U);
  EXPECT_EQ(tree[0].mean(), 0.75) << "what is known of the parent stays";
  EXPECT_EQ(tree[2].children, 3U);
  EXPECT_TRUE(tree[1].is_leaf());
  for (const NodeIndex child : {3U, 4U}) {
    EXPECT_EQ(tree[child].parent, 2U);
    EXPECT_EQ(tree[child].depth, 2U);
    EXPECT_EQ(tree[child].upper, kInfinity);
    EXPECT_EQ(tree[child].bound, kInfinity);
    EXPECT_EQ(tree[child].pulls, 0.0);
    EXPECT_TRUE(tree[child].is_leaf());
  }
  EXPECT_EQ(numbers(tree.cell(3)), (std::vector{0.5, 0.75}));
  EXPECT_EQ(numbers(tree.cell(4)), (std::vector{0.75, 1.0}));
  EXPECT_EQ(numbers(tree.arm(4)), std::vector{0.875});
}

TEST(CoverTree, ExpandHandsTheDepthToThePartition) {
  BoundedTree tree = over({{"x", Real{0.0, 1.0}}, {"y", Real{0.0, 8.0}}});
  ASSERT_TRUE(tree.expand(0));
  ASSERT_TRUE(tree.expand(1));
  EXPECT_EQ(numbers(tree.cell(1)), (std::vector{0.0, 0.5, 0.0, 8.0}));
  EXPECT_EQ(numbers(tree.cell(4)), (std::vector{0.0, 0.5, 4.0, 8.0}));
}

TEST(CoverTree, ExpandOfWhatCannotBeCutOnlyMarksTheNode) {
  BoundedTree tree = over({{"n", Integer{0, 2}}});
  ASSERT_TRUE(tree.expand(0));  // 0..1 and 2
  tree[2].pulls = 3.0;
  tree[2].sum = 1.5;
  EXPECT_FALSE(tree.expand(2));
  EXPECT_FALSE(tree[2].splittable);
  EXPECT_TRUE(tree[2].is_leaf());
  EXPECT_EQ(tree[2].pulls, 3.0);
  EXPECT_EQ(tree[2].sum, 1.5);
  EXPECT_EQ(tree[2].parent, 0U);
  EXPECT_EQ(tree.size(), 3U);
  EXPECT_EQ(tree.depth(), 1U);
  EXPECT_EQ(numbers(tree.cell(2)), (std::vector{2.0, 2.0}));
  EXPECT_TRUE(tree[1].splittable);
  // The refused expansion does not affect the next one.
  ASSERT_TRUE(tree.expand(1));
  EXPECT_EQ(tree.size(), 5U);
  EXPECT_EQ(numbers(tree.cell(3)), (std::vector{0.0, 0.0}));
  EXPECT_EQ(numbers(tree.cell(4)), (std::vector{1.0, 1.0}));
  EXPECT_EQ(numbers(tree.arm(4)), std::vector{1.0});
}

TEST(CoverTree, ANodeKnowsTheExtentOfItsCell) {
  BoundedTree tree = over({{"c", Choice{{"a", "b"}}}, {"n", Integer{0, 1}}});
  EXPECT_EQ(tree[0].extent, Extent::unordered) << "of the root, too";
  ASSERT_TRUE(tree.expand(0));  // a and b
  EXPECT_EQ(tree[1].extent, Extent::shrinks);
  EXPECT_EQ(tree[2].extent, Extent::shrinks);
  ASSERT_TRUE(tree.expand(2));  // b with 0 and with 1
  EXPECT_EQ(tree[3].extent, Extent::one_arm);
  EXPECT_EQ(tree[4].extent, Extent::one_arm);
}

TEST(CoverTree, SiblingsMayDifferInExtent) {
  BoundedTree tree = over({{"c", Choice{{"a", "b", "c"}}}});
  ASSERT_TRUE(tree.expand(0));  // a, b and c
  EXPECT_EQ(tree[1].extent, Extent::unordered);
  EXPECT_EQ(tree[2].extent, Extent::one_arm);
}

TEST(CoverTree, ExtentsAreKnownAgainWhenATreeIsRestored) {
  const Space space{{"c", Choice{{"a", "b", "c"}}}, {"n", Integer{0, 4}}};
  BoundedTree tree = over(space);
  RandomStream random({.seed = 3});
  grow(tree, random, 20);
  State saving;
  tree.transfer(saving);
  const std::string saved = saving.text();
  BoundedTree restored = over(space);
  State restoring(saved);
  restored.transfer(restoring);
  ASSERT_EQ(restored.size(), tree.size());
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    EXPECT_EQ(restored[i].extent, tree[i].extent) << "node " << i;
    EXPECT_EQ(tree[i].extent, tree.partition().extent(tree.cell(i))) << "node " << i;
  }
}

TEST(CoverTree, PathIsTheWayDownFromTheRoot) {
  BoundedTree tree = over_the_unit_interval();
  ASSERT_TRUE(tree.expand(0));  // 1, 2
  ASSERT_TRUE(tree.expand(2));  // 3, 4
  ASSERT_TRUE(tree.expand(3));  // 5, 6
  ASSERT_TRUE(tree.expand(1));  // 7, 8
  EXPECT_EQ(tree.path(1), "0");
  EXPECT_EQ(tree.path(2), "1");
  EXPECT_EQ(tree.path(4), "11");
  EXPECT_EQ(tree.path(5), "100");
  EXPECT_EQ(tree.path(6), "101");
  EXPECT_EQ(tree.path(8), "01");
}

TEST(CoverTree, IsLeftOfComparesPlacesNotIndices) {
  BoundedTree tree = over_the_unit_interval();
  ASSERT_TRUE(tree.expand(0));  // 1, 2
  ASSERT_TRUE(tree.expand(2));  // 3, 4: on the right
  ASSERT_TRUE(tree.expand(1));  // 5, 6: on the left
  EXPECT_TRUE(tree.is_left_of(6, 3));
  EXPECT_FALSE(tree.is_left_of(3, 6));
  EXPECT_TRUE(tree.is_left_of(3, 4));
  EXPECT_FALSE(tree.is_left_of(4, 3));
  EXPECT_TRUE(tree.is_left_of(1, 2));
  EXPECT_FALSE(tree.is_left_of(4, 4));
  EXPECT_FALSE(tree.is_left_of(0, 0));
}

TEST(CoverTree, SiblingsAreEachOthers) {
  EXPECT_EQ(BoundedTree::sibling(1), 2U);
  EXPECT_EQ(BoundedTree::sibling(2), 1U);
  EXPECT_EQ(BoundedTree::sibling(7), 8U);
  EXPECT_EQ(BoundedTree::sibling(8), 7U);
  EXPECT_EQ(BoundedTree::which_child(7), 0U);
  EXPECT_EQ(BoundedTree::which_child(8), 1U);
}

TEST(BoundedTree, ABoundIsTightenedByTheBetterChild) {
  BoundedTree tree = over_the_unit_interval();
  tree[0].upper = 3.0;
  EXPECT_EQ(backed_up_bound(tree, tree[0]), 3.0) << "a leaf's own";
  ASSERT_TRUE(tree.expand(0));
  EXPECT_EQ(backed_up_bound(tree, tree[0]), 3.0) << "infinite children tighten nothing";
  tree[1].bound = 1.0;
  tree[2].bound = 2.0;
  EXPECT_EQ(backed_up_bound(tree, tree[0]), 2.0);
  tree[1].bound = 5.0;
  EXPECT_EQ(backed_up_bound(tree, tree[0]), 3.0);
}

TEST(BoundedTree, TheBetterChildHasTheLargerBoundAndTheLeftOneWinsATie) {
  BoundedTree tree = over_the_unit_interval();
  ASSERT_TRUE(tree.expand(0));
  EXPECT_EQ(better_child(tree, tree[0]), 1U) << "both infinite";
  tree[1].bound = 1.0;
  EXPECT_EQ(better_child(tree, tree[0]), 2U);
  tree[2].bound = 1.0;
  EXPECT_EQ(better_child(tree, tree[0]), 1U);
  tree[2].bound = 0.5;
  EXPECT_EQ(better_child(tree, tree[0]), 1U);
}

TEST(BoundedTree, ANodeFitsACacheLine) {
  EXPECT_LE(sizeof(Node), 64U);
  EXPECT_EQ(sizeof(Node), 48U) << "as the comment in bounded_node.hpp and docs/design.md say";
}

TEST(CoverTree, ArmsStayWhereTheyAreWhileTheTreeGrows) {
  BoundedTree tree = over({{"x", Real{0.0, 1.0}}, {"y", Real{-1.0, 1.0}}});
  RandomStream random({.seed = 1});
  std::vector<Arm> arms{tree.arm(0)};
  std::vector<std::vector<double>> values{numbers(tree.arm(0))};
  while (tree.size() < 10'000) {
    grow(tree, random, tree.size() + 2);
    for (auto i = static_cast<NodeIndex>(arms.size()); i < tree.size(); ++i) {
      arms.push_back(tree.arm(i));
      values.push_back(numbers(tree.arm(i)));
    }
  }
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    ASSERT_EQ(tree.arm(i).data(), arms[i].data()) << "node " << i;
    ASSERT_EQ(numbers(arms[i]), values[i]) << "node " << i;
  }
}

TEST(CoverTree, ArmsStayWhereTheyAreWhenTheTreeIsMoved) {
  BoundedTree tree = over_the_unit_interval();
  ASSERT_TRUE(tree.expand(0));
  const Arm arm = tree.arm(2);
  const BoundedTree moved = std::move(tree);
  EXPECT_EQ(moved.arm(2).data(), arm.data());
  EXPECT_EQ(arm[0], 0.75);
}

RC_GTEST_PROP(CoverTree, RandomTreesAreConsistent, ()) {
  const Space space = *rc::gen::element(Space{{"x", Real{0.0, 1.0}}}, Space{{"n", Integer{0, 40}}},
                                        Space{{"x", Real{0.0, 1.0}}, {"n", Integer{0, 6}}});
  BoundedTree tree = over(space);
  RandomStream random({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  grow(tree, random, *rc::gen::inRange<NodeIndex>(1, 400));

  std::uint32_t deepest = 0;
  std::map<std::string, NodeIndex> by_path;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree[i];
    RC_ASSERT(by_path.emplace(tree.path(i), i).second);
    RC_ASSERT(tree.path(i).size() == node.depth);
    deepest = std::max(deepest, node.depth);
    if (node.is_leaf()) continue;
    for (const NodeIndex child : {node.children, node.children + 1}) {
      RC_ASSERT(child > i);
      RC_ASSERT(tree[child].parent == i);
      RC_ASSERT(tree[child].depth == node.depth + 1);
    }
    RC_ASSERT(BoundedTree::which_child(node.children) == 0);
    RC_ASSERT(tree.path(node.children) == tree.path(i) + '0');
    RC_ASSERT(tree.path(node.children + 1) == tree.path(i) + '1');
    RC_ASSERT(tree.cell(node.children)[0] == tree.cell(i)[0]);
    RC_ASSERT(tree.cell(node.children + 1)[1] == tree.cell(i)[1]);
  }
  RC_ASSERT(tree.depth() == deepest);
}

RC_GTEST_PROP(CoverTree, LeftOfIsTheOrderOfThePaths, ()) {
  BoundedTree tree = over_the_unit_interval();
  RandomStream random({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  grow(tree, random, 101);
  for (NodeIndex a = 0; a < tree.size(); ++a) {
    for (NodeIndex b = 0; b < tree.size(); ++b) {
      if (tree[a].depth != tree[b].depth) continue;
      RC_ASSERT(tree.is_left_of(a, b) == (tree.path(a) < tree.path(b)));
    }
  }
}

TEST(CoverTree, FindsTheFirstNodeOfAnArmAndNeverTheRoot) {
  BoundedTree tree = over({{"n", Integer{0, 3}}});  // the arm of 0..3 is 1
  EXPECT_EQ(tree.find(std::array{1.0}), BoundedTree::kRoot) << "there is no other node";
  ASSERT_TRUE(tree.expand(0));  // 0..1 and 2..3, with arms 0 and 2
  ASSERT_TRUE(tree.expand(1));  // 0 and 1
  EXPECT_EQ(tree.find(std::array{0.0}), 1U) << "not its child, which has the same arm";
  EXPECT_EQ(tree.find(std::array{2.0}), 2U);
  EXPECT_EQ(tree.find(std::array{1.0}), 4U);
  EXPECT_EQ(tree.find(std::array{3.0}), BoundedTree::kRoot);
}

// --- three children per node -------------------------------------------------------------------

/// The interval [0, 1] in thirds, down to 3^-4.
class Thirds final : public Partition {
 public:
  [[nodiscard]] std::size_t dimension() const override { return 1; }
  [[nodiscard]] std::size_t cell_size() const override { return 2; }
  [[nodiscard]] std::uint32_t arity() const override { return 3; }

  void root(std::span<double> cell) const override {
    cell[0] = 0.0;
    cell[1] = 81.0;
  }

  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t /*depth*/,
                           std::span<double> parts) const override {
    const double third = (cell[1] - cell[0]) / 3.0;
    if (third < 1.0) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      parts[2 * i] = cell[0] + static_cast<double>(i) * third;
      parts[2 * i + 1] = parts[2 * i] + third;
    }
    return true;
  }

  void arm(std::span<const double> cell, std::span<double> arm) const override {
    arm[0] = (cell[0] + cell[1]) / 162.0;
  }
};

/// Data of an algorithm with three children per node.
struct Visits {
  std::uint64_t visits = 0;

  void transfer(State& state) { state(visits); }
};

using TernaryTree = CoverTree<Visits, 3>;

TEST(CoverTree, MayHaveThreeChildrenANode) {
  TernaryTree tree(std::make_shared<Thirds>());
  ASSERT_TRUE(tree.expand(0));  // 1, 2, 3
  ASSERT_TRUE(tree.expand(2));  // 4, 5, 6
  ASSERT_TRUE(tree.expand(6));  // 7, 8, 9
  ASSERT_TRUE(tree.expand(1));  // 10, 11, 12
  EXPECT_EQ(tree.size(), 13U);
  EXPECT_EQ(tree.depth(), 3U);
  EXPECT_EQ(TernaryTree::kChildren, 3U);
  EXPECT_EQ(tree[2].children, 4U);
  EXPECT_EQ(tree[6].parent, 2U);
  EXPECT_EQ(numbers(tree.cell(2)), (std::vector{27.0, 54.0}));
  EXPECT_EQ(numbers(tree.cell(4)), (std::vector{27.0, 36.0}));
  EXPECT_EQ(numbers(tree.cell(6)), (std::vector{45.0, 54.0}));
  EXPECT_EQ(numbers(tree.arm(5)), std::vector{0.5});
  EXPECT_EQ(tree.find(std::array{0.5}), 2U) << "the middle third of the whole comes first";
  EXPECT_EQ(TernaryTree::which_child(4), 0U);
  EXPECT_EQ(TernaryTree::which_child(6), 2U);
  EXPECT_EQ(tree.path(0), "");
  EXPECT_EQ(tree.path(3), "2");
  EXPECT_EQ(tree.path(6), "12");
  EXPECT_EQ(tree.path(8), "121");
  EXPECT_EQ(tree.path(10), "00");
  EXPECT_TRUE(tree.is_left_of(12, 4));
  EXPECT_TRUE(tree.is_left_of(4, 6));
  EXPECT_FALSE(tree.is_left_of(5, 11));
}

RC_GTEST_PROP(CoverTree, TernaryTreesAreConsistentAndCanBeRestored, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  TernaryTree tree(std::make_shared<Thirds>());
  RandomStream random({.seed = seed});
  grow(tree, random, *rc::gen::inRange<NodeIndex>(1, 150));
  for (NodeIndex i = 0; i < tree.size(); ++i) tree[i].visits = random() >> 11;

  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree[i].is_leaf()) continue;
    for (std::uint32_t which = 0; which < 3; ++which) {
      const NodeIndex child = tree[i].children + which;
      RC_ASSERT(tree[child].parent == i);
      RC_ASSERT(TernaryTree::which_child(child) == which);
      RC_ASSERT(tree.path(child) == tree.path(i) + std::to_string(which));
    }
    for (NodeIndex j = 0; j < i; ++j) {
      if (tree[i].depth != tree[j].depth) continue;
      RC_ASSERT(tree.is_left_of(i, j) == (tree.path(i) < tree.path(j)));
    }
  }

  State saving;
  tree.transfer(saving);
  const std::string saved = saving.text();
  TernaryTree restored(std::make_shared<Thirds>());
  grow(restored, random, 20);  // discarded by the restore
  State restoring(saved);
  restored.transfer(restoring);
  restoring.end();
  RC_ASSERT(restored.size() == tree.size());
  RC_ASSERT(restored.depth() == tree.depth());
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    RC_ASSERT(restored.path(i) == tree.path(i));
    RC_ASSERT(numbers(restored.cell(i)) == numbers(tree.cell(i)));
    RC_ASSERT(numbers(restored.arm(i)) == numbers(tree.arm(i)));
    RC_ASSERT(restored[i].visits == tree[i].visits);
    RC_ASSERT(restored[i].splittable == tree[i].splittable);
  }
  State again;
  restored.transfer(again);
  RC_ASSERT(again.text() == saved);
}

// --- a tree over a custom set -----------------------------------------------------

/// Kinds of living things. Each kind is represented by the first species below it.
struct Kind {
  std::string_view name;
  std::size_t first = 0;  // the two kinds it is divided into; none for a species
  std::size_t second = 0;
  double charm = 0.0;  // for a species
};

enum : std::size_t {
  kLife,
  kAnimals,
  kPlants,
  kMammals,
  kBirds,
  kDog,
  kWhales,
  kOwl,
  kPenguin,
  kOrca,
  kBeluga,
  kMoss,
  kFlowers,
  kDaisy,
  kOrchids,
  kVanilla,
  kBeeOrchid,
};

// The deepest species is the most charming one, and represents no kind above it.
constexpr std::array<Kind, 17> kKinds = {{{"life", kAnimals, kPlants},
                                          {"animals", kMammals, kBirds},
                                          {"plants", kMoss, kFlowers},
                                          {"mammals", kDog, kWhales},
                                          {"birds", kOwl, kPenguin},
                                          {"dog", 0, 0, 0.45},
                                          {"whales", kOrca, kBeluga},
                                          {"owl", 0, 0, 0.4},
                                          {"penguin", 0, 0, 0.5},
                                          {"orca", 0, 0, 0.3},
                                          {"beluga", 0, 0, 0.35},
                                          {"moss", 0, 0, 0.2},
                                          {"flowers", kDaisy, kOrchids},
                                          {"daisy", 0, 0, 0.55},
                                          {"orchids", kVanilla, kBeeOrchid},
                                          {"vanilla", 0, 0, 0.65},
                                          {"bee orchid", 0, 0, 0.8}}};

/// A cell is the number of a kind, an arm the number of a species.
class Taxonomy final : public Partition {
 public:
  [[nodiscard]] std::size_t dimension() const override { return 1; }
  [[nodiscard]] std::size_t cell_size() const override { return 1; }

  void root(std::span<double> cell) const override { cell[0] = kLife; }

  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t /*depth*/,
                           std::span<double> parts) const override {
    const Kind& kind = kind_of(cell);
    if (kind.first == 0) return false;
    parts[0] = static_cast<double>(kind.first);
    parts[1] = static_cast<double>(kind.second);
    return true;
  }

  void arm(std::span<const double> cell, std::span<double> arm) const override {
    auto number = static_cast<std::size_t>(cell[0]);
    while (kKinds[number].first != 0) number = kKinds[number].first;
    arm[0] = static_cast<double>(number);
  }

  static const Kind& kind_of(std::span<const double> numbers) {
    return kKinds[static_cast<std::size_t>(numbers[0])];
  }
};

TEST(CoverTree, CoversASetOfTheUsersOwn) {
  BoundedTree tree(std::make_shared<Taxonomy>());
  RandomStream random({.seed = 2});
  grow(tree, random, 1000);
  EXPECT_EQ(tree.size(), kKinds.size());
  EXPECT_EQ(tree.depth(), 4U);
  std::map<std::string_view, std::string> paths;
  std::map<std::string_view, std::string_view> arms;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Kind& kind = Taxonomy::kind_of(tree.cell(i));
    EXPECT_EQ(tree[i].is_leaf(), kind.first == 0) << kind.name;
    EXPECT_EQ(tree[i].splittable, kind.first != 0) << kind.name;
    EXPECT_EQ(tree[i].extent, Extent::shrinks) << "unless the partition says otherwise";
    paths[kind.name] = tree.path(i);
    arms[kind.name] = Taxonomy::kind_of(tree.arm(i)).name;
  }
  EXPECT_EQ(paths["bee orchid"], "1111");
  EXPECT_EQ(paths["beluga"], "0011");
  EXPECT_EQ(paths["penguin"], "011");
  EXPECT_EQ(paths["moss"], "10");
  EXPECT_EQ(arms["animals"], "dog");
  EXPECT_EQ(arms["orchids"], "vanilla");
  EXPECT_EQ(arms["bee orchid"], "bee orchid");
}

TEST(CoverTree, LetsHctFindTheBestOfASetOfTheUsersOwn) {
  for (const Feedback feedback : {Feedback::iid, Feedback::correlated}) {
    // Within the kinds on the path to the bee orchid, at depth h, charm varies by at most 1.5 /
    // 2^h; a species at a shallower depth than the bee orchid is less charming by more than that.
    Hct hct(std::make_shared<Taxonomy>(), {.feedback = feedback, .nu1 = 1.5, .rho = 0.5});
    RandomStream random({.seed = 4});
    std::map<std::string_view, int> pulls;
    for (int i = 0; i < 3000; ++i) {
      const Pull pull = hct.ask(1);
      const Kind& species = Taxonomy::kind_of(pull.arm);
      ASSERT_EQ(species.first, 0U) << species.name << " is not a species";
      ++pulls[species.name];
      const double noise = 0.2 * (random.uniform() - 0.5);
      ASSERT_EQ(hct.tell(pull.ticket, species.charm + noise), Status::ok);
    }
    hct.finish();
    const auto best = hct.best();
    ASSERT_TRUE(best.has_value());
    EXPECT_EQ(Taxonomy::kind_of(best->arm).name, "bee orchid");
    // Its standard error is 0.2 / sqrt(12 * 1000) < 0.001.
    EXPECT_NEAR(best->mean, 0.8, 0.01);
    EXPECT_GT(pulls["bee orchid"], 1500) << "held once it was found";
    EXPECT_LE(hct.summary().nodes, kKinds.size());
  }
}

TEST(CoverTree, CanBePrunedToSomeOfItsNodes) {
  BoundedTree tree = over_the_unit_interval();
  RandomStream random({.seed = 3});
  grow(tree, random, 41);
  std::vector<NodeIndex> places;
  const auto is_deep = [&](NodeIndex node) { return tree[node].depth >= 2; };
  const BoundedTree pruned = tree.pruned(is_deep, places);
  EXPECT_EQ(pruned.depth(), 2U);
  EXPECT_EQ(pruned.size(), 7U);
  for (NodeIndex node = 0; node < tree.size(); ++node) {
    const bool is_kept = node == BoundedTree::kRoot || places[node] != BoundedTree::kRoot;
    EXPECT_EQ(is_kept, tree[node].depth <= 2);
    if (!is_kept) continue;
    EXPECT_EQ(pruned.path(places[node]), tree.path(node));
  }
  const BoundedTree whole = tree.pruned([](NodeIndex) { return false; }, places);
  EXPECT_EQ(whole.size(), tree.size());
  for (NodeIndex node = 0; node < tree.size(); ++node) {
    EXPECT_EQ(numbers(whole.cell(places[node])), numbers(tree.cell(node)));
  }
}

}  // namespace
}  // namespace canopy
