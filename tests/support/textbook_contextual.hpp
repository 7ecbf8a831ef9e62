#pragma once

#include "canopy/context.hpp"

#include "support/textbook_adaptive.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace canopy::testing {

/// A symmetric positive definite matrix, stored as its Cholesky factor.
class Factor {
 public:
  explicit Factor(std::vector<std::vector<double>> matrix) : rows_(std::move(matrix)) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double rest = rows_[i][j];
        for (std::size_t k = 0; k < j; ++k) rest -= rows_[i][k] * rows_[j][k];
        rows_[i][j] = i == j ? std::sqrt(rest) : rest / rows_[j][j];
      }
    }
  }

  [[nodiscard]] double log_determinant() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) sum += 2.0 * std::log(rows_[i][i]);
    return sum;
  }

  /// Solves matrix x = of.
  [[nodiscard]] std::vector<double> solve(std::vector<double> of) const {
    for (std::size_t i = 0; i < of.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) of[i] -= rows_[i][k] * of[k];
      of[i] /= rows_[i][i];
    }
    for (std::size_t i = of.size(); i-- > 0;) {
      for (std::size_t k = i + 1; k < of.size(); ++k) of[i] -= rows_[k][i] * of[k];
      of[i] /= rows_[i][i];
    }
    return of;
  }

 private:
  std::vector<std::vector<double>> rows_;
};

inline double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// A literal implementation of the adaptive tree with contexts: all rewards are in one list, which
/// is scanned for every computation, and likelihoods use covariance matrices. It is the reference
/// for canopy's fast implementation in the tests. It plays one pull at a time. Letters are those of
/// docs/contexts.md.
class TextbookContextual {
 public:
  TextbookContextual(std::shared_ptr<const Partition> partition, const ContextSpace& contexts)
      : contexts_(contexts) {
    Region whole{.tree = TextbookAdaptive(std::move(partition))};
    for (std::size_t k = 0; k < contexts.size(); ++k) {
      whole.bins.push_back(contexts.all_bins(k));
      g_.emplace_back(contexts.bin_count(k), 0.0);
    }
    regions_.push_back(std::move(whole));
  }

  /// Returns the arm to play.
  const std::vector<double>& ask(Context context) {
    bins_ = bins_of(context);
    Region& region = region_of(bins_);
    if (!region.tree.is_open_) {
      (void)region.tree.choose();
      region.left = region.tree.turn_.pulls;
    }
    return region.tree.arm(region.tree.turn_.node);
  }

  /// Tells its reward.
  void tell(double reward) {
    Region& region = region_of(bins_);
    TextbookAdaptive& tree = region.tree;
    const double low = std::min(tree.low_, reward);
    const double high = std::max(tree.high_, reward);
    history_.push_back({bins_, tree.arm(tree.turn_.node), reward});
    tree.count(reward - g(bins_), 0.0);
    tree.last_residual_ = {};  // the next pull may be in another context
    tree.low_ = low;
    tree.high_ = high;
    if (--region.left == 0) tree.end_turn();
    const auto t = static_cast<double>(history_.size());
    if (t < next_step_) return;
    next_step_ = std::max(t + 4.0, t * (t < 1000.0 ? 1.1 : 1.25));
    if (regions_[0].is_there && !regions_[0].tree.has_started_) return;
    step();
  }

  [[nodiscard]] std::size_t regions() const {
    return static_cast<std::size_t>(std::count_if(
        regions_.begin(), regions_.end(), [](const Region& each) { return each.is_there; }));
  }
  [[nodiscard]] double effect(Context context) const { return g(bins_of(context)); }

 private:
  using Bins = std::vector<std::size_t>;
  using Node = TextbookAdaptive::Node;

  struct Reward {
    Bins bins;
    std::vector<double> arm;
    double r;
  };

  struct Region {
    TextbookAdaptive tree;
    std::vector<BinSet> bins = {};
    std::uint64_t left = 0;  // pulls of the turn
    bool is_there = true;    // false once split
    std::size_t tested_at = 0;
  };

