#include "canopy/reward_map.hpp"

#include "core/text.hpp"

#include <cmath>

namespace canopy {

std::vector<Violation> violations(const Objective& objective) {
  const auto [low, high] = objective.reward_range;
  const std::string value = std::string("[") + to_text(low) + ", " + to_text(high) + ']';
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(high - low)) {
    return {{"reward_range", value, "must be two finite numbers with a finite difference"}};
  }
  if (!(low < high)) return {{"reward_range", value, "the first must be below the second"}};
  return {};
}

double RewardMap::to_mapped_sum(const Rewards& rewards) const {
  return (rewards.sum - static_cast<double>(rewards.count) * origin_) / span_;
}

Status check(const Rewards& rewards, const RewardMap& map) {
  if (rewards.count == 0) return Status::impossible_sums;
  const auto count = static_cast<double>(rewards.count);
  const double mean = rewards.sum / count;
  const double mean_square = rewards.sum_squares / count;
  if (!std::isfinite(rewards.sum) || !std::isfinite(rewards.sum_squares) ||
      !RewardMap::usable(map.to_mapped_sum(rewards) / count)) {
    return Status::not_a_reward;
  }
  // Cauchy-Schwarz: the square of the mean is at most the mean of the squares. The slack is for
  // peers that add up in another order or in single precision.
  const bool possible = mean * mean <= mean_square * (1.0 + 1e-6);
  return possible ? Status::ok : Status::impossible_sums;
}

}  // namespace canopy
