#pragma once

#include "canopy/partition.hpp"
#include "canopy/random.hpp"

#include "support/textbook_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace canopy::testing {

/// HOO as in its paper: a recursive tree in which every bound is recomputed after every pull. R,
/// which outlives a tree, is stored elsewhere. With a horizon it is the truncated version. Shares
/// only the partition and the random stream with canopy's.
class TextbookHoo {
 public:
  static constexpr double kInf = std::numeric_limits<double>::infinity();

  struct Node {
    std::vector<double> cell;
    int depth = 0;
    double pulls = 0.0;
    double sum = 0.0;
    double upper = kInf;
    double bound = kInf;
    std::vector<std::unique_ptr<Node>> parts;
  };

  TextbookHoo(std::shared_ptr<const Partition> partition, const TextbookScale& scale, double nu1,
              double rho, double confidence_scale, double horizon = 0.0)
      : partition_(std::move(partition)),
        scale_(scale),
        nu1_(nu1),
        rho_(rho),
        confidence_scale_(confidence_scale),
        horizon_(horizon) {
    root_.cell.resize(partition_->cell_size());
    partition_->root(root_.cell);
    if (horizon_ == 0.0 || depth_limit() > 0)
      split(root_);  // the root's children exist from the start
  }

  /// The path to the leaf to be played.
  std::vector<Node*> select(RandomStream& random) {
    if (t_ != 0) compute_bounds(root_);  // R may have changed
    std::vector<Node*> path{&root_};
    while (!path.back()->parts.empty()) {
      const Node& at = *path.back();
      double largest = -kInf;
      for (const auto& part : at.parts) largest = std::max(largest, part->bound);
      std::vector<Node*> best;
      for (const auto& part : at.parts) {
        if (part->bound == largest) best.push_back(part.get());
      }
      std::size_t which = 0;
      if (best.size() == 2) which = (random() >> 63) == 1 ? 0 : 1;
      if (best.size() > 2) {
        which = static_cast<std::size_t>(random.uniform() * static_cast<double>(best.size()));
      }
      path.push_back(best[which]);
    }
    return path;
  }

  /// Learns a mapped reward.
  void learn(const std::vector<Node*>& path, double reward) {
    ++t_;
    for (Node* node : path) {
      node->pulls += 1.0;
      node->sum += reward;
    }
    Node& leaf = *path.back();
    if (horizon_ == 0.0 || leaf.depth < depth_limit()) split(leaf);
    compute_bounds(root_);
  }

  [[nodiscard]] int depth_limit() const {
    return static_cast<int>(
        std::ceil((std::log(horizon_) / 2.0 + std::log(nu1_)) / -std::log(rho_)));
  }

  [[nodiscard]] std::vector<double> arm(const Node& node) const {
    std::vector<double> arm(partition_->dimension());
    partition_->arm(node.cell, arm);
    return arm;
  }

  [[nodiscard]] const Node& root() const { return root_; }

 private:
  void split(Node& leaf) {
    const std::size_t size = leaf.cell.size();
    std::vector<double> cells(partition_->arity() * size);
    const std::uint32_t count =
        partition_->cut(leaf.cell, static_cast<std::uint32_t>(leaf.depth), cells);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto first = cells.begin() + static_cast<std::ptrdiff_t>(i * size);
      leaf.parts.push_back(std::make_unique<Node>());
      leaf.parts.back()->cell.assign(first, first + static_cast<std::ptrdiff_t>(size));
      leaf.parts.back()->depth = leaf.depth + 1;
    }
  }

  void compute_bounds(Node& node) {
    double largest = -kInf;
    for (const auto& part : node.parts) {
      compute_bounds(*part);
      largest = std::max(largest, part->bound);
    }
    const double log = std::log(horizon_ == 0.0 ? static_cast<double>(t_) : horizon_);
    const double width = scale_.scale() * confidence_scale_ * std::sqrt(2.0 * log / node.pulls);
    node.upper = node.pulls == 0.0 ? kInf : node.sum / node.pulls + resolution(node) + width;
    node.bound = node.parts.empty() ? node.upper : std::min(node.upper, largest);
  }

  [[nodiscard]] double resolution(const Node& node) const {
    const Extent extent = partition_->extent(node.cell);
    if (extent == Extent::one_arm) return 0.0;
    const int depth = extent == Extent::unordered ? 0 : node.depth;
    return scale_.scale() * (nu1_ * std::pow(rho_, depth));
  }

  std::shared_ptr<const Partition> partition_;
  const TextbookScale& scale_;
  double nu1_, rho_, confidence_scale_, horizon_;
  std::uint64_t t_ = 0;
  Node root_;
};

}  // namespace canopy::testing
