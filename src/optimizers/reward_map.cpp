#include "canopy/detail/reward_map.hpp"

#include "canopy/state.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace canopy {

std::vector<Violation> range_violations(const RewardRange& range) {
  const auto [low, high] = range;
  const std::string value = std::string("[") + to_text(low) + ", " + to_text(high) + ']';
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(high - low)) {
    return {{"reward_range", value, "must be two finite numbers with a finite difference"}};
  }
  if (!(low < high)) return {{"reward_range", value, "the first number must be below the second"}};
  return {};
}

std::vector<Violation> violations(const Objective& objective) {
  std::vector<Violation> found;
  if (objective.reward_range) found = range_violations(*objective.reward_range);
  if (!(objective.confidence > 0.0 && objective.confidence < 1.0)) {
    found.push_back({"confidence", to_text(objective.confidence), "must be between 0 and 1"});
  }
  if (objective.hard_range && !objective.reward_range) {
    found.push_back({"hard_range", "true", "requires reward_range"});
  }
  for (Violation& violation : violations(objective.limits)) found.push_back(std::move(violation));
  return found;
}

RewardMap::RewardMap(const Objective& objective)
    : minimizes_(objective.direction == Direction::minimize), sign_(minimizes_ ? -1.0 : 1.0) {
  if (objective.reward_range) set_origin((*objective.reward_range)[minimizes_ ? 1 : 0]);
}

void RewardMap::set_origin(double reward) {
  origin_ = reward;
  has_origin_ = true;
  level_ = reward != 0.0 ? sign_ * reward : -0.0;
}

void RewardMap::transfer(State& state) {
  state(has_origin_, origin_);
  state.require_restored(State::are_finite({origin_}));
  if (has_origin_) set_origin(origin_);
}

Rewards RewardMap::to_mapped(const Rewards& rewards) const {
  const double level = static_cast<double>(rewards.count) * origin_;
  Rewards mapped{rewards.count, minimizes_ ? level - rewards.sum : rewards.sum - level,
                 rewards.squared_deviations, to_mapped(rewards.min), to_mapped(rewards.max)};
  if (minimizes_) std::swap(mapped.min, mapped.max);
  return mapped;
}

Rewards RewardMap::to_user(const Rewards& mapped) const {
  const double level = static_cast<double>(mapped.count) * origin_;
  Rewards rewards{mapped.count, minimizes_ ? level - mapped.sum : level + mapped.sum,
                  mapped.squared_deviations, to_user(mapped.min), to_user(mapped.max)};
  if (minimizes_) std::swap(rewards.min, rewards.max);
  return rewards;
}

Status check(const Rewards& rewards, const RewardMap& map) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // so that no sum of counts overflows
  if (rewards.count == 0 || rewards.count > kMost) return Status::impossible_sums;
  if (!std::isfinite(rewards.sum) || !std::isfinite(rewards.squared_deviations)) {
    return Status::not_a_reward;
  }
  const Rewards mapped = map.to_mapped(rewards);
  for (const double reward : {mapped.mean(), mapped.min, mapped.max}) {
    if (!RewardMap::usable(reward)) return Status::not_a_reward;
  }
  // The tolerance allows for another order of summation or single precision.
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
