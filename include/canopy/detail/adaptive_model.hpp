#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/rewards.hpp"
#include "canopy/state.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace canopy {

/// Data of a node of the adaptive tree: statistics of its arm, and the model's posterior. The
/// letters are those of docs/adaptive.md.
struct AdaptiveNode {
  // After a change of f, earlier rewards count only partially, so counts need not be integers.

  double pulls = 0.0;    ///< T: number of rewards of this arm
  double mean = 0.0;     ///< mean of these rewards
  double squares = 0.0;  ///< M2: sum of their squared deviations from the mean

  double noise = 1.0;      ///< sg: variance of one reward
  double edge = 0.0;       ///< se: variance of f here around f at the parent
  double below = 0.0;      ///< D2: variance of f at children around f here, also for a leaf
  double data = 0.0;       ///< Lambda: precision of f here given the subtree's rewards
  double data_mean = 0.0;  ///< mu: mean of f here given the subtree's rewards
  double message = 0.0;    ///< P: precision of the subtree's message about f at the parent
  double rest = 0.0;       ///< pr: precision of f here given all other nodes
  double rest_mean = 0.0;  ///< am: mean of f here given all other nodes
  double level = 0.0;      ///< m: posterior mean of f here
  double variance = 0.0;   ///< v: posterior variance of f here

  double observed = 0.0;           ///< precision of observations elsewhere in the cell
  double observed_weighted = 0.0;  ///< mean of these observations, times the precision

  double bound = kInfinity;     ///< index of a leaf; for other nodes, of the better child
  double shortfall = 0.0;       ///< least violation of limits, in spreads of the metrics
  double explorer_pulls = 0.0;  ///< G: pulls that the explorer asked for
  double out = 0.0;             ///< pulls in flight
  double explorer_out = 0.0;    ///< pulls in flight that the explorer asked for
  double penalties = 0.0;       ///< failed pulls, included in pulls
  double skipped = 0.0;         ///< pulls discarded because the system had not settled
  double explorer_skipped = 0.0;

  void transfer(State& state) {
    state(pulls, mean, squares, edge, below, data, data_mean, rest, rest_mean, level, variance,
          noise, observed, observed_weighted, bound, shortfall, explorer_pulls, out, explorer_out,
          penalties, skipped, explorer_skipped);
    state.require_restored(
        State::are_counts({out, explorer_out}) &&
        State::are_sizes({pulls, explorer_pulls, penalties, skipped, explorer_skipped}) &&
        State::are_sizes(
            {squares, edge, below, data, rest, variance, noise, observed, shortfall}) &&
        State::are_finite({mean, data_mean, rest_mean, level, observed_weighted}));
  }
};

/// Estimates whether consecutive rewards of one leaf are correlated, from their deviations e, e':
/// phi = sum e e' / sum e^2.
class Autocorrelation {
 public:
  /// The deviation of a reward from the mean of its node before the turn.
  void add(NodeIndex node, double deviation) {
    if (node == last_node_) {
      pairs_ += 1.0;
      products_ += deviation * last_;
      squares_ += deviation * deviation;
    }
    last_node_ = node;
    last_ = deviation;
  }

  /// The next reward does not directly follow the last one.
  void interrupt() { last_node_ = kNoNode; }

  /// Forgets everything.
  void forget() { *this = {}; }

  /// phi if it is significantly positive, else 0.
  [[nodiscard]] double phi() const;
  /// The mean of e^2.
  [[nodiscard]] double variance() const { return squares_ / pairs_; }

  void transfer(State& state) {
    state(pairs_, products_, squares_, last_node_, last_);
    state.require_restored(State::are_counts({pairs_}) && State::are_sizes({squares_}) &&
                           State::are_finite({products_, last_}));
  }

 private:
  static constexpr NodeIndex kNoNode = std::numeric_limits<NodeIndex>::max();

  double pairs_ = 0.0;
  double products_ = 0.0;
  double squares_ = 0.0;
  NodeIndex last_node_ = kNoNode;
  double last_ = 0.0;
};

/// A Gaussian tree over the cells of a cover tree: f at a child is f at its parent plus an edge
/// whose variance decreases with depth, at a rate that is learnt; edges with a significant jump get
/// a larger variance, and so do the edges below them. A pass gives every node the exact posterior
/// of f at its arm and updates the parameters; between passes only the leaf that is pulled changes.
class AdaptiveModel {
 public:
  using Tree = CoverTree<AdaptiveNode>;
  using Node = Tree::Node;

  /// What kind of values the model is given.
  enum class Values {
    rewards,
    metric,  ///< Assumed noiseless if eight repeats have shown no noise.
  };

  explicit AdaptiveModel(std::shared_ptr<const Partition> partition,
                         Values values = Values::rewards);

  [[nodiscard]] const Tree& tree() const { return tree_; }
  [[nodiscard]] Tree& tree() { return tree_; }
  [[nodiscard]] double leaves() const { return 0.5 * (tree_.size() + 1.0); }

  /// Rewards of a node's arm, in the order in which they came.
  void add(NodeIndex index, const Rewards& rewards);
  /// Adds rewards with a total weight of `rewards.count`; `low` and `high` are the least and the
  /// largest.
  void add(NodeIndex index, const Moments& rewards, double low, double high);

  /// Adds a failure of a node's arm, with the weight of `count` rewards. Estimates of noise and
  /// range do not change.
  void penalize(NodeIndex index, double reward, double count);

  /// The node that stores the rewards of this node's arm: when a cell is cut, they go to the child
  /// with the same arm.
  [[nodiscard]] NodeIndex owner(NodeIndex index) const;

  /// The node that stores the rewards of an arm; none if no node has the arm.
  [[nodiscard]] std::optional<NodeIndex> find(Arm arm) const;

