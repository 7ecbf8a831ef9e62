#include "canopy/detail/observations.hpp"

#include <algorithm>

namespace canopy {

bool Observations::are_all(const std::function<bool(Arm)>& is_arm) const {
  return std::all_of(by_arm_.begin(), by_arm_.end(), [&](const auto& each) {
    return is_arm(each.first) && each.second.count != 0;
  });
}

void Observations::transfer(State& state) {
  state(by_arm_);
}

}  // namespace canopy
