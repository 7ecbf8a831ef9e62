#include "canopy/environment.hpp"

#include "core/text.hpp"

namespace canopy {

void refuse_reward(double reward, std::uint64_t step, const std::string& arm) {
  throw EnvironmentError("step " + std::to_string(step) + ": the reward is " + to_text(reward) +
                         " at " + arm + "; must be a finite number");
}

}  // namespace canopy
