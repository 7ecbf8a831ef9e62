#include "canopy/detail/reward_map.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

Rewards RewardMap::to_mapped(const Rewards& rewards) const {
  Rewards mapped{
      rewards.count, (rewards.sum - static_cast<double>(rewards.count) * origin_) / span_,
      rewards.squared_deviations / span_ / span_, to_mapped(rewards.min), to_mapped(rewards.max)};
  if (minimizes_) std::swap(mapped.min, mapped.max);
  return mapped;
}

Status check(const Rewards& rewards, const RewardMap& map) {
  if (rewards.count == 0) return Status::impossible_sums;
  if (!std::isfinite(rewards.sum) || !std::isfinite(rewards.squared_deviations)) {
    return Status::not_a_reward;
  }
  const Rewards mapped = map.to_mapped(rewards);
  for (const double reward : {mapped.mean(), mapped.min, mapped.max}) {
    if (!RewardMap::usable(reward)) return Status::not_a_reward;
  }
  // The slack is for peers that add up in another order or in single precision.
  const double mean = rewards.mean();
  const double slack = 1e-6 * std::max(std::abs(rewards.min), std::abs(rewards.max));
  const double reach = 0.5 * (rewards.max - rewards.min) + slack;
  const bool possible = rewards.min <= mean + slack && rewards.max >= mean - slack &&
                        rewards.min <= rewards.max && rewards.squared_deviations >= 0.0 &&
                        rewards.squared_deviations <=
                            (1.0 + 1e-6) * static_cast<double>(rewards.count) * reach * reach;
  return possible ? Status::ok : Status::impossible_sums;
}

}  // namespace canopy
