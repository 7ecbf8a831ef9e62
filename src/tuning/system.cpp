#include "tuning/system.hpp"

#include "canopy/detail/reward_map.hpp"

#include "studies/answers.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy {

ContextInput context_input(const ContextSource& source) {
  using enum ContextInput::Kind;
  if (source.prometheus) return {.kind = query, .prometheus = *source.prometheus};
  if (source.source.empty()) return {.kind = nothing};
  if (source.source == ContextSource::kHour) return {.kind = hour, .time_zone = source.time_zone};
  if (source.source == ContextSource::kWeekday) {
    return {.kind = weekday, .time_zone = source.time_zone};
  }
  return {.kind = command, .command = source.source};
}

CommandSystem command_system_of(const StudySpecification& study, const std::atomic<bool>* stop,
                                Clock& clock) {
  const SystemSpecification& system = *study.system;
  std::vector<ContextInput> inputs;
  for (const ContextSource& source : study.context_sources) {
    inputs.push_back(context_input(source));
  }
  return {{.shell = system.shell,
           .keep_background = system.keep_background,
           .apply = system.apply,
           .measure = system.measure,
           .process = system.process,
           .contexts = std::move(inputs),
           .timeout_seconds = system.options.timeout_seconds,
           .folder = system.folder.value_or("")},
          Names(study.space, study.contexts),
          stop,
          clock};
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
