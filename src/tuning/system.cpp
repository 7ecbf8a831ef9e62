#include "tuning/system.hpp"

#include "canopy/detail/reward_map.hpp"

#include "studies/answers.hpp"

#include <fmt/format.h>

namespace canopy {

CommandSystem command_system_of(const StudySpecification& study, const std::atomic<bool>* stop) {
  const SystemSpecification& system = *study.system;
  return {{.shell = system.shell,
           .keep_background = system.keep_background,
           .apply = system.apply,
           .measure = system.measure,
           .process = system.process,
           .timeout_seconds = system.options.timeout_seconds},
          study.space,
          stop};
}

std::variant<Reading, SystemFailure> measure(LiveSystem& system, Arm arm) {
  auto result = system.measure(arm);
  Reading* reading = std::get_if<Reading>(&result);
  if (reading == nullptr) return result;
  if (!RewardMap::usable(reading->reward)) {
    return SystemFailure{
        fmt::format("the reward {:g}: {}", reading->reward, describe(Status::not_a_reward))};
  }
  std::erase_if(reading->metrics, [](const auto& each) { return !RewardMap::usable(each.second); });
  return result;
}

}  // namespace canopy
