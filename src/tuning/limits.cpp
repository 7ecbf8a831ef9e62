#include "tuning/limits.hpp"

#include <algorithm>

namespace canopy {

bool may_keep_limits(const Study& study, Arm arm) {
  return !study.is_barred(arm) && !is_probably_broken(study.limit_checks(arm));
}

bool is_far_beyond_limit(const StudySpecification& study, const Reading& reading) {
  const std::vector<Limit>& limits = study.objective.limits;
  return std::any_of(limits.begin(), limits.end(), [&](const Limit& limit) {
    const auto found = reading.metrics.find(limit.metric);
    return found != reading.metrics.end() && limit.is_far_broken_by(found->second);
  });
}

}  // namespace canopy
