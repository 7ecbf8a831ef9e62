#include "canopy/detail/observations.hpp"

namespace canopy {

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
