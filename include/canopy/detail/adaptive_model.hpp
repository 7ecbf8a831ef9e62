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

/// What the adaptive tree keeps in a node: what was seen at its arm, and what the model makes of
/// it. The letters are those of docs/adaptive.md.
struct AdaptiveNode {
  // Where f has changed, rewards from before count in part: their numbers are not whole.

  double pulls = 0.0;    ///< T: rewards of this arm
  double mean = 0.0;     ///< of them
  double squares = 0.0;  ///< M2: their squared deviations from the mean

  double noise = 1.0;      ///< sg: variance of one of them
  double edge = 0.0;       ///< se: variance of f here around f at the parent
  double below = 0.0;      ///< D2: the same for children, whether there are any or not
  double data = 0.0;       ///< Lambda: precision of what the subtree has seen
  double data_mean = 0.0;  ///< mu: of f here, by that alone
  double message = 0.0;    ///< P: precision of what that says about f at the parent
  double rest = 0.0;       ///< pr: precision of what all other nodes say about f here
  double rest_mean = 0.0;  ///< am: of f here, by that alone
  double level = 0.0;      ///< m: f here, by everything
  double variance = 0.0;   ///< v: of that

  double observed = 0.0;           ///< precision of what was observed elsewhere in the cell
  double observed_weighted = 0.0;  ///< the mean of that, times the precision

  double bound = kInfinity;     ///< the index of a leaf; above, that of the better child
  double shortfall = 0.0;       ///< how far it is beyond limits at best, in spreads of the metrics
  double explorer_pulls = 0.0;  ///< G: of the pulls, those that the explorer asked for
  double out = 0.0;             ///< pulls in flight
  double explorer_out = 0.0;    ///< of which the explorer asked for
  double penalties = 0.0;       ///< of the pulls, those that failed
  double skipped = 0.0;         ///< pulls that were passed over, since the system had not settled
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

/// Whether consecutive rewards of one leaf depend on each other, by their deviations e, e':
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

  /// What comes next does not follow what was.
  void interrupt() { last_node_ = kNobody; }

  /// Nothing is known.
  void forget() { *this = {}; }

  /// phi once it is beyond doubt, else 0.
  [[nodiscard]] double phi() const;
  /// The mean of e^2.
  [[nodiscard]] double variance() const { return squares_ / pairs_; }

  void transfer(State& state) {
    state(pairs_, products_, squares_, last_node_, last_);
    state.require_restored(State::are_counts({pairs_}) && State::are_sizes({squares_}) &&
                           State::are_finite({products_, last_}));
  }

 private:
  static constexpr NodeIndex kNobody = std::numeric_limits<NodeIndex>::max();

  double pairs_ = 0.0;
  double products_ = 0.0;
  double squares_ = 0.0;
  NodeIndex last_node_ = kNobody;
  double last_ = 0.0;
};

/// A Gaussian tree over the cells of a cover tree: f at a child is f at its parent plus an edge
/// whose variance falls with depth, at a rate that is learnt; edges that jumped beyond doubt are
/// wide, and so are those below them. A pass gives every node the exact posterior of f at its arm
/// and learns the parameters; between passes only the leaf that is pulled changes.
class AdaptiveModel {
 public:
  using Tree = CoverTree<AdaptiveNode>;
  using Node = Tree::Node;

  /// What the values are that it is given.
  enum class Of {
    rewards,
    metric,  ///< If eight repeats have shown no noise, there is none.
  };

  explicit AdaptiveModel(std::shared_ptr<const Partition> partition, Of of = Of::rewards);

  [[nodiscard]] const Tree& tree() const { return tree_; }
  [[nodiscard]] Tree& tree() { return tree_; }
  [[nodiscard]] double leaves() const { return 0.5 * (tree_.size() + 1.0); }

  /// Rewards of a node's arm, in the order in which they came.
  void add(NodeIndex index, const Rewards& rewards);
  /// The same where they are worth `rewards.count` of them, between two ends.
  void add(NodeIndex index, const Moments& rewards, double low, double high);

  /// A failure of a node's arm, as so many rewards. What is known of noise and range stays as it
  /// is.
  void penalize(NodeIndex index, double reward, double count);

  /// The node that has the rewards of this node's arm: they go down with the arm when it is cut.
  [[nodiscard]] NodeIndex owner(NodeIndex index) const;

  /// The node that has the rewards of an arm; none if no node has the arm.
  [[nodiscard]] std::optional<NodeIndex> find(Arm arm) const;