  struct Split {
    std::size_t variable = 0;
    BinSet right = 0;
    double evidence = -std::numeric_limits<double>::infinity();

    [[nodiscard]] bool is_right(const Bins& bins) const {
      return ((right >> bins[variable]) & 1U) != 0;
    }
  };

  [[nodiscard]] Bins bins_of(Context context) const {
    const ContextBins together = contexts_.bins_of(context);
    Bins bins;
    for (std::size_t k = 0; k < contexts_.size(); ++k) {
      bins.push_back(ContextSpace::bin(together, k));
    }
    return bins;
  }

  [[nodiscard]] static bool has(const Region& region, const Bins& bins) {
    for (std::size_t k = 0; k < bins.size(); ++k) {
      if (((region.bins[k] >> bins[k]) & 1U) == 0) return false;
    }
    return region.is_there;
  }

  [[nodiscard]] Region& region_of(const Bins& bins) {
    return *std::find_if(regions_.begin(), regions_.end(),
                         [&](const Region& each) { return has(each, bins); });
  }

  [[nodiscard]] std::vector<Reward> rewards_of(const Region& region) const {
    std::vector<Reward> rewards;
    std::copy_if(history_.begin(), history_.end(), std::back_inserter(rewards),
                 [&](const Reward& each) { return has(region, each.bins); });
    return rewards;
  }

  /// The deepest node with an arm.
  [[nodiscard]] static std::size_t node_of(const TextbookAdaptive& tree,
                                           const std::vector<double>& arm) {
    std::size_t found = TextbookAdaptive::kNone;
    for (std::size_t i = 0; i < tree.nodes_.size(); ++i) {
      if (tree.arms_[i] != arm) continue;
      if (found == TextbookAdaptive::kNone || tree.nodes_[i].depth > tree.nodes_[found].depth) {
        found = i;
      }
    }
    return found;
  }

