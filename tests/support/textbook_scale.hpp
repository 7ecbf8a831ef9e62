#pragma once

#include "canopy/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy::testing {

/// R and the origin of rewards: a declared range, or the largest minus the smallest of all rewards,
/// recomputed whenever a phase begins. While all rewards are equal, R is 1; the first different
/// reward makes an update due.
class TextbookScale {
 public:
  explicit TextbookScale(const Objective& objective)
      : minimizes_(objective.direction == Direction::minimize),
        range_(objective.reward_range),
        next_range_(range_) {
    if (!range_) return;
    origin_ = minimizes_ ? (*range_)[1] : (*range_)[0];
    scale_ = (*range_)[1] - (*range_)[0];
  }

  /// Adds rewards that were told together, in the user's units: their least, their largest and
  /// their mean.
  void see(double low, double high, double mean) {
    if (!origin_) origin_ = mean;
    seen_.push_back({low, high});
  }
  void see(double reward) { see(reward, reward, reward); }

  /// Takes effect in the next phase.
  void set_range(const std::optional<std::array<double, 2>>& range) { next_range_ = range; }

  [[nodiscard]] bool is_due() const { return !range_ && !learnt_ && spread() > 0.0; }

  /// Call when a phase begins, and within one when an update is due.
  void update(bool phase_begins) {
    if (phase_begins) range_ = next_range_;
    learnt_ = !range_ && spread() > 0.0;
    scale_ = range_ ? (*range_)[1] - (*range_)[0] : (learnt_ ? spread() : 1.0);
  }

  [[nodiscard]] double scale() const { return scale_; }

  [[nodiscard]] double to_mapped(double reward) const {
    return minimizes_ ? *origin_ - reward : reward - *origin_;
  }
  /// The mapped sum of `count` rewards.
  [[nodiscard]] double to_mapped(double sum, std::uint64_t count) const {
    const double level = static_cast<double>(count) * *origin_;
    return minimizes_ ? level - sum : sum - level;
  }
  [[nodiscard]] double to_user(double mapped) const {
    const double origin = origin_.value_or(0.0);
    return minimizes_ ? origin - mapped : origin + mapped;
  }

 private:
  [[nodiscard]] double spread() const {
    if (seen_.empty()) return 0.0;
    double low = seen_.front()[0];
    double high = seen_.front()[1];
    for (const auto& [least, largest] : seen_) {
      low = std::min(low, least);
      high = std::max(high, largest);
    }
    return high - low;
  }

  bool minimizes_;
  std::optional<std::array<double, 2>> range_;
  std::optional<std::array<double, 2>> next_range_;
  std::optional<double> origin_;
  double scale_ = 1.0;
  bool learnt_ = false;
  std::vector<std::array<double, 2>> seen_;
};

}  // namespace canopy::testing
