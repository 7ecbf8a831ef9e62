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

/// The numbers in the bounds of HOO and its truncated version.
struct HooConstants {
  double nu1 = 0.0;
  double rho = 0.0;
  double confidence_scale = 0.0;
};

/// What HOO and its truncated version share. The statistics of a node are those of its whole
/// subtree: a reward is added to the leaf that was played and to all of its ancestors. With a
/// logarithm that the two choose differently,
///
///     U(v) = mean + R (confidence_scale sqrt(2 log / pulls) + nu1 rho^h)      B(v) as in HCT
///
/// with the scale R and the exceptions for cells of a list as in HCT,
/// and a step plays the leaf at the end of the path of larger B, with ties broken at random. A
/// cell may have any number of parts.
class HooTree : public TurnOptimizer, private TreeView {
 public:
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() final { return this; }

 protected:
  HooTree(std::shared_ptr<const Partition> partition, const HooConstants& constants,
          std::uint64_t seed, const Objective& objective);

  [[nodiscard]] Choice choose() override;

  /// Starts over with the root alone. Nodes of earlier trees are unknown from here on; their arms
  /// live for as long as a ticket of theirs is open.
  void start_over();

  /// The end of the path of more pulls, with the statistics of its subtree.
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;

  /// Whether a node number belongs to the present tree.
  [[nodiscard]] bool knows(NodeIndex node) const { return node >= first_; }

  /// Learns rewards of a node of the present tree.
  virtual void learn_here(NodeIndex node, const Rewards& mapped) = 0;

  /// Learns what was observed of the arms of nodes that are new, and of those that this makes.
  void learn_observed();

  /// Adds rewards of a node to it and all its ancestors, and brings their bounds up to date.
  void update_path(NodeIndex node, const Rewards& mapped);

  /// Brings the bounds of all nodes up to date.
  void update_all();

  /// Gives a node children if it is a leaf whose cell can be cut.
  void expand(NodeIndex node);

  /// 2 ln t or 2 ln n: changing it changes the bounds that are computed from here on.
  void set_log(double log) { twice_log_ = 2.0 * log; }

  [[nodiscard]] Arm arm_of(NodeIndex node) const override;
  [[nodiscard]] std::uint32_t depth_of(NodeIndex node) const;
  [[nodiscard]] bool contains(Arm arm) const final { return tree_.partition().contains(arm); }
  void transfer(State& state) override;

  /// The number of the root.
  [[nodiscard]] NodeIndex root() const { return first_; }

  /// How many rewards the present tree has.
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
  NodeIndex first_ = 0;           // the number of the root of the present tree
  std::vector<Earlier> earlier_;  // kept for the arms of tickets in flight
  HooConstants constants_;
  double twice_log_ = 0.0;
  std::vector<double> resolutions_;  // R nu1 rho^h by depth
  std::vector<NodeIndex> path_;      // from the root to the node that was chosen or told of last
  std::size_t kept_ = 1;             // this many of its nodes are certain to be on the next path
  RandomStream random_;
  Observations observations_;       // of all arms: a tree that starts over needs them again
  std::vector<NodeIndex> credits_;  // new nodes whose arms were observed, not learnt yet
};

}  // namespace canopy
