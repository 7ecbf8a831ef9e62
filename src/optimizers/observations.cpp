#include "canopy/detail/observations.hpp"

#include <algorithm>

namespace canopy {

bool Observations::are_all(const std::function<bool(Arm)>& is_arm) const {
  return std::all_of(by_arm_.begin(), by_arm_.end(), [&](const auto& each) {
    return is_arm(each.first) && each.second.count != 0;
  });
}

void Observations::transfer(State& state) {
  std::uint64_t arms = by_arm_.size();
  state(arms);
  if (state.restoring()) by_arm_.clear();
  auto next = by_arm_.begin();
  for (std::uint64_t i = 0; i < arms; ++i) {
    std::vector<double> arm = state.restoring() ? std::vector<double>() : next->first;
    state(arm);
    Rewards& rewards = state.restoring() ? by_arm_[arm] : (next++)->second;
    state(rewards);
  }
}

}  // namespace canopy
