#pragma once

#include "canopy/partition.hpp"
#include "canopy/state.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace canopy {

using NodeIndex = std::uint32_t;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Arity of a tree that takes any partition: the number of children is known only at run time.
inline constexpr std::uint32_t kAnyArity = 0;

/// A tree of cells that covers a set, stored in an arena that only grows. A node's children are
/// adjacent and follow the node, so that iterating backwards over the indices visits children
/// first. A node holds the algorithm's data, `Data` (a struct with a `transfer(State&)`), and its
/// links; its cell and its arm are rarely used and are stored separately. Arms never move, so a
/// view of an arm stays valid as long as the tree exists.
template <class Data, std::uint32_t kArity = 2>
class CoverTree {
 public:
  static_assert(kArity <= Partition::kMostParts);

  struct Node : Data {
    NodeIndex parent = 0;             ///< The root's is the root.
    NodeIndex children = 0;           ///< The first child, the others follow it; 0: a leaf.
    std::uint32_t depth = 0;          ///< h
    bool splittable = true;           ///< False once the partition has refused to cut the cell.
    Extent extent = Extent::shrinks;  ///< Extent of the cell.
    std::uint8_t parts = 0;           ///< Number of children.

    [[nodiscard]] bool is_leaf() const { return children == 0; }
  };

  static constexpr NodeIndex kRoot = 0;
  static constexpr std::uint32_t kChildren = kArity;

  /// A tree with only a root. Throws ConfigurationError if the partition has another arity.
  explicit CoverTree(std::shared_ptr<const Partition> partition)
      : partition_(std::move(partition)),
        arity_(checked_arity(*partition_, kArity)),
        arm_size_(partition_->dimension()),
        cell_size_(partition_->cell_size()),
        cells_(cell_size_) {
    partition_->root(cells_);
    place_arm(kRoot);
    nodes_.emplace_back().extent = partition_->extent(cells_);
  }

  [[nodiscard]] NodeIndex size() const { return static_cast<NodeIndex>(nodes_.size()); }
  [[nodiscard]] std::uint32_t depth() const { return depth_; }
  [[nodiscard]] Node& operator[](NodeIndex node) { return nodes_[node]; }
  [[nodiscard]] const Node& operator[](NodeIndex node) const { return nodes_[node]; }

  /// Number of children of a node that is not a leaf.
  [[nodiscard]] static constexpr std::uint32_t child_count(const Node& node) {
    return kArity == kAnyArity ? node.parts : kArity;
  }

  /// Gives a leaf its children and returns true, which invalidates references to nodes. If the
  /// partition cannot cut the cell, marks the node as not splittable and returns false; also if
  /// `with_effect` is set and the cut would have no effect, because all parts have the arm of the
  /// cell or one part is the cell.
  bool expand(NodeIndex leaf, bool with_effect = false) {
    // A partition throws only here, before any node is changed.
    const NodeIndex first = size();
    const std::uint32_t depth = nodes_[leaf].depth;
    const std::size_t parts = first * cell_size_;
    cells_.resize(parts + arity_ * cell_size_);
    const std::uint32_t count = cut(leaf, std::span(cells_).subspan(parts));
    std::array<Extent, Partition::kMostParts> extents{};
    for (std::uint32_t i = 0; i < count; ++i) {
      place_arm(first + i);
      extents[i] = partition_->extent(cell(first + i));
    }
    if (count == 0 || (with_effect && !has_effect(leaf, first, count))) {
      nodes_[leaf].splittable = false;
      return false;
    }
    Node child;
    child.parent = leaf;
    child.depth = depth + 1;
    nodes_.resize(first + std::size_t{count}, child);
    for (std::uint32_t i = 0; i < count; ++i) nodes_[first + i].extent = extents[i];
    nodes_[leaf].children = first;
    nodes_[leaf].parts = static_cast<std::uint8_t>(count);
    depth_ = std::max(depth_, depth + 1);
    return true;
  }

  /// The index of a node among its parent's children, from 0. (Groups of children follow the root.)
  [[nodiscard]] static std::uint32_t which_child(NodeIndex node) requires(kArity != kAnyArity) {
    return (node - 1) % kArity;
  }

  /// The other child of the same parent.
  [[nodiscard]] static NodeIndex sibling(NodeIndex node) requires(kArity == 2) {
    return which_child(node) == 0 ? node + 1 : node - 1;
  }

  [[nodiscard]] Arm arm(NodeIndex node) const {
    return {arm_blocks_[node / kArmsPerBlock].data() + node % kArmsPerBlock * arm_size_, arm_size_};
  }
  [[nodiscard]] std::span<const double> cell(NodeIndex node) const {
    return std::span(cells_).subspan(node * cell_size_, cell_size_);
  }

  /// The first node other than the root with that arm; the root if there is none.
  [[nodiscard]] NodeIndex find(Arm wanted) const {
    for (NodeIndex node = 1; node < size(); ++node) {
      if (has_arm(node, wanted)) return node;
    }
    return kRoot;
  }

  /// The path from the root, one digit per level: 0 for the first child.
  [[nodiscard]] std::string path(NodeIndex node) const {
    std::string path(nodes_[node].depth, '0');
    for (auto turn = path.rbegin(); turn != path.rend(); ++turn, node = nodes_[node].parent) {
      *turn = static_cast<char>('0' + (node - nodes_[nodes_[node].parent].children));
    }
    return path;
  }

