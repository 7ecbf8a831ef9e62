#pragma once

#include "canopy/detail/bounded_node.hpp"
#include "canopy/detail/observations.hpp"
#include "canopy/random.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace canopy {

/// The constants in the bounds of HOO and truncated HOO.
struct HooConstants {
  double nu1 = 0.0;
  double rho = 0.0;
  double confidence_scale = 0.0;
};

/// Common base of HOO and truncated HOO. The statistics of a node are those of its whole subtree: a
/// reward is added to the leaf that was played and to all of its ancestors. With a logarithm that
/// differs between the two,
///
///     U(v) = mean + R (confidence_scale sqrt(2 log / pulls) + nu1 rho^h)      B(v) as in HCT
///
/// with the scale R and the exceptions for cells of a list as in HCT. A step plays the leaf at the
/// end of the path of larger B, with ties broken at random. A cell may have any number of parts.
class HooTree : public TurnOptimizer, private TreeView {
 public:
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() final { return this; }

 protected:
  HooTree(std::shared_ptr<const Partition> partition, const HooConstants& constants,
          std::uint64_t seed, const Objective& objective);

  [[nodiscard]] Choice choose() override;

  /// Starts over with only the root. Nodes of earlier trees are no longer known; their arms stay
  /// valid while they have an open ticket.
  void start_over();

  /// The leaf at the end of the path with the most pulls, with the statistics of its subtree.
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;

  /// Whether a node number belongs to the current tree.
  [[nodiscard]] bool knows(NodeIndex node) const { return node >= first_; }

  /// Learns rewards of a node of the current tree.
  virtual void learn_here(NodeIndex node, const Rewards& mapped) = 0;

  /// Learns the observed rewards of the arms of new nodes, including nodes that this call creates.
  void learn_observed();

  /// Adds rewards of a node to it and all its ancestors, and updates their bounds.
  void update_path(NodeIndex node, const Rewards& mapped);

  /// Updates the bounds of all nodes.
  void update_all();

  /// Gives a node children if it is a leaf whose cell can be cut.
  void expand(NodeIndex node);

  /// 2 ln t or 2 ln n; affects bounds computed from now on.
  void set_log(double log) { twice_log_ = 2.0 * log; }

  [[nodiscard]] Arm arm_of(NodeIndex node) const override;
  [[nodiscard]] std::uint32_t depth_of(NodeIndex node) const;
  [[nodiscard]] bool contains(Arm arm) const final { return tree_.partition().contains(arm); }
  void transfer(State& state) override;

  /// The number of the root.
  [[nodiscard]] NodeIndex root() const { return first_; }

  /// The number of rewards in the current tree.
  [[nodiscard]] double pulls() const { return tree_[BoundedTreeOfAny::kRoot].pulls; }

  [[nodiscard]] const HooConstants& constants() const { return constants_; }

 private:
  using Tree = BoundedTreeOfAny;
  using Node = Tree::Node;

  struct Earlier {
    NodeIndex first;
    Tree tree;

    [[nodiscard]] bool holds(NodeIndex node) const { return node - first < tree.size(); }
  };

  /// The tree that a node belongs to, and the number of its root.
  [[nodiscard]] std::pair<const Tree&, NodeIndex> home_of(NodeIndex node) const;
  void grow_resolutions();
  [[nodiscard]] NodeIndex child_of_largest_bound(NodeIndex at);

  void learn(NodeIndex node, const Rewards& mapped) final;
  void accept_observed(Arm arm, const Rewards& mapped) final;

  [[nodiscard]] std::vector<NodeView> nodes() const final;
  [[nodiscard]] std::optional<Place> place(Ticket ticket) const final;
  [[nodiscard]] std::string path(NodeIndex node) const final;

  [[nodiscard]] double width(double pulls) const;
  [[nodiscard]] double own_upper_bound(const Node& node) const;
  void retrace_path(NodeIndex at);

  Tree tree_;
  NodeIndex first_ = 0;           // number of the root of the current tree
  std::vector<Earlier> earlier_;  // kept for the arms of tickets in flight
  HooConstants constants_;
  double twice_log_ = 0.0;
  std::vector<double> resolutions_;  // R nu1 rho^h by depth
  std::vector<NodeIndex> path_;      // from the root to the node last chosen or told
  std::size_t kept_ = 1;             // number of its nodes that are certain to be on the next path
  RandomStream random_;
  Observations observations_;       // for all arms: needed again after start_over
  std::vector<NodeIndex> credits_;  // new nodes with observed rewards not learnt yet
};

}  // namespace canopy
