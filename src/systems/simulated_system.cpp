#include "systems/simulated_system.hpp"

#include <algorithm>
#include <utility>

namespace canopy {

SimulatedSystem::SimulatedSystem(KnownEnvironment& environment, VirtualClock& clock,
                                 RandomStream& random, SimulatedOptions options)
    : environment_(environment), clock_(clock), random_(random), options_(std::move(options)) {
  environment_.start(random_);
}

std::variant<std::vector<double>, SystemFailure> SimulatedSystem::observe() {
  clock_.sleep(options_.observe_seconds);
  if (happens(options_.blind_rate)) return SystemFailure{"context: simulated failure"};
  return environment_.context_at(step());
}

std::optional<SystemFailure> SimulatedSystem::apply(Arm arm) {
  clock_.sleep(options_.apply_seconds);
  if (is_down()) return SystemFailure{"apply: the simulated system is down"};
  if (!setting_.empty()) {
    lag_ +=
        environment_.mean_reward_at(setting_, step()) - environment_.mean_reward_at(arm, step());
    if (!std::equal(arm.begin(), arm.end(), setting_.begin())) lag_ -= options_.dip;
  }
  setting_.assign(arm.begin(), arm.end());
  return std::nullopt;
}

std::variant<Reading, SystemFailure> SimulatedSystem::measure(Arm arm) {
  ++measurements_;
  regret_ += environment_.optimum_at(step()).value - environment_.mean_reward_at(arm, step());
  if (happens(options_.outage_rate)) down_until_ = clock_.steady_time() + options_.outage_seconds;
  if (happens(options_.hang_rate)) {
    clock_.sleep(options_.timeout_seconds);
    return SystemFailure{"measure: took too long"};
  }
  clock_.sleep(options_.measure_seconds);
  if (is_down()) return SystemFailure{"measure: the simulated system is down"};
  if (options_.fails_at && options_.fails_at(arm)) {
    return SystemFailure{"measure: the simulated system fails at this setting"};
  }
  if (happens(options_.failure_rate)) return SystemFailure{"measure: simulated failure"};
  lag_ *= options_.fade;
  Reading reading{environment_.pull(arm, random_) + lag_};
  ++pulls_;
  for (const SimulatedMetric& metric : options_.metrics) {
    reading.metrics[metric.name] = metric.mean(arm) + metric.spread * random_.normal();
  }
  return reading;
}

}  // namespace canopy
