#include "tuning/limits.hpp"

#include <algorithm>

namespace canopy {

bool may_keep_limits(const Optimizer& optimizer, Arm arm) {
  return !optimizer.is_barred(arm) && !is_probably_broken(optimizer.limit_checks(arm));
}

bool is_measured_beyond_limit(const Optimizer& optimizer, Arm arm) {
  const std::vector<LimitCheck> checks = optimizer.limit_checks(arm);
  return std::any_of(checks.begin(), checks.end(), [](const LimitCheck& check) {
    return check.pulls != 0 && check.deviations < 0.0;
  });
}

bool is_far_beyond_limit(const StudySpecification& study, const Reading& reading) {
  const std::vector<Limit>& limits = study.objective.limits;
  return std::any_of(limits.begin(), limits.end(), [&](const Limit& limit) {
    const auto found = reading.metrics.find(limit.metric);
    return found != reading.metrics.end() && limit.is_far_broken_by(found->second);
  });
}

}  // namespace canopy
