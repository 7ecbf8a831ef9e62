#pragma once

#include "support/textbook_adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace canopy::testing {

/// A literal implementation of the adaptive tree with limits: one tree for rewards, and one for
/// each metric over the same cells. Letters are those of the formulas:
///
///     e_j(k, u) = max(m - k sqrt(u) - max_j, min_j - m - k sqrt(u), 0)
///     b(k)      = sum over metrics of e_j(k, v) / S_j
///
/// where e_j is 0 if the limit is at the end of all values and the arm's own mean is there. One
/// turn is choose(), then learn() with rewards and metrics, one pull at a time, while is_open().
class TextbookLimited {
 public:
  struct Ends {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
  };

  TextbookLimited(const std::shared_ptr<const Partition>& partition, std::vector<Ends> limits)
      : rewards_(partition), limits_(std::move(limits)) {
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      metrics_.push_back(TextbookAdaptive(partition, 0.06, {.of_metric = true}));
    }
    shortfalls_.resize(rewards_.nodes_.size());
  }

  /// The node to pull, until the turn ends.
  std::size_t choose() {
    rewards_.turn_ = next_turn();
    is_beyond_ = false;
    left_ = rewards_.turn_.pulls;
    mean_before_ = nodes()[turn().node].mean;
    return turn().node;
  }

  void learn(double reward, const std::vector<double>& values) {
    for (std::size_t j = 0; j < metrics_.size(); ++j) {
      metrics_[j].turn_ = turn();
      metrics_[j].count(values[j], 0.0);
      if (rewards_.has_started_) metrics_[j].update_leaf(turn().node);
    }
    if (rewards_.has_started_ && b(turn().node, 0.0) > 0.0) is_beyond_ = true;
    rewards_.count(reward, mean_before_);
    left_ = is_beyond_ ? 0 : left_ - 1;
    if (left_ == 0) end_turn();
  }

  [[nodiscard]] bool is_open() const { return left_ != 0; }
  [[nodiscard]] const std::vector<double>& arm(std::size_t node) const {
    return rewards_.arm(node);
  }
  [[nodiscard]] const std::vector<TextbookAdaptive::Node>& nodes() const { return rewards_.nodes_; }
  [[nodiscard]] const TextbookAdaptive& metric(std::size_t j) const { return metrics_[j]; }

  /// z of a metric: standard deviations between its level and its limit.
  [[nodiscard]] double z(std::size_t j, std::size_t node) const {
    const Node& known = metrics_[j].nodes_[node];
    if (is_at_end(j, known)) return std::sqrt(known.T) / 2.0;
    const double factor = std::max(1.0, metrics_[j].sigma2_ / known.sg);
    return room(j, known.m) / std::sqrt(known.v * factor);
  }

 private:
  using Node = TextbookAdaptive::Node;
  using Turn = TextbookAdaptive::Turn;
  static constexpr std::size_t kNone = TextbookAdaptive::kNone;

  [[nodiscard]] const Turn& turn() const { return rewards_.turn_; }

  // ---- Limits ----

  /// The distance to the limit, negative beyond it.
  [[nodiscard]] double room(std::size_t j, double value) const {
    return std::min(limits_[j].max - value, value - limits_[j].min);
  }

  [[nodiscard]] bool is_at_end(std::size_t j, const Node& node) const {
    const bool is_end = limits_[j].max <= metrics_[j].low_ || limits_[j].min >= metrics_[j].high_;
    return is_end && node.T > 0 && room(j, node.mean) >= 0.0;
  }

  [[nodiscard]] double e(std::size_t j, const Node& node, double k, double u) const {
    return is_at_end(j, node) ? 0.0 : std::max(0.0, -room(j, node.m) - k * std::sqrt(u));
  }

  [[nodiscard]] double b(std::size_t node, double k, bool of_parts = false) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < metrics_.size(); ++j) {
      const Node& known = metrics_[j].nodes_[node];
      sum += e(j, known, k, known.v + (of_parts ? known.D2 : 0.0)) / metrics_[j].S_;
    }
    return sum;
  }

  /// Whether a leaf is beyond its limits only in metrics that are known more precisely than they
  /// vary within it.
  [[nodiscard]] bool may_be_kept_by_parts(std::size_t leaf) const {
    bool is_beyond = false;
    for (std::size_t j = 0; j < metrics_.size(); ++j) {
      const Node& known = metrics_[j].nodes_[leaf];
      if (e(j, known, 0.5, known.v) == 0.0) continue;
      if (known.v > known.D2) return false;
      is_beyond = true;
    }
    return is_beyond && rewards_.can_cut(leaf);
  }

  /// First the smaller shortfall, then the larger index.
  void set_key(std::size_t leaf) {
    Node& node = rewards_.nodes_[leaf];
    const bool of_parts = may_be_kept_by_parts(leaf);
    shortfalls_[leaf] = b(leaf, 0.5, of_parts);
    Node judged = node;
    if (of_parts) judged.v += node.D2;
    node.index = rewards_.index(judged);
  }

  // ---- Decisions ----

  [[nodiscard]] Turn next_turn() {
    if (!rewards_.has_started_) return {rewards_.start_[rewards_.started_], 1, false};
    if (rewards_.is_explorers_turn()) {
      const bool covers = std::exchange(rewards_.covers_next_, !rewards_.covers_next_);
      const std::size_t node = covers ? cover() : sweep();
      if (node != kNone) return {node, 1, true};
    }
    std::size_t leaf = most_promising();
    while (nodes()[leaf].T >= 1 && may_be_kept_by_parts(leaf) && has_room()) {
      cut(leaf);
      leaf = most_promising();
    }
    const double pulls = std::floor(0.15 * nodes()[leaf].T);
    return {leaf, static_cast<std::uint64_t>(std::max(1.0, pulls)), false};
  }

  [[nodiscard]] std::size_t most_promising() const {
    std::size_t best = kNone;
    for (const std::size_t leaf : rewards_.leaves()) {
      if (best == kNone || shortfalls_[leaf] < shortfalls_[best] ||
          (shortfalls_[leaf] == shortfalls_[best] && nodes()[leaf].index > nodes()[best].index)) {
        best = leaf;
      }
    }
    return best;
  }

  /// Covers all cells, regardless of limits.
  [[nodiscard]] std::size_t cover() {
    std::size_t best = kNone;
    for (const std::size_t leaf : rewards_.leaves()) {
      if (nodes()[leaf].T > 0 && !rewards_.can_cut(leaf)) continue;
      if (best == kNone || TextbookAdaptive::is_covered_before(nodes()[leaf], nodes()[best])) {
        best = leaf;
      }
    }
    if (best == kNone || nodes()[best].T == 0) return best;
    cut(best);
    return nodes()[best].left;
  }

  /// Sweeps as without limits, skipping cells beyond them.
  [[nodiscard]] std::size_t sweep() {
    if (rewards_.sweep_at_ == rewards_.sweep_.size()) list_sweep();
    while (rewards_.sweep_at_ < rewards_.sweep_.size()) {
      const std::size_t leaf = rewards_.sweep_[rewards_.sweep_at_++];
      if (nodes()[leaf].left != 0 || b(leaf, 1.0) > 0.0) continue;
      const double spread = rewards_.largest_m_ - rewards_.smallest_m_;
      const double enough = 16.0 * rewards_.sigma2_ <= spread * spread ? 1.0 : 2.0;
      if (nodes()[leaf].T < enough) return leaf;
      if (!rewards_.can_cut(leaf)) continue;
      cut(leaf);
      return nodes()[leaf].left;
    }
    return kNone;
  }

  void list_sweep() {
    rewards_.sweep_.clear();
    rewards_.sweep_at_ = 0;
    std::vector<std::size_t> best_of_depth;
    for (const std::size_t leaf : rewards_.leaves()) {
      if (b(leaf, 1.0) > 0.0) continue;
      const std::uint32_t depth = nodes()[leaf].depth;
      if (best_of_depth.size() <= depth) best_of_depth.resize(depth + 1, kNone);
      std::size_t& best = best_of_depth[depth];
      if (best == kNone || promise(leaf) > promise(best)) best = leaf;
    }
    double most = -std::numeric_limits<double>::infinity();
    for (const std::size_t best : best_of_depth) {
      if (best == kNone || promise(best) < most) continue;
      most = promise(best);
      rewards_.sweep_.push_back(best);
    }
  }

  [[nodiscard]] double promise(std::size_t leaf) const { return rewards_.promise(nodes()[leaf]); }

  [[nodiscard]] bool has_room() const {
    return static_cast<double>(nodes().size()) <
           64.0 + 12.0 * std::sqrt(static_cast<double>(rewards_.t_));
  }

  // ---- Learning ----

  void end_turn() {
    if (!rewards_.has_started_) {
      if (++rewards_.started_ != rewards_.start_.size()) return;
      rewards_.end_start();
      for (TextbookAdaptive& metric : metrics_) metric.end_start();
      after_pass();
      return;
    }
    const std::size_t at = turn().node;
    rewards_.update_leaf(at);
    set_key(at);
    const Node& leaf = nodes()[at];
    if (leaf.T >= 2 && leaf.v <= leaf.D2 && has_room() && rewards_.can_cut(at)) cut(at);
    const auto size = static_cast<double>(nodes().size());
    if (static_cast<double>(rewards_.pulls_since_pass_) >= size / 16.0) pass();
  }

  /// Cuts a leaf in all trees.
  void cut(std::size_t at) {
    bool moved = rewards_.divide(at);
    for (TextbookAdaptive& metric : metrics_) moved = metric.divide(at) || moved;
    shortfalls_.resize(nodes().size());
    if (moved) {
      pass();
      return;
    }
    for (const std::size_t child : rewards_.children(at)) set_key(child);
  }

  void pass() {
    rewards_.pass();
    for (TextbookAdaptive& metric : metrics_) metric.pass();
    after_pass();
  }

  void after_pass() {
    settle_accounts();
    for (const std::size_t leaf : rewards_.leaves()) set_key(leaf);
  }

  /// Counts violations of a limit as a loss, too.
  void settle_accounts() {
    double level = -std::numeric_limits<double>::infinity();  // L
    double least = std::numeric_limits<double>::infinity();   // b*
    for (const std::size_t leaf : rewards_.leaves()) {
      if (nodes()[leaf].T == 0) continue;
      least = std::min(least, b(leaf, -1.0));
      if (b(leaf, 0.0) == 0.0) level = std::max(level, TextbookAdaptive::caution(nodes()[leaf]));
    }
    rewards_.CG_ = 0.0;
    rewards_.CM_ = 0.0;
    const double range = rewards_.largest_m_ - rewards_.smallest_m_;
    for (std::size_t i = 0; i < nodes().size(); ++i) {
      const Node& node = nodes()[i];
      const double lost = std::max(0.0, level - node.m - std::sqrt(node.v)) +
                          range * std::max(0.0, b(i, 1.0) - least);
      if (node.T == 0) continue;
      rewards_.CG_ += node.G * lost;
      rewards_.CM_ += (node.T - node.G) * lost;
    }
  }

  TextbookAdaptive rewards_;
  std::vector<TextbookAdaptive> metrics_;
  std::vector<Ends> limits_;
  std::vector<double> shortfalls_;  // shortfalls of leaves
  std::uint64_t left_ = 0;          // pulls of the turn
  bool is_beyond_ = false;
  double mean_before_ = 0.0;
};

}  // namespace canopy::testing
