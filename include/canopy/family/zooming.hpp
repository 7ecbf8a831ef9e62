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

  /// > 0: multiplies the confidence radius; 1 is what the theorems are about. Raising it explores
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

/// confidence_scale sqrt(8 phase / (1 + pulls)): how far the mean of an arm may be from f, for
/// rewards in [0, 1].
[[nodiscard]] double zooming_radius(double confidence_scale, double phase, double pulls);

/// The zooming algorithm (Kleinberg, Slivkins, Upfal, "Multi-Armed Bandits in Metric Spaces", STOC
/// 2008). f is Lipschitz in a metric D that is known. Phase i = 1, 2, 3, ... has 2^i pulls. Some
/// arms are active, and an arm v with T pulls and the radius r(v) = `zooming_radius` covers its
/// ball, all x with D(v, x) <= r(v). A step is two rules:
///
///     activation  if some arm is covered by no ball, make one such arm active
///     selection   play the active arm with the largest mean + 2 R r(v)
///
/// So arms are active where the balls are small, which is where they are played, which is where f
/// is large. R is the scale as in HCT; it cancels in the comparison of r with D.
///
/// *The metric* is that of the tree of cells: D(x, y) = nu1 rho^h for the deepest cell, at
/// depth h, that holds both; 0 where that holds one arm alone, and nu1 while it holds several
/// values of a choice. With it the activation rule is exact and cheap. A ball is a cell: the
/// largest one around v that is no wider than r(v). So two balls are one in the other or apart, and
/// nothing is approximated: cells know whether balls cover them (a ball is here, or both halves are
/// covered), and a ball that shrinks moves down the tree. A function that is Lipschitz in the usual
/// metric is so in this one. An arm belongs to the cell that it is the centre of. Below that, one
/// on the cut between two cells belongs to the left one, and so it does where the partition does
/// not say which of them holds it. A cell that cannot be cut any further is covered by an arm in
/// it.
///
/// *Which arm becomes active.* The paper takes any. Here it is the centre of the largest cell
/// without a ball in it, searched from the left; at most one in a step. The first is the centre of
/// the whole set.
///
/// *Phases start over*: the pulls and means of the paper's formulas are those of the phase, and so
/// are the active arms here. Late answers count if their arm is active, and rewards that nobody
/// asked for count in every phase.
///
/// An arm without pulls comes first, the oldest active one among equals. With the paper's radius
/// it has the largest index by itself: 2 sqrt(8 i) > 1 + 2 sqrt(8 i / 2); with a smaller one it
/// might never be played.
///
/// A step costs O(ln A) for A active arms, and O(depth) where a ball moves. Cells are cut when an
/// arm is chosen: should the partition throw, no reward is lost, and the next `ask` goes on.
class Zooming final : public TurnOptimizer, private TreeView {
 public:
  /// Throws ConfigurationError.
  explicit Zooming(const Space& space, const ZoomingOptions& options = {},
                   const Objective& objective = {});
  explicit Zooming(const std::shared_ptr<const Partition>& partition,
                   const ZoomingOptions& options = {}, const Objective& objective = {});

  /// With `refreshes` the phases begun.
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() override { return this; }
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  static constexpr std::uint32_t kInactive = UINT32_MAX;

  /// Of a cell, and of the arm in its centre.
  struct Cell {
    double pulls = 0.0;              ///< of the arm in this phase
    double sum = 0.0;                ///< in mapped units
    std::uint32_t rank = kInactive;  ///< its place in the order of activation
    NodeIndex ball = 0;              ///< the cell that it covers
    std::int32_t balls_here = 0;     ///< arms that cover just this cell
    std::int32_t balls = 0;          ///< those, and what covers parts of it
    bool is_covered = false;

    void transfer(State& state) {  // the rest follows from it
      state(pulls, sum);
      state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
    }
  };

  /// An arm with an index that it has, or had.
  struct Entry {
    double index;
    std::uint32_t rank;

    /// The best on top of a heap: of equal ones the oldest.
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
  std::uint64_t phase_end_ = 1;        // t at which the next one begins
  std::vector<NodeIndex> active_;      // in the order of activation
  std::vector<Entry> by_index_;        // a heap; entries with another index than the arm's are old
  std::set<std::uint32_t> to_be_cut_;  // the ranks of arms whose balls are too wide as yet
  Observations observations_;          // of all arms: every phase needs them again
};

}  // namespace canopy
