#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/family/detail/ranking.hpp"
#include "canopy/options.hpp"
#include "canopy/random.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace canopy {

struct VroomOptions {
  /// n, at least 1: the total number of pulls. After it, the recommended arm is played.
  std::uint64_t horizon = 1000;

  /// D, 1 to 60: the depth of the smallest cells; floor(log2 n), at least 1, unless set. Raising it
  /// distinguishes arms that are closer together.
  std::optional<std::uint64_t> depth_limit = std::nullopt;

  /// In (0, 1): the probability with which the bounds may fail; 4 / sqrt(n), at most 1/2, unless
  /// set. Raising it narrows the bounds.
  std::optional<double> delta = std::nullopt;

  /// > 0: multiplies the widths of both bounds; 1 is the proven value. Raising it ranks cells more
  /// by number of draws than by means, and recommends larger cells.
  double confidence_scale = 0.1;

  /// Seed of the draws.
  std::uint64_t seed = 1;
};

inline constexpr Range kVroomDepth{"a whole number from 1 to 60",
                                   [](double x) { return x >= 1.0 && x <= 60.0; }};

template <class Visit>
void visit_fields(VroomOptions& options, Visit&& visit) {
  visit(Field{"horizon", "the total number of pulls", kAtLeastOne}, options.horizon);
  visit(Field{"depth_limit", "largest depth of a cell that is cut", kVroomDepth},
        options.depth_limit);
  visit(Field{"delta", "probability with which the bounds may fail", kOpenUnit}, options.delta);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
  visit(Field{"seed", "seed of the algorithm's random choices", kAnyWhole}, options.seed);
}

/// The options with computed defaults.
[[nodiscard]] VroomOptions resolved(VroomOptions options);

/// 1 + 1/2 + ... + 1/k, for whole k.
[[nodiscard]] double harmonic(double k);

/// VROOM (Ammar, Gabillon, Tutunov, Valko, "Derivative-free & order-robust optimisation", AISTATS
/// 2020), for rewards that may be noisy and may change over time: the cell to play is drawn at
/// random, and no cell is ever eliminated. At every depth h = 1, ..., D the N cells of that depth
/// are ranked by
///
///     mean(v) - R confidence_scale sqrt(ln(4 n^3 / delta) / (2 T))       T the rewards of v
///
/// and a step draws a cell, of any depth, with the probability
///
///     P(v) = 1 / (C h rank(v)),      C = sum over h of H(N) / h,      H(N) = 1 + 1/2 + ... + 1/N.
///
/// It plays a point that is uniform in the cell. The point is therefore also uniform in every
/// smaller cell that contains it. Its reward counts for the drawn cell and these smaller cells, but
/// for no larger cell. After n pulls, the middle of a cell is recommended: among all depths the one
/// with the largest
///
///     weighted mean(v) - R confidence_scale sqrt(2 ln(2 n^2 / delta) sum of 1 / P(v)) / n
///
/// summed over all draws. In the weighted mean a reward r of v counts as r / Q(v),
///
///     Q(v) = sum of P(u) mu(v) / mu(u), over v and the cells u that it lies in,
///
/// with mu the fraction of the box in a cell: Q(v) is the probability that v gets that reward.
/// However the probabilities of draws change over time, the expected sum of r / Q(v) is as if v had
/// been played at every step. It is divided by the sum of 1 / Q(v).
///
/// Sources: the text of the paper was not available. The ranks, P, C, D = floor(log2 n), delta = 4
/// b / (f_max sqrt n), the assignment of rewards to cells and the form of the last bound are from
/// the code of PyXAB 0.3.0. This implementation departs from that code where it appears to be wrong
/// (docs/comparison.md has the cases):
/// - PyXAB computes weights, but recommends by the unweighted sum of rewards. Its weights use the
///   probability of a whole depth instead of that of a cell.
/// - PyXAB's last bound is sqrt(2 n C L sum of ranks) for a sum of n rewards, with L the logarithm.
///   This is more than such a sum can be, and the h is missing. 1 / P(v) = C h rank(v) is at least
///   the variance of r / Q(v), if R is 1, so the sum of these is the variance term of Bernstein's
///   inequality. Its other term, which is the same for all cells in PyXAB, is omitted.
/// - In PyXAB, cells below depth D have no ranks, and hence zero width, so that one of them always
///   wins. Here D is the largest depth.
///
/// Choices made here. R is used for both b and f_max. Sums are divided by the sum of 1 / Q(v), not
/// by n, so that the result does not depend on the zero of rewards. Cells without rewards come
/// last, and share the ranks behind the others: if k cells have rewards, the others share H(N) -
/// H(k) in proportion to mu. Ties go to the cell that had rewards first. N is the arity of the
/// partition to the power of h. A cell that cannot be cut is also a cell of all greater depths; if
/// there are fewer than N cells and all have rewards, the rest of H(N) goes to a uniform draw from
/// the whole box. Uniform means that all parts of a cell are equally likely. The point played is
/// the middle of a cell of depth D, so that arms are repeated; the middle of a cell is recommended,
/// where PyXAB draws a point of it. There is no recommendation before the horizon is over; from
/// then on it does not change. Rewards that were not drawn (late rewards, observed rewards) count
/// only for the smallest cell, have no weight, and are learnt before the next draw.
///
/// A step costs O(D (D + log n)): only the cells that contain the point change their ranks, and the
/// sums of all ranks are maintained incrementally (Ranking). Only cells that contain an arm played,
/// and their siblings, are stored.
class Vroom final : public TurnOptimizer, private TreeView {
 public:
  /// Throws ConfigurationError.
  explicit Vroom(const Space& space, const VroomOptions& options = {},
                 const Objective& objective = {});
  explicit Vroom(const std::shared_ptr<const Partition>& partition,
                 const VroomOptions& options = {}, const Objective& objective = {});

  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() override { return this; }
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  static constexpr std::uint32_t kUnseen = UINT32_MAX;

