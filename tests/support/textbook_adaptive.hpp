#pragma once

#include "canopy/partition.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace canopy::testing {

/// A literal implementation of the adaptive tree: everything is found by iterating over all nodes,
/// and nothing is stored that can be recomputed. It is the reference for canopy's fast
/// implementation in the tests, with which it shares only the partition. Letters are those of the
/// formulas.
///
/// f is a random walk down the tree, f(child) = f(parent) + N(0, se), observed with noise. The
/// variance of edges decreases with depth h as (0.4 S)^2 q^h, q = exp(slope) = 4^(-alpha/d), and is
/// inherited. A pass over the tree gives every node its posterior N(m, v) and learns sigma^2, slope
/// and S.
///
/// One turn is choose(), then learn() with the rewards of the chosen arm.
class TextbookAdaptive {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Node {
    std::size_t parent = 0;
    std::size_t left = 0;  // 0: a leaf; its other children follow
    std::uint32_t depth = 0;

    // Rewards of its own arm.
    double T = 0.0;  // their number; after a change of f, their total weight
    double G = 0.0;  // pulls in T that the explorer asked for
    double mean = 0.0;
    double M2 = 0.0;        // sum of squared deviations from the mean
    double M2_first = 0.0;  // the same for the first 8 only

    // Beliefs. During a turn, sg, m, v and index of its leaf are newer than the last pass.
    double sigma2 = 0.0;  // variance of a reward in the neighbourhood
    double sg = 0.0;      // variance of one reward
    double Lambda = 0.0;  // precision of f here given the subtree, 0 without rewards
    double mu = 0.0;      // mean of f here given the subtree
    double P = 0.0;       // precision of f at the parent given the subtree
    double rest = 0.0;    // precision of f at the parent without this subtree
    double am = 0.0;      // mean of f at the parent without this subtree
    double pr = 0.0;      // precision of f here given the rest of the tree, with mean am
    double pp = 0.0;      // precision of the posterior N(m, v)
    double m = 0.0;
    double v = 0.0;
    double se_used = 0.0;  // variance of its edge used by the last pass
    double se = 0.0;       // variance of its edge learnt by the last pass
    double D2 = 0.0;       // variance of the edges to children, also for a leaf

    double index = 0.0;  // index of a leaf
    double B = 0.0;      // largest index below
  };

  struct Turn {
    std::size_t node;
    std::uint64_t pulls;
    bool explorer;
  };

  /// Parts of the algorithm to omit or change, to measure their contribution. The defaults are the
  /// unchanged algorithm.
  struct Variant {
    bool no_explorer = false;
    bool no_sweep = false;             // the explorer only covers
    bool fixed_alpha = false;          // alpha stays 0.4
    bool gaussian_edges = false;       // an edge is as wide as expected, however far it jumped
    bool no_inheritance = false;       // edges of one depth are equally wide
    bool one_noise = false;            // sigma^2 is the noise of every node
    bool explorer_from_start = false;  // the explorer's budget grows from the first pull on
    bool noise_by_place = false;  // sigma^2 of every cell is shrunk to that of the enclosing cell
    bool of_metric = false;       // models a metric, see TextbookLimited
    double boldness = 3.0;        // the factor in the index
    double allowance = 1.0;       // factor of the explorer's budget
  };

  explicit TextbookAdaptive(std::shared_ptr<const Partition> partition, double coverage = 0.06)
      : TextbookAdaptive(std::move(partition), coverage, Variant()) {}

  TextbookAdaptive(std::shared_ptr<const Partition> partition, double coverage,
                   const Variant& variant)
      : partition_(std::move(partition)), coverage_(coverage), variant_(variant) {
    slope_ = slope_at(0.4);
    nodes_.emplace_back();
    cells_.emplace_back(partition_->cell_size());
    partition_->root(cells_[0]);
    arms_.push_back(arm_of(cells_[0]));
    for (std::uint32_t depth = 0; depth < 3; ++depth) {
      for (const std::size_t leaf : leaves()) {
        if (nodes_[leaf].depth == depth) append_children(leaf);
      }
    }
    start_ = leaves();
  }