  [[nodiscard]] double g(const Bins& bins) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < bins.size(); ++k) sum += g_[k][bins[k]];
    return sum;
  }

  // ---- A step ----

  void step() {
    for (Region& region : regions_) {
      TextbookAdaptive& tree = region.tree;
      Node& leaf = tree.nodes_[tree.turn_.node];
      if (!region.is_there || !tree.is_open_ || leaf.T == 0.0) continue;
      leaf.sg = tree.noise(leaf);
      leaf.pp = leaf.pr + leaf.T / leaf.sg;
      leaf.m = (leaf.pr * leaf.am + leaf.T / leaf.sg * leaf.mean) / leaf.pp;
      leaf.v = 1.0 / leaf.pp;
    }
    const auto before = g_;
    fit();
    if (g_ != before) {
      for (Region& region : regions_) {
        if (region.is_there) relearn(region);
      }
    }
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      if (regions_[i].is_there) test(i);
    }
  }

  void learn_again(Region& region) const {
    TextbookAdaptive& tree = region.tree;
    for (Node& node : tree.nodes_) node.T = node.mean = node.M2 = 0.0;
    for (const Reward& each : rewards_of(region)) {
      Node& node = tree.nodes_[node_of(tree, each.arm)];
      const double deviation = each.r - g(each.bins) - node.mean;
      node.T += 1.0;
      node.mean += deviation / node.T;
      node.M2 += deviation * (each.r - g(each.bins) - node.mean);
    }
    for (Node& node : tree.nodes_) {
      node.M2_first = node.T > 1.0 ? node.M2 * std::min(1.0, 7.0 / (node.T - 1.0)) : 0.0;
    }
  }

  void relearn(Region& region) const {
    learn_again(region);
    region.tree.pass();
  }

  // ---- The level effect ----

  void fit() {
    struct KnownArm {
      double c, mean, sg;
      std::vector<Reward> rewards;
    };
    std::vector<KnownArm> arms;
    double steepest = 0.0;  // A
    double noise = 0.0;
    double count = 0.0;
    for (const Region& region : regions_) {
      if (!region.is_there) continue;
      steepest = std::max(steepest, region.tree.S_ * region.tree.S_);
      const std::vector<Reward> all = rewards_of(region);
      for (std::size_t i = 0; i < region.tree.nodes_.size(); ++i) {
        const Node& node = region.tree.nodes_[i];
        if (node.T == 0.0 || node_of(region.tree, region.tree.arms_[i]) != i) continue;
        KnownArm arm{.c = std::max(1.0 / node.v - node.T / node.sg, 1e-9 / node.v),
                     .mean = 0.0,
                     .sg = node.sg,
                     .rewards = {}};
        arm.mean = (node.m / node.v - node.T * node.mean / node.sg) / arm.c;
        std::copy_if(all.begin(), all.end(), std::back_inserter(arm.rewards),
                     [&](const Reward& each) { return each.arm == region.tree.arms_[i]; });
        count += static_cast<double>(arm.rewards.size());
        noise += static_cast<double>(arm.rewards.size()) / arm.sg;
        arms.push_back(std::move(arm));
      }
    }
    steepest = std::max(steepest, count / noise);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t k = 0; k < g_.size(); ++k) {
        std::vector<double> w(g_[k].size());
        std::vector<double> wy(g_[k].size());
        for (const KnownArm& arm : arms) {
          double precision = arm.c;
          double weighted = arm.c * arm.mean;
          for (const Reward& each : arm.rewards) {
            precision += 1.0 / arm.sg;
            weighted += (each.r - g(each.bins)) / arm.sg;
          }
          for (const Reward& each : arm.rewards) {
            const std::size_t j = each.bins[k];
            w[j] += 1.0 / arm.sg;
            wy[j] += (each.r - weighted / precision - g(each.bins) + g_[k][j]) / arm.sg;
          }
        }
        g_[k] = walk(w, wy, steepest);
      }
    }
  }

  /// The posterior of a random walk from bin to bin, if it is more likely than a constant level.
  [[nodiscard]] static std::vector<double> walk(const std::vector<double>& w,
                                                const std::vector<double>& wy, double steepest) {
    std::vector<std::size_t> seen;
    for (std::size_t j = 0; j < w.size(); ++j) {
      if (w[j] > 0.0) seen.push_back(j);
    }
    std::vector<double> y;
    for (const std::size_t j : seen) y.push_back(wy[j] / w[j]);
    const auto covariance = [&](std::size_t i, std::size_t j, double tau) {
      return 1e6 * steepest + tau * static_cast<double>(std::min(i, j));
    };
    const auto factor = [&](double tau, std::size_t n) {
      std::vector<std::vector<double>> matrix(n, std::vector<double>(n));
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) matrix[i][j] = covariance(seen[i], seen[j], tau);
        matrix[i][i] += 1.0 / w[seen[i]];
      }
      return Factor(std::move(matrix));
    };
    const auto likelihood =
        [&](double tau) {  // likelihood of all bins but the first, given the first
          const auto of = [&](std::size_t n) {
            const Factor these = factor(tau, n);
            const std::vector<double> part(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n));
            return -0.5 * (these.log_determinant() + product(part, these.solve(part)));
          };
          return of(y.size()) - of(1);
        };
    double tau = 0.0;
    double likeliest = likelihood(0.0) + 3.0;
    for (int i = 0; i <= 14; ++i) {
      const double tried = steepest * std::pow(2.0, -i);
      if (const double likely = likelihood(tried); likely > likeliest) {
        likeliest = likely;
        tau = tried;
      }
    }
    std::vector<double> table(w.size(), 0.0);
    if (tau == 0.0) return table;
    const std::vector<double> solved = factor(tau, y.size()).solve(y);
    double mean = 0.0;
    double all = 0.0;
    for (std::size_t j = 0; j < table.size(); ++j) {
      for (std::size_t i = 0; i < seen.size(); ++i) {
        table[j] += covariance(j, seen[i], tau) * solved[i];
      }
      mean += w[j] * table[j];
      all += w[j];
    }
    for (double& number : table) number -= mean / all;
    return table;
  }

  // ---- Splits ----

  void test(std::size_t index) {
    Region& region = regions_[index];
    const std::vector<Reward> rewards = rewards_of(region);
    if (rewards.size() == region.tested_at || rewards.size() < 16) return;
    region.tested_at = rewards.size();
    Split best{.evidence = 2.0 + std::log(static_cast<double>(contexts_.size()))};
    for (std::size_t k = 0; k < contexts_.size(); ++k) {
      Split of_variable;
      for (const BinSet right : candidates(region, rewards, k)) {
        const Split tried{k, right, evidence_of({k, right}, region, rewards)};
        if (tried.evidence > of_variable.evidence) of_variable = tried;
      }
      if (has_short_list(region, k) && !contexts_[k].domain.is_ordered()) {
        regroup(of_variable, region, rewards);
        const double groups = std::pow(2.0, std::popcount(region.bins[k]) - 1) - 1.0;
        of_variable.evidence -= 0.5 * std::log(std::max(1.0, groups / 3.0));
      }
      if (of_variable.evidence > best.evidence) best = of_variable;
    }
    if (best.right != 0) split(index, best);
  }

  [[nodiscard]] bool has_short_list(const Region& region, std::size_t k) const {
    return contexts_.has_bin_per_value(k) && std::popcount(region.bins[k]) <= 8;
  }

  [[nodiscard]] std::vector<BinSet> candidates(const Region& region,
                                               const std::vector<Reward>& rewards,
                                               std::size_t k) const {
    const std::size_t count = contexts_.bin_count(k);
    std::vector<std::size_t> own;  // the bins of the region, in its order
    for (std::size_t b = 0; b < count; ++b) {
      if (((region.bins[k] >> b) & 1U) != 0) own.push_back(b);
    }
    std::vector<BinSet> found;
    const auto add = [&](std::span<const std::size_t> bins) {
      if (bins.empty() || bins.size() == own.size()) return;
      BinSet right = 0;
      for (const std::size_t b : bins) right |= BinSet{1} << b;
      found.push_back(right);
    };
    const std::span<const std::size_t> all(own);
    if (has_short_list(region, k)) {
      for (std::size_t i = 1; i < own.size(); ++i) add(all.subspan(i));
      if (contexts_[k].domain.is_ordered()) return found;
      for (std::size_t i = 1; i + 1 < own.size(); ++i) add(all.subspan(i, 1));
      return found;
    }
    // A region that wraps around the end of a period begins after the gap.
    const bool goes_around = own.size() < count && own.front() == 0 && own.back() + 1 == count;
    if (goes_around) {
      std::size_t gap = own.size() - 1;
      while (own[gap - 1] + 1 == own[gap]) --gap;
      std::rotate(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(gap), own.end());
    }
    std::vector<std::size_t> borders;
    for (int q = 1; q <= 3; ++q) {
      std::size_t border = 0;
      double below = 0.0;
      for (; border < own.size(); ++border) {
        const auto here = static_cast<double>(
            std::count_if(rewards.begin(), rewards.end(),
                          [&](const Reward& each) { return each.bins[k] == own[border]; }));
        if (below + 0.5 * here >= 0.25 * q * static_cast<double>(rewards.size())) break;
        below += here;
      }
      if (borders.empty() || border != borders.back()) borders.push_back(border);
    }
    for (const std::size_t border : borders) add(all.subspan(border));
    if (contexts_[k].period == 0.0 || own.size() != count) return found;
    for (std::size_t i = 0; i < borders.size(); ++i) {
      for (std::size_t j = i + 1; j < borders.size(); ++j) {
        add(all.subspan(borders[i], borders[j] - borders[i]));
      }
    }
    return found;
  }

  void regroup(Split& best, const Region& region, const std::vector<Reward>& rewards) const {
    if (best.right == 0) return;
    const BinSet all = region.bins[best.variable];
    for (Split before = best;; before = best) {
      for (BinSet left = all; left != 0; left &= left - 1) {
        Split tried{best.variable, before.right ^ (left & -left)};
        if (tried.right == 0 || tried.right == all) continue;
        tried.evidence = evidence_of(tried, region, rewards);
        if (tried.evidence > best.evidence) best = tried;
      }
      if (best.right == before.right) return;
    }
  }

  /// The mean of some rewards of a node.
  struct Seen {
    std::size_t node;
    double count = 0.0;
    double mean = 0.0;
    bool is_right;
  };

  [[nodiscard]] double evidence_of(const Split& split, const Region& region,
                                   const std::vector<Reward>& rewards) const {
    std::vector<Seen> seen;
    std::array<double, 2> of_side{};
    for (const Reward& each : rewards) {
      const std::size_t node = node_of(region.tree, each.arm);
      const bool is_right = split.is_right(each.bins);
      of_side.at(is_right ? 1 : 0) += 1.0;
      auto at = std::find_if(seen.begin(), seen.end(), [&](const Seen& other) {
        return other.node == node && other.is_right == is_right;
      });
      if (at == seen.end()) {
        at = seen.insert(seen.end(), Seen{.node = node, .is_right = is_right});
      }
      at->count += 1.0;
      at->mean += (each.r - g(each.bins) - at->mean) / at->count;
    }
    if (of_side[0] < 8.0 || of_side[1] < 8.0) return -std::numeric_limits<double>::infinity();
    std::vector<Seen> left;
    std::vector<Seen> right;
    for (const Seen& each : seen) (each.is_right ? right : left).push_back(each);
    return log_density(region.tree, left, false) + log_density(region.tree, right, false) -
           log_density(region.tree, seen, true);
  }

  /// The log density of means, with a flat prior for the level at the root and, if `apart` is set,
  /// for the difference of the right side.
  [[nodiscard]] static double log_density(const TextbookAdaptive& tree,
                                          const std::vector<Seen>& seen, bool may_differ) {
    const std::vector<double> noise = noise_by_place(tree);
    const std::size_t n = seen.size();
    std::vector<std::vector<double>> covariance(n, std::vector<double>(n));
    std::vector<double> y;
    std::vector<std::vector<double>> levels(may_differ ? 2 : 1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        covariance[i][j] = shared_path(tree, seen[i].node, seen[j].node);
      }
      covariance[i][i] += noise[seen[i].node] / seen[i].count;
      y.push_back(seen[i].mean);
      levels[0].push_back(1.0);
      if (may_differ) levels[1].push_back(seen[i].is_right ? 1.0 : 0.0);
    }
    const Factor factor(std::move(covariance));
    std::vector<std::vector<double>> information(levels.size(), std::vector<double>(levels.size()));
    std::vector<double> towards;
    for (std::size_t a = 0; a < levels.size(); ++a) {
      const std::vector<double> solved = factor.solve(levels[a]);
      for (std::size_t b = 0; b < levels.size(); ++b)
        information[a][b] = product(solved, levels[b]);
      towards.push_back(product(solved, y));
    }
    const Factor of_levels(information);
    const double rest = product(y, factor.solve(y)) - product(towards, of_levels.solve(towards));
    return -0.5 * (static_cast<double>(n - levels.size()) * std::log(2.0 * std::numbers::pi) +
                   factor.log_determinant() + of_levels.log_determinant() + rest);
  }

  /// The covariance of two nodes: the variance of the edges above both.
  [[nodiscard]] static double shared_path(const TextbookAdaptive& tree, std::size_t a,
                                          std::size_t b) {
    while (a != b) {
      std::size_t& deeper = tree.nodes_[a].depth >= tree.nodes_[b].depth ? a : b;
      deeper = tree.nodes_[deeper].parent;
    }
    double variance = 0.0;
    for (; a != 0; a = tree.nodes_[a].parent) variance += tree.nodes_[a].se;
    return variance;
  }

  [[nodiscard]] static std::vector<double> noise_by_place(const TextbookAdaptive& tree) {
    std::vector<double> noise;
    for (std::size_t i = 0; i < tree.nodes_.size(); ++i) {  // parents come first
      double rss = 0.0;
      double dof = 0.0;
      for (std::size_t j = i; j < tree.nodes_.size(); ++j) {
        const Node& node = tree.nodes_[j];
        if (node.T == 0.0 || !is_below(tree, j, i)) continue;
        rss += node.M2 + node.T * (node.mean - node.m) * (node.mean - node.m);
        dof += node.T * std::max(0.0, 1.0 - node.v / node.sg);
      }
      const double drawn = i == 0 ? 2.0 : 8.0;
      const double above = i == 0 ? tree.sigma2_ : noise[tree.nodes_[i].parent];
      noise.push_back((rss + drawn * above) / (dof + drawn));
    }
    return noise;
  }

  [[nodiscard]] static bool is_below(const TextbookAdaptive& tree, std::size_t node,
                                     std::size_t top) {
    while (node > top) node = tree.nodes_[node].parent;
    return node == top;
  }

  void split(std::size_t index, const Split& split) {
    for (const bool right : {false, true}) {
      Region part = regions_[index];
      part.left = 0;
      part.tested_at = 0;
      part.bins[split.variable] &= right ? split.right : ~split.right;
      TextbookAdaptive& tree = part.tree;
      std::vector<double> before;
      for (const Node& node : tree.nodes_) before.push_back(node.T);
      learn_again(part);
      for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] != 0.0) tree.nodes_[i].G *= std::min(1.0, tree.nodes_[i].T / before[i]);
      }
      prune(tree);
      tree.t_ = rewards_of(part).size();
      tree.is_open_ = false;
      tree.turn_ = {};
      tree.sweep_.clear();
      tree.sweep_at_ = 0;
      for (int i = 0; i < 3; ++i) tree.pass();
      regions_.push_back(std::move(part));
    }
    regions_[index].is_there = false;
  }

  /// Removes the children of cells of depth 3 and more without rewards below.
  static void prune(TextbookAdaptive& tree) {
    std::vector<double> below(tree.nodes_.size());
    for (std::size_t i = tree.nodes_.size(); i-- > 0;) {
      for (const std::size_t child : tree.children(i)) {
        below[i] += below[child] + tree.nodes_[child].T;
      }
    }
    std::vector<std::size_t> places(tree.nodes_.size(), TextbookAdaptive::kNone);
    const TextbookAdaptive whole = tree;
    tree.nodes_.clear();
    tree.cells_.clear();
    tree.arms_.clear();
    for (std::size_t i = 0; i < whole.nodes_.size(); ++i) {
      const Node& node = whole.nodes_[i];
      if (i != 0) {
        const std::size_t parent = places[node.parent];
        if (parent == TextbookAdaptive::kNone || tree.nodes_[parent].left == 0) continue;
      }
      places[i] = tree.nodes_.size();
      tree.nodes_.push_back(node);
      tree.cells_.push_back(whole.cells_[i]);
      tree.arms_.push_back(whole.arms_[i]);
      if (node.depth >= 3 && below[i] == 0.0) tree.nodes_.back().left = 0;
      if (i == 0) continue;
      tree.nodes_.back().parent = places[node.parent];
      if (whole.nodes_[node.parent].left == i) tree.nodes_[places[node.parent]].left = places[i];
    }
  }

  ContextSpace contexts_;
  std::vector<Region> regions_;  // in order of creation
  std::vector<std::vector<double>> g_;
  std::vector<Reward> history_;
  Bins bins_;  // bins of the last ask
  double next_step_ = 12.0;
};

}  // namespace canopy::testing
