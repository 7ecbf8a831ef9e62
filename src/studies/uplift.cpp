#include "studies/uplift.hpp"

#include <vector>

namespace canopy {

std::optional<Uplift> uplift_of(const Optimizer& optimizer, const Best& best,
                                const StudySpecification& specification) {
  if (!specification.system || !specification.system->baseline) return std::nullopt;
  const std::vector<double>& baseline = *specification.system->baseline;
  if (best.arm == baseline) return std::nullopt;
  const auto arm = optimizer.estimate(best.arm);
  const auto other = optimizer.estimate(baseline);
  if (!arm || !other) return std::nullopt;
  return Uplift{.arm_mean = arm->mean,
                .baseline_mean = other->mean,
                .baseline = other->interval,
                .difference = arm->mean - other->mean,
                .interval = {arm->interval.lower - other->interval.upper,
                             arm->interval.upper - other->interval.lower},
                .arm_pulls = arm->pulls,
                .baseline_pulls = other->pulls,
                .level = best.level,
                .basis = best.basis};
}

}  // namespace canopy