  /// Adds rewards of an arm that was not asked for. They go to a node with that arm; until one
  /// exists, they inform the deepest cell that holds the arm, with the variance of f within that
  /// cell added.
  void observe(Arm arm, const Rewards& rewards);

  /// The posterior of f at an arm.
  struct Posterior {
    double level = 0.0;
    double variance = 0.0;
    double noise = 1.0;  ///< variance of a value
    double pulls = 0.0;  ///< pulls of this arm
    double mean = 0.0;   ///< mean of these pulls
  };
  [[nodiscard]] Posterior at(NodeIndex index) const;
  /// From the arm's own node if it has one, else from its own rewards alone, else from the cell
  /// around it.
  [[nodiscard]] Posterior at(Arm arm) const;

  /// The factor by which the weight of a node's rewards falls once f has changed by sqrt(variance):
  /// 1/T becomes 1/T + variance/sg.
  [[nodiscard]] double weight_after(NodeIndex index, double variance) const;
  /// Multiplies the weight of a node's rewards by `weight`.
  void age(NodeIndex index, double weight);
  /// Allows for a change of f by sqrt(variance) since the rewards of arms without a node.
  void blur_observations(double variance);

  /// Restarts the estimates of noise and range, which included a level that is subtracted from now
  /// on; the variance of a reward is about `variance`.
  void relearn_noise(double variance);

  /// Replaces everything learnt by these rewards of arms. Nodes with penalties keep their rewards,
  /// and the least and largest reward are kept. A pass must follow.
  void relearn(const std::map<std::vector<double>, Rewards>& rewards);

  /// Drops nodes as `CoverTree::pruned` does. Returns the previous index of every node.
  template <class Ends>
  std::vector<NodeIndex> prune(const Ends& ends) {
    std::vector<NodeIndex> places;
    tree_ = tree_.pruned(ends, places);
    autocorrelation.interrupt();
    return places;
  }

  /// The variance of one reward of a node, ignoring correlation with earlier rewards.
  [[nodiscard]] double noise_of_one(NodeIndex index) const { return noise_of_one(tree_[index]); }

  /// Call once the first cells have their rewards: sets initial parameters, then makes three
  /// passes.
  void begin();

  void pass();

  /// Updates the posterior of a leaf, given the messages of all other nodes.
  void update(NodeIndex leaf);

  [[nodiscard]] bool can_cut(NodeIndex leaf) const;

  /// The result of an attempt to cut a leaf.
  enum class Cut {
    refused,  ///< It stays a leaf.
    done,
    moved,  ///< A child has taken over its arm and rewards: a pass must follow.
  };
  Cut cut(NodeIndex leaf);

  // As of the last pass.

  [[nodiscard]] double noise_variance() const { return noise_; }  ///< sigma^2
  [[nodiscard]] double noise_deviation() const { return noise_deviation_; }
  [[nodiscard]] double phi() const { return phi_; }
  [[nodiscard]] double spread() const { return spread_; }  ///< S
  /// The largest level of a leaf minus the smallest.
  [[nodiscard]] double leaf_range() const { return leaf_range_; }
  [[nodiscard]] bool has_seen_any() const { return smallest_ <= largest_; }
  [[nodiscard]] double smallest() const { return smallest_; }  ///< smallest value so far
  [[nodiscard]] double largest() const { return largest_; }
  /// alpha: f varies like distance to the power alpha.
  [[nodiscard]] double smoothness() const;
  /// The fraction of the variance of f over the whole set due to each coordinate, as estimated from
  /// the differences between the two parts of cells that are cut along it. Empty if coordinates
  /// have no length, or f does not vary.
  [[nodiscard]] std::vector<double> shares() const;

  Autocorrelation autocorrelation;

  void transfer(State& state);

 private:
  /// Rewards of an arm without a node.
  struct Observation {
    Rewards rewards;
    NodeIndex cell = 0;        ///< deepest cell that holds the arm
    double out_of_date = 0.0;  ///< variance of the change of f since its rewards

    void transfer(State& state) {
      state(rewards, cell, out_of_date);
      state.require_restored(State::are_sizes({out_of_date}));
    }
  };

  void see(double low, double high);
  [[nodiscard]] std::optional<NodeIndex> part_with(NodeIndex cell, Arm arm) const;
  [[nodiscard]] NodeIndex deepest_with(Arm arm, std::optional<NodeIndex>& owner) const;
  bool hand_down(NodeIndex cell);
  void weigh_observations();
  void learn_noise();
  void go_up();
  double go_down();
  void learn_smoothness(double step);
  void learn_spread();
  void fill_tables();
  [[nodiscard]] double own_noise(const Node& node) const;
  [[nodiscard]] double noise_of_one(const Node& node) const;
  [[nodiscard]] double noise_at(const Node& node) const;
  [[nodiscard]] double edge_below(std::uint32_t depth, double edge) const;

  Tree tree_;
  Values values_;
  std::map<std::vector<double>, Observation> observations_;
  std::uint32_t deepest_;  // largest depth of a cell

  double smallest_ = kInfinity;  // smallest and largest reward so far
  double largest_ = -kInfinity;
  double range_ = 1.0;          // R: the largest less the smallest; 1 while all are equal
  double early_squares_ = 0.0;  // W: squared deviations of the first rewards of every node
  double early_freedom_ = 0.0;  // w

  double first_slope_;
  double slope_;  // change of the log edge variance per depth
  double spread_ = 1.0;
  double noise_ = 1.0;
  double noise_deviation_ = 1.0;
  double phi_ = 0.0;
  double leaf_range_ = 0.0;
  double shrinkage_ = 1.0;        // q
  std::vector<double> expected_;  // s2_h, by depth
};

}  // namespace canopy