  /// All nodes in breadth-first order, each level from left to right.
  [[nodiscard]] std::vector<NodeIndex> shallow_first() const {
    std::vector<NodeIndex> order{kRoot};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Node& node = nodes_[order[i]];
      if (node.is_leaf()) continue;
      for (std::uint32_t k = 0; k < child_count(node); ++k) order.push_back(node.children + k);
    }
    return order;
  }

  /// Whether this is the arm of a node.
  [[nodiscard]] bool has_arm(NodeIndex node, Arm wanted) const {
    const Arm here = arm(node);
    return std::equal(here.begin(), here.end(), wanted.begin(), wanted.end());
  }

  /// For two nodes of the same depth: whether `a` is to the left of `b`.
  [[nodiscard]] bool is_left_of(NodeIndex a, NodeIndex b) const {
    if (a == b) return false;
    while (nodes_[a].parent != nodes_[b].parent) {
      a = nodes_[a].parent;
      b = nodes_[b].parent;
    }
    return a < b;
  }

  /// Whether these nodes form a path down from the root.
  [[nodiscard]] bool is_path(std::span<const NodeIndex> nodes) const {
    if (nodes.empty() || nodes[0] != kRoot) return false;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const bool is_child = nodes[i] != kRoot && nodes[i] < size();
      if (!is_child || nodes_[nodes[i]].parent != nodes[i - 1]) return false;
    }
    return true;
  }

  /// Restores into a tree of the same partition, whatever it held before.
  void transfer(State& state) {
    std::string kind = std::to_string(arm_size_) + "-" + std::to_string(cell_size_);
    if (kArity == kAnyArity && arity_ != 2) kind += "-" + std::to_string(arity_);
    state.mark(kind);
    if (state.restoring()) *this = CoverTree(partition_);
    std::uint64_t nodes = size();
    state(nodes);
    for (std::uint64_t group = 1; group < nodes;) {  // in the order they were made
      NodeIndex parent = state.restoring() ? 0 : nodes_[group].parent;
      state(parent);
      if (state.restoring()) {
        State::require(parent < size() && nodes_[parent].is_leaf() && expand(parent));
      }
      group += child_count(nodes_[parent]);
    }
    State::require(size() == nodes);
    for (Node& node : nodes_) {
      node.Data::transfer(state);
      state(node.splittable);
    }
  }

  /// A copy of the tree in which every node for which `ends` is true is a leaf. `places[i]` becomes
  /// the new index of node i; kRoot marks a dropped node (and the root itself).
  template <class Ends>
  [[nodiscard]] CoverTree pruned(const Ends& ends, std::vector<NodeIndex>& places) const {
    CoverTree copy(partition_);
    places.assign(size(), kRoot);
    std::vector<NodeIndex> from{kRoot};
    for (NodeIndex i = 0; i < from.size(); ++i) {
      const Node& node = nodes_[from[i]];
      static_cast<Data&>(copy.nodes_[i]) = static_cast<const Data&>(node);
      copy.nodes_[i].splittable = node.splittable;
      if (node.is_leaf() || ends(from[i]) || !copy.expand(i)) continue;
      for (std::uint32_t part = 0; part < child_count(node); ++part) {
        places[node.children + part] = copy.nodes_[i].children + part;
        from.push_back(node.children + part);
      }
    }
    return copy;
  }

  [[nodiscard]] const Partition& partition() const { return *partition_; }
  [[nodiscard]] std::shared_ptr<const Partition> shared_partition() const { return partition_; }

 private:
  static constexpr std::size_t kArmsPerBlock = 64;

  /// Writes the parts of a node's cell and returns their number.
  [[nodiscard]] std::uint32_t cut(NodeIndex node, std::span<double> parts) const {
    const std::uint32_t depth = nodes_[node].depth;
    if constexpr (kArity == kAnyArity) return partition_->cut(cell(node), depth, parts);
    return partition_->split(cell(node), depth, parts) ? kArity : 0;
  }

  /// Whether some part has another arm than the cell, and no part equals the cell.
  [[nodiscard]] bool has_effect(NodeIndex node, NodeIndex first, std::uint32_t count) const {
    bool has_new_arm = false;
    for (NodeIndex part = first; part < first + count; ++part) {
      if (std::ranges::equal(cell(part), cell(node))) return false;
      has_new_arm = has_new_arm || !has_arm(part, arm(node));
    }
    return has_new_arm;
  }

  void place_arm(NodeIndex node) {
    if (node == arm_blocks_.size() * kArmsPerBlock) {
      arm_blocks_.emplace_back(kArmsPerBlock * arm_size_);
    }
    std::vector<double>& block = arm_blocks_[node / kArmsPerBlock];
    partition_->arm(cell(node),
                    std::span(block).subspan(node % kArmsPerBlock * arm_size_, arm_size_));
  }

  std::shared_ptr<const Partition> partition_;
  std::uint32_t arity_;
  std::size_t arm_size_;
  std::size_t cell_size_;
  std::vector<Node> nodes_;
  std::vector<double> cells_;                    // rows of cell_size numbers
  std::vector<std::vector<double>> arm_blocks_;  // blocks of rows that are never resized
  std::uint32_t depth_ = 0;
};

}  // namespace canopy
