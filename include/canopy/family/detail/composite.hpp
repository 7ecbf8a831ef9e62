#pragma once

#include "canopy/catalogue.hpp"
#include "canopy/family/detail/arm_slots.hpp"
#include "canopy/partition.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// An optimizer that runs others inside, its children: the base of POO, GPO and restarts. A child
/// is made from the catalogue, over the same cells, and is spoken to by the protocol alone.
///
/// A turn belongs to a child. It asks the child, and plays what the child asks for, for as long as
/// the child wants; the rewards are told to the child when the turn is over. All else is as for any
/// TurnOptimizer: until then every ask is for the same arm, and answers that come later are
/// `observe`d by the child, whose ticket is used up. So a child never has more than one turn open,
/// however many pulls are in flight. A turn can also be at an arm that no child has asked for; no
/// child learns from it.
///
/// Children maximize mapped rewards and learn their scale from those they are told, unless a range
/// is given. What nobody asked for, and what is barred, is passed on to every child, and to those
/// that are made later. So is a failure, as a poor reward: not every child has to try what fails.
/// All rewards also are in the evidence here, whoever asked for them: `best` rests on it, and not
/// on that of the children.
///
/// The tree that can be looked at is that of the child which played last. `finish` ends the turn;
/// the children of today's algorithms have no longer ones of their own.
class Composite : public TurnOptimizer, private TreeView {
 public:
  /// With the nodes of the tree that can be looked at.
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() final { return this; }

  /// How many optimizers there are inside by now.
  [[nodiscard]] std::size_t children() const { return children_.size(); }

  Composite(Composite&&) = delete;
  Composite& operator=(const Composite&) = delete;
  Composite& operator=(Composite&&) = delete;
  ~Composite() override = default;

 protected:
  /// Children cut the box by that rule, in as many parts as each wants unless the rule says.
  Composite(const Space& space, const PartitionRule& partition, const Objective& objective);
  /// Children search these cells.
  Composite(std::shared_ptr<const Partition> cells, const Objective& objective);
  Composite(const Composite& other);  // for clone

  /// Which optimizer a child is. It depends on its number alone.
  [[nodiscard]] virtual Selection child_at(std::size_t number) const = 0;

  /// Makes the next child, and tells it what was observed. A constructor makes the first. If the
  /// cells are the caller's own, and throw, there is no new child.
  void add_child();

  /// Puts a new child in the place of the only one. Of what it knew, only what is barred is left;
  /// answers to what the old one has asked for are learnt by none. If the cells throw, the old one
  /// stays.
  void renew_only_child();

  /// What a child itself would recommend; none before its first reward.
  [[nodiscard]] std::optional<Best> best_of(std::size_t child) const;

  /// A turn of a child, or the first so many pulls of it.
  [[nodiscard]] Choice play(std::size_t child, std::uint64_t most = UINT64_MAX);
  /// A turn at an arm that the child has not asked for.
  [[nodiscard]] Choice play(std::size_t child, Arm arm, std::uint64_t length);

  /// Rewards of a turn of that child, which has learnt them, or at an arm that it had not `asked`
  /// for, which it has not.
  virtual void hear(std::size_t child, bool asked, const Rewards& mapped) = 0;

  void transfer(State& state) override;

  /// Into how many parts a cell is cut.
  [[nodiscard]] std::uint32_t arity() const { return cells_->arity(); }
  [[nodiscard]] bool contains(Arm arm) const override { return cells_->contains(arm); }

 private:
  /// What the arm in a slot is played for.
  struct Play {
    std::uint64_t child = 0;
    bool asked = false;           ///< by the child
    Ticket ticket = 0;            ///< of the child
    std::uint64_t remaining = 0;  ///< rewards that it is still good for

    void transfer(State& state) { state(child, asked, ticket, remaining); }
  };

  [[nodiscard]] Choice begin(const Play& play, Arm arm, std::uint64_t length);
  void learn(NodeIndex node, const Rewards& mapped) final;
  void accept_observed(Arm arm, const Rewards& mapped) final;
  void accept_penalty(NodeIndex node, double mapped) final;
  void accept_bar(Arm arm, double mapped, std::uint64_t weight) final;
  [[nodiscard]] Arm arm_of(NodeIndex node) const final { return arms_[node]; }
  [[nodiscard]] std::unique_ptr<Optimizer> make_child(std::size_t number) const;
  [[nodiscard]] Objective childrens_objective() const;
  [[nodiscard]] std::optional<RewardRange> childrens_range() const;

  [[nodiscard]] std::vector<NodeView> nodes() const final;
  [[nodiscard]] std::optional<Place> place(Ticket ticket) const final;
  [[nodiscard]] std::string path(NodeIndex node) const final;

  struct Box {
    Space space;
    PartitionRule rule;
  };

  std::shared_ptr<const Partition> cells_;
  std::optional<Box> box_;  // none: the cells are the caller's own
  double confidence_;
  std::vector<std::unique_ptr<Optimizer>> children_;
  ArmSlots arms_;
  std::vector<Play> plays_;                              // by slot
  std::uint64_t shown_ = 0;                              // the child that played last
  std::map<std::vector<double>, Rewards> observations_;  // for children to come, mapped
  std::map<std::vector<double>, double> bars_;           // the same of arms out of the question
};

}  // namespace canopy
