#pragma once

#include "canopy/partition.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace canopy::testing {

/// The zooming algorithm as in its paper, with the metric of a tree of cells: every ball and every
/// index is recomputed in every step. Shares only the partition with canopy's.
class TextbookZooming {
 public:
  struct Active {
    std::string home;  ///< Path to the cell of which the arm is the centre.
    std::vector<double> arm;
    double pulls = 0.0;
    double sum = 0.0;  ///< in mapped units
  };

  TextbookZooming(std::shared_ptr<const Partition> partition, double nu1, double rho,
                  double confidence_scale)
      : partition_(std::move(partition)),
        nu1_(nu1),
        rho_(rho),
        confidence_scale_(confidence_scale) {}

  /// Returns the arm to be played with R = `scale`, after both rules.
  Active& select(double scale) {
    if (t_ == end_) {
      ++phase_;
      end_ += std::pow(2.0, phase_);
      active_.clear();
    }
    std::vector<std::string> balls;
    for (const Active& arm : active_) balls.push_back(ball(arm));
    if (const auto cell = uncovered("", balls))
      active_.push_back({.home = *cell, .arm = centre(*cell)});
    std::size_t best = 0;
    for (std::size_t i = 1; i < active_.size(); ++i) {
      if (index(active_[i], scale) > index(active_[best], scale)) best = i;
    }
    return active_[best];
  }

  void learn(Active& arm, double mapped) {
    arm.pulls += 1.0;
    arm.sum += mapped;
    t_ += 1.0;
  }

  [[nodiscard]] std::size_t active() const { return active_.size(); }

 private:
  struct Box {
    std::vector<double> cell;
    std::uint32_t depth = 0;
  };

  [[nodiscard]] double radius(const Active& arm) const {
    return confidence_scale_ * std::sqrt(8.0 * phase_ / (1.0 + arm.pulls));
  }

  [[nodiscard]] double index(const Active& arm, double scale) const {
    if (arm.pulls == 0.0) return std::numeric_limits<double>::infinity();
    return arm.sum / arm.pulls + 2.0 * scale * radius(arm);
  }

  /// The two halves of a cell, or none.
  [[nodiscard]] std::vector<Box> halves(const Box& box) const {
    std::vector<double> parts(2 * box.cell.size());
    if (!partition_->split(box.cell, box.depth, parts)) return {};
    const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(box.cell.size());
    return {{{parts.begin(), middle}, box.depth + 1}, {{middle, parts.end()}, box.depth + 1}};
  }

  [[nodiscard]] Box box_at(const std::string& path) const {
    Box box{std::vector<double>(partition_->cell_size()), 0};
    partition_->root(box.cell);
    for (const char turn : path) box = halves(box)[turn == '0' ? 0 : 1];
    return box;
  }

  [[nodiscard]] std::vector<double> centre(const std::string& path) const {
    std::vector<double> arm(partition_->dimension());
    partition_->arm(box_at(path).cell, arm);
    return arm;
  }

  /// The largest distance of two arms in a cell.
  [[nodiscard]] double diameter(const Box& box) const {
    const Extent extent = partition_->extent(box.cell);
    if (extent == Extent::one_arm) return 0.0;
    return nu1_ * std::pow(rho_, extent == Extent::unordered ? 0 : static_cast<int>(box.depth));
  }

  /// The path to the largest cell around an arm within its radius.
  [[nodiscard]] std::string ball(const Active& arm) const {
    std::string path;
    for (Box box = box_at(""); diameter(box) > radius(arm);) {
      const std::vector<Box> parts = halves(box);
      if (parts.empty()) break;
      bool right = false;
      if (path.size() < arm.home.size()) {
        right = arm.home[path.size()] == '1';
      } else {
        right =
            !partition_->holds(parts[0].cell, arm.arm) && partition_->holds(parts[1].cell, arm.arm);
      }
      box = parts[right ? 1 : 0];
      path += right ? '1' : '0';
    }
    return path;
  }

  /// The first largest cell that contains no ball and that no ball covers.
  [[nodiscard]] static std::optional<std::string> uncovered(const std::string& cell,
                                                            const std::vector<std::string>& balls) {
    bool has_balls = false;
    for (const std::string& covered : balls) {
      if (cell.starts_with(covered)) return std::nullopt;
      has_balls = has_balls || covered.starts_with(cell);
    }
    if (!has_balls) return cell;
    const auto left = uncovered(cell + '0', balls);
    return left ? left : uncovered(cell + '1', balls);
  }

  std::shared_ptr<const Partition> partition_;
  double nu1_, rho_, confidence_scale_;
  double t_ = 0.0;
  double phase_ = 0.0;
  double end_ = 0.0;
  std::vector<Active> active_;
};

}  // namespace canopy::testing
