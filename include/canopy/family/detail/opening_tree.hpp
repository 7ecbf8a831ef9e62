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

/// What DOO, SOO, StoSOO, SequOOL and StroquOOL share: a tree of cells over any partition, in which
/// a cell is opened by cutting it and playing the arms of its parts. The leaves of each depth are
/// ordered by a value that the algorithm chooses, so that the best of a depth is found without
/// looking at the others; of equal ones it is the one that was made first.
///
/// A cell that cannot be cut is passed over, and counts as nothing. So is one
/// whose parts all have its own arm, or of which a part is the cell itself: where doubles end, a
/// partition that never refuses would be cut for ever, and nothing new played. Once
/// the algorithm has nothing more to look for, since its horizon is over or since every arm of a
/// finite space is a cell, it plays the arm that it recommends.
class OpeningTree : public TurnOptimizer, private TreeView {
 public:
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() final { return this; }

 protected:
  struct Sampled {
    double pulls = 0.0;
    double sum = 0.0;         ///< of the rewards, in mapped units
    std::uint32_t place = 0;  ///< among the nodes of its depth, in the order they were made

    [[nodiscard]] double mean() const { return pulls == 0.0 ? 0.0 : sum / pulls; }

    void transfer(State& state) {
      state(pulls, sum);
      state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
    }
  };
  using Tree = CoverTree<Sampled, kAnyArity>;
  using Node = Tree::Node;

  /// What becomes of the rewards of a cell when it is cut and a part has the same arm.
  enum class SameArm {
    keeps_rewards,  ///< The part has them as well, and is not played again.
    starts_afresh,  ///< The part is played as any other: that the cell was chosen for its high mean
                    ///< would make it look better than it is.
  };

  OpeningTree(std::shared_ptr<const Partition> partition, const Objective& objective,
              SameArm same_arm);

  /// What to play while there is something to look for.
  [[nodiscard]] virtual std::optional<Choice> explore() = 0;

  /// By what the leaves of a depth are ordered: the mean, unless it is overridden. Minus infinity
  /// for those that are not in question.
  [[nodiscard]] virtual double value_of(const Node& node) const;

  /// Whether the algorithm may recommend the arm of a node. Where this depends on more than the
  /// node, `update_all` is called when it has changed.
  [[nodiscard]] virtual bool may_recommend(const Node& node) const { return node.pulls > 0.0; }

  /// Cuts the cell of a leaf; then its parts are to be played. If it cannot be cut, it is in
  /// question no more.
  bool open(NodeIndex leaf);

  /// The next of the cells to be played that has fewer rewards than that.
  [[nodiscard]] std::optional<Choice> next_unplayed(double pulls = 1.0);

  /// The leaf of the largest value at a depth; none if there is no leaf in question.
  [[nodiscard]] std::optional<NodeIndex> best_leaf(std::uint32_t depth) const;
  [[nodiscard]] double best_value(std::uint32_t depth) const { return leaves_[depth].largest(); }

  /// Brings the order of a node up to date, or that of all.
  void update(NodeIndex node);
  void update_all();

  /// How many arms are new when the whole set is cut; at least 1.
  [[nodiscard]] std::uint32_t new_arms_of_a_cut() const;

  [[nodiscard]] const Tree& cells() const { return tree_; }
  [[nodiscard]] const std::vector<NodeIndex>& cells_at(std::uint32_t depth) const {
    return by_depth_[depth];
  }

  [[nodiscard]] Choice choose() override;
  /// Where to go when there is nothing to look for any more.
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
  NodeIndex next_ = 0;  // the cells to be played are those from here...
  NodeIndex end_ = 1;   // ... to here, which is not one of them; first, the root
  std::vector<std::vector<NodeIndex>> by_depth_;
  std::vector<Tournament> leaves_;  // by depth, over the places there
  Tournament means_;                // of the nodes that may be recommended
  Observations observations_;
};

}  // namespace canopy
