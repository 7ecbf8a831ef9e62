#include "canopy/detail/split_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace canopy {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr double kDrawn = 8.0;  // weight of the parent's noise in that of a cell, in rewards
constexpr double kPrior = 2.0;  // weight of sigma^2 in the common noise, in rewards

/// The sum of squared residuals of a model, and its degrees of freedom.
struct Residuals {
  double squares = 0.0;
  double freedom = 0.0;
};

}  // namespace

SplitTest::SplitTest(const AdaptiveModel& model, const RewardsByContext& rewards,
                     const LevelEffect& effect)
    : model_(model), effect_(effect) {
  const AdaptiveModel::Tree& tree = model.tree();
  rewards_.resize(tree.size());
  for (const auto& [arm, by_context] : rewards) {
    const auto node = model.find(arm);
    if (node && tree[*node].penalties == 0.0) rewards_[*node] = &by_context;
  }
  // Estimates noise from residuals of the model, not from deviations within nodes: otherwise single
  // rewards of bad cells, whose noise may be larger, would look like structure. The residuals of
  // every node's subtree are shrunk to the noise of its parent, since noise may increase with the
  // distance from the optimum.
  std::vector<Residuals> below(tree.size());
  for (NodeIndex i = tree.size(); i-- > 0;) {
    const AdaptiveModel::Node& node = tree[i];
    if (rewards_[i] != nullptr && node.pulls != 0.0) {
      const double off = node.mean - node.level;
      below[i].squares += node.squares + node.pulls * off * off;
      below[i].freedom += node.pulls * std::max(0.0, 1.0 - node.variance / node.noise);
    }
    if (i == AdaptiveModel::Tree::kRoot) break;
    below[node.parent].squares += below[i].squares;
    below[node.parent].freedom += below[i].freedom;
  }
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const bool is_root = i == AdaptiveModel::Tree::kRoot;
    const double above = is_root ? model.noise_variance() : noise_[tree[i].parent];
    const double drawn = is_root ? kPrior : kDrawn;
    noise_.push_back((below[i].squares + drawn * above) / (below[i].freedom + drawn));
  }
  const double noise = noise_[AdaptiveModel::Tree::kRoot];
  unit_ = std::max(model.spread(), std::sqrt(noise));
}

/// The log likelihood of the mean rewards of nodes, given the edges of the tree and a flat prior of
/// the root's level: from the leaves up, every node is a product of normal densities.
double SplitTest::evidence_of(const std::vector<Seen>& seen) const {
  const AdaptiveModel::Tree& tree = model_.tree();
  std::vector<Seen> up(tree.size());  // precision and mean of a subtree's rewards
  double evidence = 0.0;
  for (NodeIndex i = tree.size(); i-- > 0;) {
    double precision = 0.0;
    double weighted = 0.0;
    double squares = 0.0;
    double densities = 0.0;
    const auto add = [&](double own_precision, double mean) {
      precision += own_precision;
      weighted += own_precision * mean;
      squares += own_precision * mean * mean;
      densities += 0.5 * std::log(own_precision / kTwoPi);
    };
    if (seen[i].count > 0.0) add(seen[i].count / noise_[i], seen[i].mean);
    if (!tree[i].is_leaf()) {
      for (const NodeIndex child : {tree[i].children, tree[i].children + 1}) {
        const double below = up[child].count;
        if (below > 0.0) add(below / (1.0 + below * tree[child].edge), up[child].mean);
      }
    }
    if (precision == 0.0) continue;
    const double mean = weighted / precision;
    evidence += densities - 0.5 * (squares - weighted * mean) - 0.5 * std::log(precision / kTwoPi);
    up[i] = {precision, mean};
  }
  return evidence;
}

/// The log likelihood of both sides on one tree, with the right side shifted by a difference of
/// levels.
double SplitTest::evidence_together(const std::vector<Seen>& left, const std::vector<Seen>& right,
                                    double apart) const {
  std::vector<Seen> both(left.size());
  double evidence = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto [on_left, left_mean] = left[i];
    const auto [on_right, with_level] = right[i];
    const double all = on_left + on_right;
    if (all == 0.0) continue;
    const double right_mean = with_level - apart;
    both[i] = {all, (on_left * left_mean + on_right * right_mean) / all};
    if (on_left == 0.0 || on_right == 0.0) continue;
    // Combines two means of one node.
    const double off = right_mean - left_mean;
    const double share = on_left * on_right / all;
    evidence -= 0.5 * off * off * share / noise_[i] + 0.5 * std::log(kTwoPi * noise_[i] / share);
  }
  return evidence + evidence_of(both);
}

std::optional<double> SplitTest::gain(const ContextSplit& split) const {
  std::array<std::vector<Seen>, 2> sides;
  std::array<double, 2> rewards_of_side{};
  for (std::size_t side = 0; side < 2; ++side) {
    sides[side].resize(rewards_.size());
    for (std::size_t i = 0; i < rewards_.size(); ++i) {
      if (rewards_[i] == nullptr) continue;
      Moments all;
      for (const auto& [bins, rewards] : *rewards_[i]) {
        if (split.is_right(bins) != (side == 1)) continue;
        all.merge(rewards.less(effect_.at(bins)).moments());
      }
      sides[side][i] = {all.count, all.mean};
      rewards_of_side[side] += all.count;
    }
    if (rewards_of_side[side] < kFewestRewards) return std::nullopt;
  }
  const auto& [left, right] = sides;
  // The log likelihood is a parabola in the difference of levels, which is integrated out.
  const double at_minus = evidence_together(left, right, -unit_);
  const double at_zero = evidence_together(left, right, 0.0);
  const double at_plus = evidence_together(left, right, unit_);
  const double curve = -(at_minus - 2.0 * at_zero + at_plus) / (unit_ * unit_);
  const double slope = (at_plus - at_minus) / (2.0 * unit_);
  if (!(curve > 0.0)) return std::nullopt;
  const double together = at_zero + 0.5 * slope * slope / curve + 0.5 * std::log(kTwoPi / curve);
  return evidence_of(left) + evidence_of(right) - together;
}

}  // namespace canopy
