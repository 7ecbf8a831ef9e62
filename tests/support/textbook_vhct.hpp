#pragma once

#include "canopy/partition.hpp"
#include "canopy/rewards.hpp"

#include "support/textbook_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace canopy::testing {

/// VHCT as in its paper: a recursive tree in which every bound and every threshold is recomputed
/// before every pull. Shares only the partition and the arithmetic of `Rewards` with canopy's.
class TextbookVhct {
 public:
  static constexpr double kInf = std::numeric_limits<double>::infinity();

  struct Constants {
    double nu1, rho, confidence_scale, delta, bound;
  };

  struct Node {
    std::vector<double> cell;
    std::string path;
    Rewards rewards;
    double upper = kInf;
    double bound = kInf;
    std::unique_ptr<Node> left, right;
  };

  TextbookVhct(std::shared_ptr<const Partition> partition, const Constants& constants,
               const Objective& objective)
      : partition_(std::move(partition)), constants_(constants), scale_(objective) {
    root_.cell.resize(partition_->cell_size());
    partition_->root(root_.cell);
    split(root_);
  }

  Node& select() {
    if (t_ >= t_plus_ || scale_.is_due()) {
      scale_.update(t_ >= t_plus_);
      while (t_plus_ <= t_) t_plus_ *= 2;
      const double c1 = std::pow(constants_.rho / (3.0 * constants_.nu1), 1.0 / 8.0);
      const double delta_tilde =
          std::min(c1 * constants_.delta / static_cast<double>(t_plus_), 1.0);
      const double c =
          constants_.confidence_scale * (2.0 * std::sqrt(1.0 / (1.0 - constants_.rho)));
      c2_log_ = c * c * std::log(1.0 / delta_tilde);
    }
    compute_bounds(root_);
    Node* at = &root_;
    while (at->left && (at == &root_ || pulls(*at) >= threshold(*at))) {
      at = at->left->bound >= at->right->bound ? at->left.get() : at->right.get();
    }
    return *at;
  }

  /// Learns a reward in the user's units.
  void learn(Node& node, double reward) {
    ++t_;
    scale_.see(reward);
    node.rewards += Rewards::one(scale_.to_mapped(reward));
    if (!node.left && pulls(node) >= threshold(node)) split(node);
  }

  [[nodiscard]] const TextbookScale& scale() const { return scale_; }
  [[nodiscard]] const Node& root() const { return root_; }

  void compute_bounds(Node& node) {
    node.upper = kInf;
    if (node.rewards.count != 0) {
      const double mean = node.rewards.sum / pulls(node);
      const double width = std::sqrt(2.0 * variance(node) * c2_log_ / pulls(node)) +
                           3.0 * range() * c2_log_ / pulls(node);
      node.upper = mean + in_cell(node) + width;
    }
    node.bound = node.upper;
    if (!node.left) return;
    compute_bounds(*node.left);
    compute_bounds(*node.right);
    node.bound = std::min(node.upper, std::max(node.left->bound, node.right->bound));
  }

 private:
  [[nodiscard]] static double pulls(const Node& node) {
    return static_cast<double>(node.rewards.count);
  }
  [[nodiscard]] static double variance(const Node& node) {
    return node.rewards.squared_deviations / pulls(node);
  }
  [[nodiscard]] double range() const { return scale_.scale() * constants_.bound; }

  [[nodiscard]] double resolution(std::size_t depth) const {
    return scale_.scale() * (constants_.nu1 * std::pow(constants_.rho, static_cast<double>(depth)));
  }

  [[nodiscard]] double in_cell(const Node& node) const {
    const Extent extent = partition_->extent(node.cell);
    if (extent == Extent::one_arm) return 0.0;
    return resolution(extent == Extent::unordered ? 0 : node.path.size());
  }

  [[nodiscard]] double threshold(const Node& node) const {
    const double e = resolution(node.path.size());
    const double three_be = 3.0 * range() * e;
    const double v = variance(node);
    return c2_log_ * (v + three_be + std::sqrt(v * (v + 2.0 * three_be))) / (e * e);
  }

  void split(Node& leaf) {
    const std::size_t size = leaf.cell.size();
    std::vector<double> parts(2 * size);
    const auto depth = static_cast<std::uint32_t>(leaf.path.size());
    if (!partition_->split(leaf.cell, depth, parts)) return;
    leaf.left = std::make_unique<Node>();
    leaf.right = std::make_unique<Node>();
    const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(size);
    leaf.left->cell.assign(parts.begin(), middle);
    leaf.right->cell.assign(middle, parts.end());
    leaf.left->path = leaf.path + '0';
    leaf.right->path = leaf.path + '1';
  }

  std::shared_ptr<const Partition> partition_;
  Constants constants_;
  TextbookScale scale_;
  std::uint64_t t_ = 1;
  std::uint64_t t_plus_ = 1;
  double c2_log_ = 0.0;  // c^2 L
  Node root_;
};

}  // namespace canopy::testing