  /// Rewards of any arm, which nobody asked for. They belong to a node with that arm; until there
  /// is one, the deepest cell that holds the arm knows f by them as far as f varies within it.
  void observe(Arm arm, const Rewards& rewards);

  /// What is known of f at an arm.
  struct Known {
    double level = 0.0;
    double variance = 0.0;
    double noise = 1.0;  ///< variance of a value
    double pulls = 0.0;  ///< of the arm itself
    double mean = 0.0;   ///< of them
  };
  [[nodiscard]] Known at(NodeIndex index) const;
  /// By its own node or, if it has none, by its own values alone; without any, by the cell around.
  [[nodiscard]] Known at(Arm arm) const;

  /// What is left of the weight of a node's rewards once f has changed by sqrt(variance): 1/T
  /// becomes 1/T + variance/sg.
  [[nodiscard]] double weight_after(NodeIndex index, double variance) const;
  /// Its rewards weigh this part of what they did.
  void age(NodeIndex index, double weight);
  /// Rewards of arms without a node are about an f that has changed by sqrt(variance).
  void blur_observations(double variance);

  /// What was learnt of noise and range contained a level, which is taken off from here on: a
  /// reward has about this variance.
  void relearn_noise(double variance);

  /// Learns these rewards of arms in place of all that it was given. Nodes with penalties stay as
  /// they are, and so do the ends of rewards. A pass must follow.
  void relearn(const std::map<std::vector<double>, Rewards>& rewards);

  /// Leaves nodes out, as `CoverTree::pruned` does. Returns where nodes were before.
  template <class Ends>
  std::vector<NodeIndex> prune(const Ends& ends) {
    std::vector<NodeIndex> places;
    tree_ = tree_.pruned(ends, places);
    autocorrelation.interrupt();
    return places;
  }

  /// The variance of a reward of a node, whatever came before it.
  [[nodiscard]] double noise_of_one(NodeIndex index) const { return noise_of_one(tree_[index]); }

  /// The first cells have their rewards: what the parameters begin with, and three passes.
  void begin();

  void pass();

  /// Brings the posterior of a leaf up to date, given what all others say.
  void update(NodeIndex leaf);

  [[nodiscard]] bool can_cut(NodeIndex leaf) const;

  /// What became of a leaf that was to be cut.
  enum class Cut {
    refused,  ///< It stays a leaf.
    done,
    moved,  ///< A child has its arm, and so its rewards now: a pass must follow.
  };
  Cut cut(NodeIndex leaf);

  // As of the last pass.

  [[nodiscard]] double noise_variance() const { return noise_; }  ///< sigma^2
  [[nodiscard]] double noise_deviation() const { return noise_deviation_; }
  [[nodiscard]] double phi() const { return phi_; }
  [[nodiscard]] double spread() const { return spread_; }  ///< S
  /// The largest less the smallest level of a leaf.
  [[nodiscard]] double leaf_range() const { return leaf_range_; }
  [[nodiscard]] bool has_seen_any() const { return smallest_ <= largest_; }
  [[nodiscard]] double smallest() const { return smallest_; }  ///< value so far
  [[nodiscard]] double largest() const { return largest_; }
  /// alpha: f varies as a distance to this power.
  [[nodiscard]] double smoothness() const;
  /// Which part of the variance of f over the whole set, as far as the leaves tell, is due to each
  /// coordinate: that of differences between the two parts of cells that are cut along it. Empty
  /// where coordinates have no length, or f does not vary.
  [[nodiscard]] std::vector<double> shares() const;

  Autocorrelation autocorrelation;

  void transfer(State& state);

 private:
  /// Rewards of an arm that no node has.
  struct Observation {
    Rewards rewards;
    NodeIndex cell = 0;        ///< the deepest that holds the arm
    double out_of_date = 0.0;  ///< variance of what f has changed by since

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
  Of of_;
  std::map<std::vector<double>, Observation> observations_;
  std::uint32_t deepest_;  // that a cell may be

  double smallest_ = kInfinity;  // rewards so far
  double largest_ = -kInfinity;
  double range_ = 1.0;          // R: the largest less the smallest; 1 while all are equal
  double early_squares_ = 0.0;  // W: of the first rewards of every node
  double early_freedom_ = 0.0;  // w

  double first_slope_;
  double slope_;  // of the logarithm of an edge's variance by depth
  double spread_ = 1.0;
  double noise_ = 1.0;
  double noise_deviation_ = 1.0;
  double phi_ = 0.0;
  double leaf_range_ = 0.0;
  double shrinkage_ = 1.0;        // q
  std::vector<double> expected_;  // s2_h, by depth
};

}  // namespace canopy