  /// The next arm to play. The explorer cuts cells here, before its pull, which may cause a pass.
  Turn choose() {
    if (is_open_) throw std::logic_error("TextbookAdaptive: the turn has not ended");
    turn_ = next_turn();
    is_open_ = true;
    return turn_;
  }

  /// The rewards of the turn just chosen, one by one. Ends the turn.
  void learn(std::span<const double> rewards) {
    if (!is_open_ || rewards.empty()) throw std::logic_error("TextbookAdaptive: no such turn");
    const double mean_before = nodes_[turn_.node].mean;
    for (const double reward : rewards) count(reward, mean_before);
    end_turn();
  }

  /// The node with rewards of its own with the largest lower bound; ties go to the older one.
  /// During the start, the node with the largest mean.
  [[nodiscard]] std::size_t recommendation() const {
    std::size_t best = kNone;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].T == 0) continue;
      if (best == kNone || caution(nodes_[i]) > caution(nodes_[best])) best = i;
    }
    return best;
  }

  [[nodiscard]] const std::vector<double>& arm(std::size_t node) const { return arms_[node]; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] std::uint64_t t() const { return t_; }
  [[nodiscard]] std::uint64_t passes() const { return passes_; }

  /// As of the last pass.
  [[nodiscard]] double slope() const { return slope_; }
  [[nodiscard]] double alpha() const { return -slope_ * dimension() / kLn4; }
  [[nodiscard]] double sigma2() const { return sigma2_; }
  [[nodiscard]] double spread() const { return S_; }
  [[nodiscard]] double phi() const { return phi_; }  // 0 unless significant
  [[nodiscard]] double explorer_loss() const { return CG_; }
  [[nodiscard]] double search_loss() const { return CM_; }
  [[nodiscard]] double lcb() const { return lcb_; }
  [[nodiscard]] double largest_m() const { return largest_m_; }
  [[nodiscard]] double smallest_m() const { return smallest_m_; }

  /// R: largest minus smallest reward so far.
  [[nodiscard]] double reward_range() const { return high_ > low_ ? high_ - low_ : 1.0; }

  [[nodiscard]] std::string path(std::size_t node) const {
    std::string path;
    for (; node != 0; node = nodes_[node].parent) {
      path.insert(0, std::to_string(node - nodes_[nodes_[node].parent].left));
    }
    return path;
  }

  /// Sorted from left to right.
  [[nodiscard]] std::vector<std::size_t> leaves() const {
    std::vector<std::size_t> found;
    collect_leaves(0, found);
    return found;
  }

 private:
  friend class TextbookContextual;
  friend class TextbookLimited;
  friend class TextbookDrift;

  static constexpr double kLn4 = 2.0 * std::numbers::ln2;

  /// A reward's deviation from its leaf's mean before the turn.
  struct Residual {
    std::size_t node = kNone;  // none: the reward has no residual
    double e = 0.0;
  };

  // ---- Decisions ----

  [[nodiscard]] Turn next_turn() {
    if (!has_started_) return {start_[started_], 1, false};
    if (is_explorers_turn()) {
      const bool covers = covers_next_;
      covers_next_ = !covers_next_ || variant_.no_sweep;
      const std::size_t node = covers ? cover() : sweep();
      if (node != kNone) return {node, 1, true};
    }
    return search();
  }

  [[nodiscard]] bool is_explorers_turn() const {
    const double root_t = std::sqrt(static_cast<double>(t_));
    const double allowance = 0.5 * sigma() + coverage_ * (largest_m_ - smallest_m_);
    const double earned = variant_.explorer_from_start ? root_t : std::max(0.0, root_t - 8.0);
    return !variant_.no_explorer && static_cast<double>(nodes_.size()) < 64.0 + 8.0 * root_t &&
           CG_ <= 0.1 * CM_ + variant_.allowance * allowance * earned;
  }

  /// The shallowest leaf, its left child if it was pulled before.
  [[nodiscard]] std::size_t cover() {
    std::size_t best = kNone;
    for (const std::size_t leaf : leaves()) {
      if (nodes_[leaf].T > 0 && !can_cut(leaf)) continue;
      if (best == kNone || is_covered_before(nodes_[leaf], nodes_[best])) best = leaf;
    }
    if (best == kNone || nodes_[best].T == 0) return best;
    cut(best);
    return nodes_[best].left;
  }

  [[nodiscard]] static bool is_covered_before(const Node& a, const Node& b) {
    if (a.depth != b.depth) return a.depth < b.depth;
    if (a.T != b.T) return a.T < b.T;
    return a.m > b.m;
  }

  /// The next leaf of the list; its left child if it had enough pulls.
  [[nodiscard]] std::size_t sweep() {
    if (sweep_at_ == sweep_.size()) list_sweep();
    while (sweep_at_ < sweep_.size()) {
      const std::size_t leaf = sweep_[sweep_at_++];
      if (nodes_[leaf].left != 0) continue;
      const double spread = largest_m_ - smallest_m_;
      const double enough = 16.0 * sigma2_ <= spread * spread ? 1.0 : 2.0;
      if (nodes_[leaf].T < enough) return leaf;
      if (!can_cut(leaf)) continue;
      cut(leaf);
      return nodes_[leaf].left;
    }
    return kNone;
  }

  /// For each depth the most promising leaf, if no shallower one is more promising.
  void list_sweep() {
    sweep_.clear();
    sweep_at_ = 0;
    const std::vector<std::size_t> all = leaves();
    std::uint32_t deepest = 0;
    for (const std::size_t leaf : all) deepest = std::max(deepest, nodes_[leaf].depth);
    double most = -std::numeric_limits<double>::infinity();
    for (std::uint32_t depth = 0; depth <= deepest; ++depth) {
      std::size_t best = kNone;
      for (const std::size_t leaf : all) {
        if (nodes_[leaf].depth != depth) continue;
        if (best == kNone || promise(nodes_[leaf]) > promise(nodes_[best])) best = leaf;
      }
      if (best == kNone || promise(nodes_[best]) < most) continue;
      most = promise(nodes_[best]);
      sweep_.push_back(best);
    }
  }

  [[nodiscard]] double promise(const Node& leaf) const {
    if (leaf.T == 0) return leaf.m + sigma();
    return leaf.mean + sigma() / std::sqrt(leaf.T);
  }

  /// Follows larger B downwards. Turns are longer for leaves with many pulls.
  [[nodiscard]] Turn search() const {
    std::size_t at = 0;
    while (nodes_[at].left != 0) {
      std::size_t best = nodes_[at].left;
      for (const std::size_t child : children(at)) {
        if (nodes_[child].B > nodes_[best].B) best = child;
      }
      at = best;
    }
    const double pulls = std::floor(0.15 * nodes_[at].T);
    return {at, static_cast<std::uint64_t>(std::max(1.0, pulls)), false};
  }

  // ---- Rewards ----

  /// Updates after the rewards of a turn.
  void end_turn() {
    is_open_ = false;
    if (!has_started_) {
      if (++started_ == start_.size()) end_start();
      return;
    }
    update_leaf(turn_.node);
    const Node& leaf = nodes_[turn_.node];
    const bool has_room =
        static_cast<double>(nodes_.size()) < 64.0 + 12.0 * std::sqrt(static_cast<double>(t_));
    if (leaf.T >= 2 && leaf.v <= leaf.D2 && has_room) cut(turn_.node);
    if (static_cast<double>(pulls_since_pass_) >= static_cast<double>(nodes_.size()) / 16.0) pass();
  }

  void count(double reward, double mean_before) {
    Node& node = nodes_[turn_.node];
    if (!variant_.of_metric) pair_residuals(reward, mean_before);
    low_ = std::min(low_, reward);
    high_ = std::max(high_, reward);
    ++t_;
    ++pulls_since_pass_;
    ++node.T;
    if (turn_.explorer) ++node.G;
    const double deviation = reward - node.mean;
    node.mean += deviation / node.T;
    node.M2 += deviation * (reward - node.mean);
    if (node.T <= 8) node.M2_first = node.M2;
    if (!has_started_) node.m = node.mean;  // no pass yet, but there may be a recommendation
  }

  /// Two consecutive rewards of one leaf that had 8 rewards before both.
  void pair_residuals(double reward, double mean_before) {
    Residual residual;
    if (nodes_[turn_.node].T >= 8) residual = {turn_.node, reward - mean_before};
    if (residual.node != kNone && residual.node == last_residual_.node) {
      ++pairs_;
      sum_ee_ += residual.e * last_residual_.e;
      sum_e2_ += residual.e * residual.e;
    }
    last_residual_ = residual;
  }

  /// The first rewards set the scale of the model, and three passes settle it.
  void end_start() {
    has_started_ = true;
    learn_noise();
    S_ = std::max(sigma(), high_ - low_);
    for (Node& node : nodes_) node.se = expected_edge(node.depth);
    for (int i = 0; i < 3; ++i) pass();
  }

  /// Between passes only the pulled leaf is updated; messages from the rest of the tree stay the
  /// same.
  void update_leaf(std::size_t at) {
    Node& leaf = nodes_[at];
    leaf.sg = noise(leaf);
    const double data = leaf.T / leaf.sg;
    leaf.pp = leaf.pr + data;  // pr of the root is 0, as it has no parent
    leaf.m = (leaf.pr * leaf.am + data * leaf.mean) / leaf.pp;
    leaf.v = 1.0 / leaf.pp;
    leaf.index = index(leaf);
    back_up(at);
  }

  // ---- The tree ----

  /// Cuts a leaf, if possible. Children inherit the parent's beliefs. Rewards belong to arms: a
  /// child with the parent's arm takes them over, and then a pass is needed.
  void cut(std::size_t at) {
    if (!can_cut(at)) return;
    const bool moved = divide(at);
    for (const std::size_t i : children(at)) {
      nodes_[i].index = index(nodes_[i]);
      nodes_[i].B = nodes_[i].index;
    }
    back_up(nodes_[at].left);
    if (moved) pass();
  }

  /// Returns whether rewards were taken over.
  bool divide(std::size_t at) {
    append_children(at);
    bool moved = false;
    for (const std::size_t i : children(at)) {
      Node& parent = nodes_[at];
      Node& child = nodes_[i];
      child.m = parent.m;
      child.v = parent.v + parent.D2;
      child.se = parent.D2;
      child.sigma2 = parent.sigma2;
      child.am = child.m;
      child.pr = 1.0 / child.v;
      child.pp = child.pr;
      child.D2 = edge(child.depth, child.se);
      if (parent.T > 0 && arms_[i] == arms_[at]) {
        child.T = std::exchange(parent.T, 0.0);
        child.G = std::exchange(parent.G, 0.0);
        child.mean = std::exchange(parent.mean, 0.0);
        child.M2 = std::exchange(parent.M2, 0.0);
        child.M2_first = std::exchange(parent.M2_first, 0.0);
        moved = true;
      }
    }
    for (const std::size_t i : children(at)) nodes_[i].sg = noise(nodes_[i]);
    return moved;
  }

  [[nodiscard]] bool can_cut(std::size_t at) const { return !parts(at).empty(); }

  /// The cells of the children, none if the cell cannot be cut.
  [[nodiscard]] std::vector<double> parts(std::size_t at) const {
    std::vector<double> parts(partition_->arity() * partition_->cell_size());
    const std::uint32_t depth = nodes_[at].depth;
    if (depth >= 45 * partition_->dimension() || !partition_->split(cells_[at], depth, parts)) {
      parts.clear();
    }
    return parts;
  }

  void append_children(std::size_t at) {
    const std::vector<double> cells = parts(at);
    if (cells.empty()) return;
    nodes_[at].left = nodes_.size();
    const auto width = static_cast<std::ptrdiff_t>(partition_->cell_size());
    for (auto cell = cells.begin(); cell != cells.end(); cell += width) {
      Node child;
      child.parent = at;
      child.depth = nodes_[at].depth + 1;
      nodes_.push_back(child);
      cells_.emplace_back(cell, cell + width);
      arms_.push_back(arm_of(cells_.back()));
    }
  }

  [[nodiscard]] std::vector<double> arm_of(const std::vector<double>& cell) const {
    std::vector<double> arm(partition_->dimension());
    partition_->arm(cell, arm);
    return arm;
  }

  /// Every node except the root was created by a cut, and each cut turned a leaf into an inner
  /// node.
  [[nodiscard]] std::size_t leaf_count() const {
    return nodes_.size() - (nodes_.size() - 1) / partition_->arity();
  }

  [[nodiscard]] std::vector<std::size_t> children(std::size_t at) const {
    std::vector<std::size_t> found;
    if (nodes_[at].left == 0) return found;
    for (std::size_t i = 0; i < partition_->arity(); ++i) found.push_back(nodes_[at].left + i);
    return found;
  }

  void collect_leaves(std::size_t at, std::vector<std::size_t>& found) const {
    if (nodes_[at].left == 0) found.push_back(at);
    for (const std::size_t child : children(at)) collect_leaves(child, found);
  }

  void back_up(std::size_t at) {
    for (;; at = nodes_[at].parent) {
      nodes_[at].B = backed_up(at);
      if (at == 0) break;
    }
  }

  [[nodiscard]] double backed_up(std::size_t at) const {
    if (nodes_[at].left == 0) return nodes_[at].index;
    double largest = -std::numeric_limits<double>::infinity();
    for (const std::size_t child : children(at)) largest = std::max(largest, nodes_[child].B);
    return largest;
  }

  // ---- Formulas ----

  [[nodiscard]] double dimension() const { return static_cast<double>(partition_->dimension()); }
  [[nodiscard]] double slope_at(double alpha) const { return -alpha * kLn4 / dimension(); }
  [[nodiscard]] double sigma() const { return std::sqrt(sigma2_); }
  [[nodiscard]] double floor_of_edges() const { return 1e-14 * S_ * S_; }

  /// s2_h
  [[nodiscard]] double expected_edge(std::uint32_t depth) const {
    const double s2 = 0.4 * S_ * (0.4 * S_) * std::exp(slope_ * depth);
    return std::max(s2, floor_of_edges());
  }

  /// The variance of the edges below a node whose own edge has variance se: half of it is
  /// inherited.
  [[nodiscard]] double edge(std::uint32_t depth, double se) const {
    if (variant_.no_inheritance) se = expected_edge(depth);
    const double below = std::exp(slope_) * (0.5 * expected_edge(depth) + 0.5 * se);
    return std::max(below, floor_of_edges());
  }

  /// sg: the noise of one reward here, shrunk to that of the neighbourhood with the weight of 8
  /// rewards. Autocorrelated rewards have a lower weight than independent ones.
  [[nodiscard]] double noise(const Node& node) const {
    const double inflation = (1.0 + phi_) / (1.0 - phi_);
    return noise_of_one(node) * std::min(inflation, std::max(1.0, node.T));
  }

  [[nodiscard]] double noise_of_one(const Node& node) const {
    const double range = reward_range();
    double sg = (node.M2 + 8.0 * node.sigma2) / (std::max(0.0, node.T - 1.0) + 8.0);
    if (variant_.one_noise) sg = sigma2_;
    return std::max(sg, 1e-10 * range * range);
  }

  [[nodiscard]] double index(const Node& leaf) const {
    const auto t = static_cast<double>(t_);
    const auto leaves = static_cast<double>(leaf_count());
    return leaf.m +
           std::sqrt(variant_.boldness * std::log(1.0 + t * leaf.v / (leaves * leaf.sg)) * leaf.v);
  }

  [[nodiscard]] static double caution(const Node& node) { return node.m - std::sqrt(node.v); }

  // ---- The pass ----

  void pass() {
    learn_noise();
    for (std::size_t i = nodes_.size(); i-- > 0;) gather(i);  // children before parents
    if (nodes_[0].Lambda == 0.0) return;
    const double slope = spread_down();
    settle_accounts();
    slope_ = slope;
    S_ = std::max(sigma(), largest_m_ - smallest_m_);
    for (const std::size_t leaf : leaves()) nodes_[leaf].index = index(nodes_[leaf]);
    for (std::size_t i = nodes_.size(); i-- > 0;) nodes_[i].B = backed_up(i);
    pulls_since_pass_ = 0;
    ++passes_;
  }

  /// Learns sigma^2 and phi; then the noise of every cell, shrunk to that of the enclosing cell
  /// with the weight of 32 rewards.
  void learn_noise() {
    learn_noise_of_all();
    nodes_[0].sigma2 = sigma2_;
    for (std::size_t i = 1; i < nodes_.size(); ++i) {  // parents are older than their children
      const FirstRewards first = first_rewards(i);
      const double around = nodes_[nodes_[i].parent].sigma2;
      nodes_[i].sigma2 = (first.squares + 32.0 * around) / (first.freedom + 32.0);
      if (!variant_.noise_by_place || phi_ != 0.0) nodes_[i].sigma2 = sigma2_;
    }
  }

  /// The first rewards of all nodes of a subtree; later ones could be biased by choices based on
  /// them.
  struct FirstRewards {
    double squares = 0.0;  // W
    double freedom = 0.0;  // w
  };

  [[nodiscard]] FirstRewards first_rewards(std::size_t at) const {
    FirstRewards first;
    const Node& node = nodes_[at];
    if (node.T > 0) {
      first.squares = node.M2_first;
      first.freedom = std::min(node.T, 8.0) - 1.0;
    }
    for (const std::size_t child : children(at)) {
      const FirstRewards below = first_rewards(child);
      first.squares += below.squares;
      first.freedom += below.freedom;
    }
    return first;
  }

  void learn_noise_of_all() {
    const auto [squares, freedom] = kept_first_ ? *kept_first_ : first_rewards(0);
    const double range = reward_range();
    sigma2_ = (squares + range * range / 8.0) / (freedom + 2.0);
    if (variant_.of_metric && freedom >= 8.0 && squares == 0.0) sigma2_ = 1e-10 * range * range;
    phi_ = 0.0;
    if (pairs_ < 64 || sum_e2_ <= 0.0) return;
    const auto count = static_cast<double>(pairs_);
    const double phi = sum_ee_ / sum_e2_;
    if (phi - 3.0 / std::sqrt(count) <= 0.1) return;
    phi_ = std::min(phi, 0.98);
    sigma2_ = std::max(sigma2_, sum_e2_ / count);
  }

  /// Upward: evidence of a subtree's rewards about f at its top.
  void gather(std::size_t at) {
    Node& node = nodes_[at];
    node.sg = noise(node);
    const double data = node.T / node.sg;
    node.Lambda = data;
    double weighted = data * node.mean;
    for (const std::size_t child : children(at)) {
      node.Lambda += nodes_[child].P;
      weighted += nodes_[child].P * nodes_[child].mu;
    }
    node.mu = node.Lambda > 0.0 ? weighted / node.Lambda : 0.0;
    node.se_used = node.se;
    node.P = node.Lambda > 0.0 ? 1.0 / (1.0 / node.Lambda + node.se) : 0.0;
  }

  /// Downward: the posterior of every node and the new variance of its edge. Parents come before
  /// their children. Returns the new slope: one step of Fisher scoring with all edges as evidence,
  /// deeper ones with a larger weight, and a prior with weight 5.
  [[nodiscard]] double spread_down() {
    double score = 5.0 * (slope_at(0.4) - slope_);
    double information = 5.0;
    Node& root = nodes_[0];
    root.m = root.mu;
    root.pp = root.Lambda;
    root.v = 1.0 / root.pp;
    root.D2 = expected_edge(1);
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      Node& node = nodes_[i];
      const Node& parent = nodes_[node.parent];
      node.rest = std::max(parent.pp - node.P, 1e-9 * parent.pp);
      node.am = (parent.pp * parent.m - node.P * node.mu) / node.rest;
      node.pr = 1.0 / (1.0 / node.rest + node.se);
      node.pp = node.pr + node.Lambda;
      node.m = (node.pr * node.am + node.Lambda * node.mu) / node.pp;
      node.v = 1.0 / node.pp;
      const double s = parent.D2;  // for the root, s2_1
      node.se = s;
      if (node.Lambda > 0.0) {
        const double uncertainty = 1.0 / node.rest + 1.0 / node.Lambda;  // V
        const double e = node.mu - node.am;
        if (!variant_.gaussian_edges) {
          const double trust = std::clamp(node.Lambda * sigma2_ - 1.0, 0.0, 1.0);
          node.se = s + trust * (std::max(s, e * e - 2.0 * uncertainty) - s) / 17.0;
        }
        const auto h = static_cast<double>(node.depth);
        const double g = s / (s + uncertainty);
        const double z = std::min(e * e / (s + uncertainty), 5.0);
        score += h * g * (z - 1.0) / 2.0;
        information += h * h * g * g / 2.0;
      }
      node.D2 = edge(node.depth, node.se);
    }
    if (variant_.fixed_alpha) return slope_;
    const double step = std::clamp(score / information, -0.15, 0.15);
    return std::clamp(slope_ + step, slope_at(2.2), slope_at(0.25));
  }

  /// Updates the significant losses of explorer and search.
  void settle_accounts() {
    lcb_ = -std::numeric_limits<double>::infinity();
    largest_m_ = -std::numeric_limits<double>::infinity();
    smallest_m_ = std::numeric_limits<double>::infinity();
    for (const std::size_t leaf : leaves()) {
      const Node& node = nodes_[leaf];
      largest_m_ = std::max(largest_m_, node.m);
      smallest_m_ = std::min(smallest_m_, node.m);
      if (node.T > 0) lcb_ = std::max(lcb_, caution(node));
    }
    CG_ = 0.0;
    CM_ = 0.0;
    for (const Node& node : nodes_) {
      const double lost = std::max(0.0, lcb_ - node.m - std::sqrt(node.v));
      CG_ += node.G * lost;
      CM_ += (node.T - node.G) * lost;
    }
  }

  std::shared_ptr<const Partition> partition_;
  double coverage_;
  Variant variant_;
  std::vector<Node> nodes_;  // in order of creation
  std::vector<std::vector<double>> cells_;
  std::vector<std::vector<double>> arms_;

  std::vector<std::size_t> start_;  // cells pulled during the start
  std::size_t started_ = 0;         // number of these already pulled
  bool has_started_ = false;
  bool is_open_ = false;
  Turn turn_{};
  bool covers_next_ = true;  // otherwise it sweeps
  std::vector<std::size_t> sweep_;
  std::size_t sweep_at_ = 0;

  std::uint64_t t_ = 0;
  std::uint64_t pulls_since_pass_ = 0;
  std::uint64_t passes_ = 0;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
  Residual last_residual_;
  std::optional<FirstRewards> kept_first_;  // kept separately if T may shrink
  std::uint64_t pairs_ = 0;
  double sum_ee_ = 0.0;
  double sum_e2_ = 0.0;

  double sigma2_ = 0.0;
  double phi_ = 0.0;
  double slope_ = 0.0;
  double S_ = 0.0;
  double lcb_ = 0.0;
  double largest_m_ = 0.0;
  double smallest_m_ = 0.0;
  double CG_ = 0.0;
  double CM_ = 0.0;
};

}  // namespace canopy::testing
