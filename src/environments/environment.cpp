#include "canopy/environment.hpp"

#include "core/text.hpp"

#include <string>

namespace canopy {

const ContextSpace& KnownEnvironment::contexts() const {
  static const ContextSpace none;
  return none;
}

void refuse_reward(double reward, std::uint64_t step, const Space& space, Arm arm) {
  throw EnvironmentError("step " + std::to_string(step) + ": the reward is " + to_text(reward) +
                         " at " + space.describe(arm) + "; must be a finite number");
}

}  // namespace canopy
