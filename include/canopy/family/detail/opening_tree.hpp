#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/detail/observations.hpp"
#include "canopy/family/detail/tournament.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// Common base of DOO, SOO, StoSOO, SequOOL and StroquOOL: a tree of cells over any partition, in
/// which a cell is opened by cutting it and playing the arms of its parts. The leaves of each depth
/// are ordered by a value that the algorithm defines, so that the best one is found without
/// comparing all of them. Ties go to the leaf created first.
///
/// A cell that cannot be cut is skipped, and does not count. The same applies to a cell if all its
/// parts have its own arm, or if one part is the cell itself: at the limit of double precision,
/// such a cell would otherwise be cut forever without a new arm. When the algorithm has finished
/// exploring, because its horizon is over or every arm of a finite space is a cell, it plays the
/// arm that it recommends.
class OpeningTree : public TurnOptimizer, private TreeView {
 public:
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() final { return this; }

 protected:
  struct Sampled {
    double pulls = 0.0;
    double sum = 0.0;         ///< sum of the rewards, in mapped units
    std::uint32_t place = 0;  ///< index among the nodes of its depth, in order of creation

    [[nodiscard]] double mean() const { return pulls == 0.0 ? 0.0 : sum / pulls; }

    void transfer(State& state) {
      state(pulls, sum);
      state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
    }
  };
  using Tree = CoverTree<Sampled, kAnyArity>;
  using Node = Tree::Node;

  /// What happens to the rewards of a cell when it is cut and a part has the same arm.
  enum class SameArm {
    keeps_rewards,  ///< The part takes them over, and is not played again.
    starts_afresh,  ///< The part is played as any other: the mean of the cell is biased upward,
                    ///< since the cell was selected for it.
  };

  OpeningTree(std::shared_ptr<const Partition> partition, const Objective& objective,
              SameArm same_arm);

  /// The next arm to explore; none when exploration has finished.
  [[nodiscard]] virtual std::optional<Choice> explore() = 0;

  /// The value by which the leaves of a depth are ordered: the mean, unless overridden. Minus
  /// infinity for leaves that must not be opened.
  [[nodiscard]] virtual double value_of(const Node& node) const;

  /// Whether the algorithm may recommend the arm of a node. If this depends on more than the node,
  /// call `update_all` when it changes.
  [[nodiscard]] virtual bool may_recommend(const Node& node) const { return node.pulls > 0.0; }

  /// Cuts the cell of a leaf, and schedules its parts to be played. A leaf that cannot be cut is no
  /// longer a candidate. Returns whether it was cut.
  bool open(NodeIndex leaf);

  /// The next cell to be played that has fewer rewards than `pulls`.
  [[nodiscard]] std::optional<Choice> next_unplayed(double pulls = 1.0);

  /// The leaf with the largest value at a depth; none if no leaf is a candidate.
  [[nodiscard]] std::optional<NodeIndex> best_leaf(std::uint32_t depth) const;
  [[nodiscard]] double best_value(std::uint32_t depth) const { return leaves_[depth].largest(); }

  /// Updates the order of a node, or of all nodes.
  void update(NodeIndex node);
  void update_all();

  /// The number of new arms when the root is cut; at least 1.
  [[nodiscard]] std::uint32_t new_arms_of_a_cut() const;

  [[nodiscard]] const Tree& cells() const { return tree_; }
  [[nodiscard]] const std::vector<NodeIndex>& cells_at(std::uint32_t depth) const {
    return by_depth_[depth];
  }

  [[nodiscard]] Choice choose() override;
  /// The node to play when exploration has finished.
  [[nodiscard]] virtual NodeIndex settle();
  void learn(NodeIndex node, const Rewards& mapped) override;
  /// Adds rewards to one node.
  virtual void add(NodeIndex node, const Rewards& mapped);
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  void transfer(State& state) override;

 private:
  void accept_observed(Arm arm, const Rewards& mapped) final;
  [[nodiscard]] Arm arm_of(NodeIndex node) const final { return tree_.arm(node); }
  [[nodiscard]] bool contains(Arm arm) const final { return tree_.partition().contains(arm); }

  [[nodiscard]] std::vector<NodeView> nodes() const final;
  [[nodiscard]] std::optional<Place> place(Ticket ticket) const final;
  [[nodiscard]] std::string path(NodeIndex node) const final;

  void add_to_depth(NodeIndex node);
  void list_all();

  Tree tree_;
  SameArm same_arm_;
  NodeIndex next_ = 0;  // cells to be played: from next_
  NodeIndex end_ = 1;   // up to, not including, end_; initially the root
  std::vector<std::vector<NodeIndex>> by_depth_;
  std::vector<Tournament> leaves_;  // by depth, over the nodes of that depth
  Tournament means_;                // means of nodes that may be recommended
  Observations observations_;
};

}  // namespace canopy
