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

std::variant<Reading, SystemFailure> measure(LiveSystem& system, const SystemSpecification& wanted,
                                             Arm arm) {
  auto result = system.measure(arm);
  const Reading* reading = std::get_if<Reading>(&result);
  if (reading == nullptr) return result;
  if (!RewardMap::usable(reading->reward)) {
    return SystemFailure{
        fmt::format("the reward {:g}: {}", reading->reward, describe(Status::not_a_reward))};
  }
  for (const Limit& limit : wanted.limits) {
    if (!reading->metrics.contains(limit.metric)) {
      return SystemFailure{
          fmt::format("the measurement lacks {}, which has a limit", limit.metric)};
    }
  }
  return result;
}

}  // namespace canopy
