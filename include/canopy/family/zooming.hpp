#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/detail/observations.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace canopy {

struct ZoomingOptions {
  /// nu1 > 0 and rho in (0, 1): f varies by at most nu1 rho^h, in mapped units, within a cell at
  /// depth h. Raising either makes more arms active. rho is 2^(-1/dimension) unless set.
  double nu1 = 1.0;
  std::optional<double> rho = std::nullopt;

  /// > 0: multiplies the confidence radius; 1 is the value of the theorems. Raising it explores
  /// more.
  double confidence_scale = 0.1;
};

template <class Visit>
void visit_fields(ZoomingOptions& options, Visit&& visit) {
  visit(Field{"nu1", "f varies by at most nu1 rho^h in a cell at depth h", kPositive}, options.nu1);
  visit(Field{"rho", "see nu1", kOpenUnit}, options.rho);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
}

/// confidence_scale sqrt(8 phase / (1 + pulls)): the confidence radius of an arm's mean, for
/// rewards in [0, 1].
[[nodiscard]] double zooming_radius(double confidence_scale, double phase, double pulls);

/// The zooming algorithm (Kleinberg, Slivkins, Upfal, "Multi-Armed Bandits in Metric Spaces", STOC
/// 2008). f is Lipschitz in a known metric D. Phase i = 1, 2, 3, ... has 2^i pulls. Some arms are
/// active, and an arm v with T pulls and the radius r(v) = `zooming_radius` covers its ball, all x
/// with D(v, x) <= r(v). A step has two rules:
///
///     activation  if some arm is covered by no ball, make one such arm active
///     selection   play the active arm with the largest mean + 2 R r(v)
///
/// Balls are small where there are many pulls, that is, where f is large; so this is where most
/// active arms are. R is the scale as in HCT; it cancels in the comparison of r with D.
///
/// *The metric* is that of the tree of cells: D(x, y) = nu1 rho^h for the deepest cell, at depth h,
/// that holds both; 0 if that cell holds one arm only, and nu1 while it holds several values of a
/// choice. With it the activation rule is exact and cheap. A ball is a cell: the largest one around
/// v that is no wider than r(v). Two balls are therefore nested or disjoint, and nothing is
/// approximated: each cell records whether balls cover it (a ball is here, or both halves are
/// covered), and a ball that shrinks moves down the tree. A function that is Lipschitz in the usual
/// metric is also Lipschitz in this one. An arm belongs to the cell whose centre it is. Below that,
/// an arm on the boundary of two cells belongs to the left one, and so does an arm if the partition
/// cannot tell which of them holds it. A cell that cannot be cut is covered by an arm in it.
///
/// *Which arm becomes active.* The paper allows any uncovered arm. Here it is the centre of the
/// largest cell without a ball in it, searched from the left; at most one per step. The first
/// active arm is the centre of the whole set.
///
/// *Phases start over*: pulls and means in the paper's formulas are those of the phase; here the
/// active arms are, too. Late rewards count if their arm is active, and observed rewards count in
/// every phase.
///
/// Arms without pulls come first, in the order of activation. With the paper's radius such an arm
/// always has the largest index: 2 sqrt(8 i) > 1 + 2 sqrt(8 i / 2). With a smaller radius it might
/// never be played.
///
/// A step costs O(ln A) for A active arms, and O(depth) if a ball moves. Cells are cut when an arm
/// is chosen: if the partition throws, no reward is lost, and the next `ask` continues.
class Zooming final : public TurnOptimizer, private TreeView {
 public:
  /// Throws ConfigurationError.
  explicit Zooming(const Space& space, const ZoomingOptions& options = {},
                   const Objective& objective = {});
  explicit Zooming(const std::shared_ptr<const Partition>& partition,
                   const ZoomingOptions& options = {}, const Objective& objective = {});

  /// `refreshes` is the number of phases begun.
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() override { return this; }
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  static constexpr std::uint32_t kInactive = UINT32_MAX;

  /// Data of a cell, and of the arm in its centre.
  struct Cell {
    double pulls = 0.0;              ///< pulls of the arm in this phase
    double sum = 0.0;                ///< sum of its rewards, in mapped units
    std::uint32_t rank = kInactive;  ///< position in the order of activation
    NodeIndex ball = 0;              ///< the cell that is the arm's ball
    std::int32_t balls_here = 0;     ///< number of balls that are exactly this cell
    std::int32_t balls = 0;          ///< number of balls that are this cell or part of it
    bool is_covered = false;

    void transfer(State& state) {  // everything else is recomputed
      state(pulls, sum);
      state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
    }
  };

  /// An arm with its index, current or outdated.
  struct Entry {
    double index;
    std::uint32_t rank;

    /// Orders a heap by index, with the oldest arm first among equals.
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.index != b.index ? a.index < b.index : a.rank > b.rank;
    }
  };

  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return tree_.arm(node); }
  [[nodiscard]] bool contains(Arm arm) const override { return tree_.partition().contains(arm); }
  void transfer(State& state) override;

  [[nodiscard]] Choice choose() override;
  void learn(NodeIndex node, const Rewards& mapped) override;
  void accept_observed(Arm arm, const Rewards& mapped) override;

  [[nodiscard]] std::vector<NodeView> nodes() const override;
  [[nodiscard]] std::optional<Place> place(Ticket ticket) const override;
  [[nodiscard]] std::string path(NodeIndex node) const override;

  void begin_phase();
  void activate_uncovered();
  void activate(NodeIndex node);
  void enlist(NodeIndex node);
  [[nodiscard]] NodeIndex largest_index();

  [[nodiscard]] double radius(NodeIndex node) const;
  [[nodiscard]] double index(NodeIndex node) const;
  [[nodiscard]] double width(NodeIndex cell) const;
  [[nodiscard]] NodeIndex half_around(NodeIndex node, NodeIndex cell) const;
  [[nodiscard]] bool is_too_wide(NodeIndex ball, NodeIndex node) const {
    return width(ball) > radius(node);
  }
  NodeIndex ball_around(NodeIndex node, NodeIndex from, bool may_cut);
  void shrink_ball(NodeIndex node);
  void cut_balls();
  void move_ball(NodeIndex node, NodeIndex to);
  void count_ball(NodeIndex cell, std::int32_t change);
  void add(NodeIndex node, const Rewards& mapped);
  void note_index(NodeIndex node);
  void note_all();

  CoverTree<Cell> tree_;
  ZoomingOptions options_;
  double rho_;
  std::uint64_t phase_ = 0;
  std::uint64_t phase_end_ = 1;    // t at which the next one begins
  std::vector<NodeIndex> active_;  // in the order of activation
  std::vector<Entry> by_index_;  // a heap; entries whose index differs from the arm's are outdated
  std::set<std::uint32_t> to_be_cut_;  // ranks of arms whose balls are still too wide
  Observations observations_;          // for all arms: needed again in every phase
};

}  // namespace canopy
