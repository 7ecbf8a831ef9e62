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

/// Base of POO, GPO and restarts: an optimizer that runs other optimizers, its children. A child is
/// created from the catalogue, over the same cells, and used only through the Optimizer interface.
///
/// A turn belongs to a child: the child is asked, and the arm it returns is played for the length
/// it returns; the rewards are told to the child at the end of the turn. Otherwise it behaves as
/// any TurnOptimizer: during a turn every ask returns the same arm, and later rewards are passed to
/// the child by `observe`, since its ticket is used up. A child therefore has at most one open
/// turn, whatever the number of pulls in flight. A turn may also play an arm that no child asked
/// for; no child learns its rewards.
///
/// Children maximize mapped rewards and learn their scale from these, unless a range is given.
/// Observed rewards and bars are passed to every child, including those created later. A failure is
/// passed to every child as a poor reward, so that not every child has to try a failing arm. All
/// rewards are also recorded in this optimizer's evidence, on which `best` is based, instead of on
/// that of the children.
///
/// The tree shown is that of the child that played last. `finish` ends the turn. The algorithms
/// implemented here never leave a child's turn open.
class Composite : public TurnOptimizer, private TreeView {
 public:
  /// Includes the nodes of the tree shown.
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() final { return this; }

  /// The number of children so far.
  [[nodiscard]] std::size_t children() const { return children_.size(); }

  Composite(Composite&&) = delete;
  Composite& operator=(const Composite&) = delete;
  Composite& operator=(Composite&&) = delete;
  ~Composite() override = default;

 protected:
  /// Children cut the box by this rule. Unless the rule specifies a number of parts, each child
  /// uses its own default.
  Composite(const Space& space, const PartitionRule& partition, const Objective& objective);
  /// Children search this partition.
  Composite(std::shared_ptr<const Partition> cells, const Objective& objective);
  Composite(const Composite& other);  // used by clone

  /// The optimizer of a child, which depends only on the child's number.
  [[nodiscard]] virtual Selection child_at(std::size_t number) const = 0;

  /// Creates the next child, and tells it the observed rewards. A constructor must create the first
  /// one. If a custom partition throws, no child is added.
  void add_child();

  /// Replaces the only child by a new one, which learns only the bars; rewards for pulls of the old
  /// child are not learnt. If the partition throws, the old child stays.
  void renew_only_child();

  /// A child's own recommendation; none before its first reward.
  [[nodiscard]] std::optional<Best> best_of(std::size_t child) const;

  /// A turn of a child, limited to `most` pulls.
  [[nodiscard]] Choice play(std::size_t child, std::uint64_t most = UINT64_MAX);
  /// A turn at an arm that the child has not asked for.
  [[nodiscard]] Choice play(std::size_t child, Arm arm, std::uint64_t length);

  /// Called with the rewards of a turn: `asked` if the child asked for the arm, and has learnt
  /// them.
  virtual void hear(std::size_t child, bool asked, const Rewards& mapped) = 0;

  void transfer(State& state) override;

  /// The number of parts of a cell.
  [[nodiscard]] std::uint32_t arity() const { return cells_->arity(); }
  [[nodiscard]] bool contains(Arm arm) const override { return cells_->contains(arm); }

 private:
  /// The purpose of the arm in a slot.
  struct Play {
    std::uint64_t child = 0;
    bool asked = false;           ///< whether the child asked for it
    Ticket ticket = 0;            ///< the child's ticket
    std::uint64_t remaining = 0;  ///< rewards that may still be told for that ticket

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
  std::optional<Box> box_;  // none: the partition is the caller's own
  double confidence_;
  std::vector<std::unique_ptr<Optimizer>> children_;
  ArmSlots arms_;
  std::vector<Play> plays_;                              // by slot
  std::uint64_t shown_ = 0;                              // child that played last
  std::map<std::vector<double>, Rewards> observations_;  // for future children, in mapped units
  std::map<std::vector<double>, double> bars_;  // rewards of barred arms, for future children
};

}  // namespace canopy
