#pragma once

#include "canopy/partition.hpp"
#include "canopy/state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace canopy {

using NodeIndex = std::uint32_t;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a walk through the tree touches: 48 bytes.
///
///      0  bound | 8  upper | 16  sum | 24  parent | 28  children | 32  pulls
///     40  depth | 44  splittable | 45  (unused)
///
/// The sum and the pulls change together at every reward; side by side, compilers would pack them
/// into one register and lose more time than they gain. The cell and the arm of a node are cold and
/// stand elsewhere.
struct Node {
  double bound = kInfinity;  ///< B: the upper bound tightened by the children.
  double upper = kInfinity;  ///< U: the node's own upper bound.
  double sum = 0.0;         ///< of the rewards observed here (HOO: in the subtree), in mapped units
  NodeIndex parent = 0;     ///< The root's is the root.
  NodeIndex children = 0;   ///< The left child, the right one stands next to it; 0: a leaf.
  double pulls = 0.0;       ///< T: how many rewards; whole, but every formula wants a real
  std::uint32_t depth = 0;  ///< h
  bool splittable = true;   ///< False once the partition has refused to cut the cell.

  [[nodiscard]] bool is_leaf() const { return children == 0; }
  [[nodiscard]] double mean() const { return pulls == 0.0 ? 0.0 : sum / pulls; }
};
static_assert(sizeof(Node) <= 64, "a hot node fits a cache line");

/// A binary tree of cells that covers a set: an arena that only grows, with a node's children as an
/// adjacent pair behind it, so that going through the indices backwards visits children first.
/// Arms never move once made: a view of one stays valid as long as the tree does.
class CoverTree {
 public:
  static constexpr NodeIndex kRoot = 0;

  /// A tree of the root alone.
  explicit CoverTree(std::shared_ptr<const Partition> partition);

  [[nodiscard]] NodeIndex size() const { return static_cast<NodeIndex>(nodes_.size()); }
  [[nodiscard]] std::uint32_t depth() const { return depth_; }
  [[nodiscard]] Node& operator[](NodeIndex node) { return nodes_[node]; }
  [[nodiscard]] const Node& operator[](NodeIndex node) const { return nodes_[node]; }

  /// Gives a leaf its two children and returns true, which invalidates references to nodes. When
  /// the partition cannot cut the cell, marks the node as not splittable and returns false.
  bool expand(NodeIndex leaf);

  /// The B rule: a leaf's bound is its own upper bound; above, the children tighten it.
  [[nodiscard]] double backed_up_bound(const Node& node) const {
    if (node.is_leaf()) return node.upper;
    return std::min(node.upper,
                    std::max(nodes_[node.children].bound, nodes_[node.children + 1].bound));
  }

  /// The child with the larger bound; a tie goes to the left one.
  [[nodiscard]] NodeIndex better_child(const Node& node) const {
    const NodeIndex left = node.children;
    return nodes_[left].bound >= nodes_[left + 1].bound ? left : left + 1;
  }

  /// Left children have odd indices, since pairs follow the root.
  [[nodiscard]] static bool is_left(NodeIndex node) { return node % 2 == 1; }
  [[nodiscard]] static NodeIndex sibling(NodeIndex node) {
    return is_left(node) ? node + 1 : node - 1;
  }

  [[nodiscard]] Arm arm(NodeIndex node) const {
    return {arm_blocks_[node / kArmsPerBlock].data() + node % kArmsPerBlock * arm_size_, arm_size_};
  }
  [[nodiscard]] std::span<const double> cell(NodeIndex node) const;

  /// The way down from the root: 0 left, 1 right.
  [[nodiscard]] std::string path(NodeIndex node) const;

  /// True if `a` stands to the left of `b`, two nodes of the same depth.
  [[nodiscard]] bool is_left_of(NodeIndex a, NodeIndex b) const;

  /// Restores into a tree of the same partition, whatever has grown in it before.
  void transfer(State& state);

  [[nodiscard]] const Partition& partition() const { return *partition_; }
  [[nodiscard]] std::shared_ptr<const Partition> shared_partition() const { return partition_; }

 private:
  static constexpr std::size_t kArmsPerBlock = 64;

  [[nodiscard]] std::span<double> mutable_cell(NodeIndex node);
  void place_arm(NodeIndex node);

  std::shared_ptr<const Partition> partition_;
  std::size_t arm_size_;
  std::size_t cell_size_;
  std::vector<Node> nodes_;
  std::vector<double> cells_;                    // rows of cell_size numbers
  std::vector<std::vector<double>> arm_blocks_;  // blocks of rows that are never resized
  std::uint32_t depth_ = 0;
};

}  // namespace canopy