  struct Seen {
    double share = 1.0;             // mu
    std::uint32_t place = kUnseen;  // index in the level of its depth

    void transfer(State& /*state*/) {}  // recomputed from the tree
  };
  using Tree = CoverTree<Seen, kAnyArity>;

  /// A cell with rewards, in the level of a depth.
  struct Cell {
    NodeIndex node = 0;
    double pulls = 0.0;         // T
    double sum = 0.0;           // sum of the rewards, in mapped units
    double weight = 0.0;        // sum of 1 / Q over draws, times the share
    double weighted_sum = 0.0;  // sum of r / Q, times the share
    double shared_ranks = 0.0;  // sum of its ranks before its first reward

    [[nodiscard]] double mean() const { return sum / pulls; }
    [[nodiscard]] double weighted_mean() const { return weighted_sum / weight; }
    [[nodiscard]] double rank_total(std::uint64_t since) const {
      return static_cast<double>(since) + shared_ranks;
    }
    void transfer(State& state);
  };

  struct ObservedArm {
    std::vector<double> arm;
    Rewards rewards;

    void transfer(State& state);
  };

  struct Level {
    double ranks = 0.0;              // H(N)
    double unseen = 1.0;             // fraction of the box in cells without rewards
    std::uint64_t unseen_cells = 0;  // number of created cells without rewards
    double shared_rank = 0.0;        // rank of such a cell times its share, summed over draws
    std::vector<Cell> cells;
    Ranking ranking;  // ranking of the cells with rewards
  };

  [[nodiscard]] Choice choose() override;
  void learn(NodeIndex node, const Rewards& mapped) override;
  void accept_observed(Arm arm, const Rewards& mapped) override;
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return tree_.arm(node); }
  [[nodiscard]] bool contains(Arm arm) const override { return tree_.partition().contains(arm); }
  void transfer(State& state) override;

  [[nodiscard]] std::vector<NodeView> nodes() const override;
  [[nodiscard]] std::optional<Place> place(Ticket ticket) const override;
  [[nodiscard]] std::string path(NodeIndex node) const override;

  // Drawing.
  [[nodiscard]] NodeIndex draw();
  [[nodiscard]] NodeIndex draw_unseen(std::uint32_t depth);
  [[nodiscard]] NodeIndex find_unseen(std::uint32_t depth, double position);
  [[nodiscard]] double unseen_share(std::uint32_t depth, NodeIndex node) const;
  [[nodiscard]] NodeIndex go_down(NodeIndex node);
  [[nodiscard]] NodeIndex random_part(NodeIndex node);
  void find_densities();
  void count_ranks();

  // Learning.
  void add(std::uint32_t depth, const Rewards& mapped, double weight);
  void see(std::uint32_t depth);
  void learn_observed();
  [[nodiscard]] std::optional<NodeIndex> smallest_cell(Arm arm);
  [[nodiscard]] double value_of(const Cell& cell) const;
  void rank_again();

  // Recommending.
  [[nodiscard]] double width_of(std::uint32_t depth, double rank_total) const;
  [[nodiscard]] const Cell* best_cell() const;
  [[nodiscard]] const Cell* recommended() const;

  // A path goes from the root to a smallest cell; a cell that cannot be cut repeats at all greater
  // depths.
  bool cut(NodeIndex node);
  void find_path(NodeIndex node);
  [[nodiscard]] bool may_be_cut(NodeIndex node) const {
    return tree_[node].is_leaf() && tree_[node].splittable && tree_[node].depth < depth_limit_;
  }
  [[nodiscard]] bool is_smallest(NodeIndex node) const {
    return tree_[node].is_leaf() && !may_be_cut(node);
  }
  [[nodiscard]] bool has_unseen(std::uint32_t depth) const;
  [[nodiscard]] std::uint32_t place_of(std::uint32_t depth, NodeIndex node) const;
  [[nodiscard]] static double rest_of(const Level& level);

  void transfer_level(State& state, std::uint32_t depth);
  void restore_cells();

  VroomOptions options_;
  std::uint32_t depth_limit_;  // D
  Tree tree_;
  RandomStream random_;
  std::vector<Level> levels_;         // by depth; the root's level is not used
  std::vector<std::uint64_t> uncut_;  // by depth, the nodes that may be cut
  std::map<std::pair<std::uint32_t, NodeIndex>, std::uint32_t>
      repeated_;        // indices of cells at greater depths than their own
  double total_ = 0.0;  // C
  std::uint64_t draws_ = 0;
  NodeIndex drawn_ = 0;            // node played for the last draw
  std::uint32_t drawn_depth_ = 0;  // depth of the cell that was drawn
  std::vector<double> densities_;  // Q / mu of the path, by depth; empty once learnt
  std::optional<NodeIndex> settled_;
  std::vector<ObservedArm> observed_arms_;  // since the last draw
  std::vector<NodeIndex> path_;
};

}  // namespace canopy
