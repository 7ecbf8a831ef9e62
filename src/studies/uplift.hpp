#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include <cstdint>
#include <optional>

namespace canopy {

/// An arm beside the baseline, in the user's units, from all rewards of both.
struct Uplift {
  double arm_mean = 0.0;
  double baseline_mean = 0.0;
  Interval baseline = {};   ///< of its mean
  double difference = 0.0;  ///< the arm's mean less the baseline's
  Interval
      interval;  ///< of it, at the level of `best`; holds although the arm was chosen by looking
  std::uint64_t arm_pulls = 0;
  std::uint64_t baseline_pulls = 0;
  double level = 0.95;
  Best::Basis basis = Best::Basis::interval;  ///< why there is an interval or none
};

template <class Visit>
void visit_fields(Uplift& uplift, Visit&& visit) {
  visit(Field{"mean", "the arm's mean less the baseline's"}, uplift.difference);
  visit(Field{"low", "of its interval; null: there is none"}.or_null(), uplift.interval.lower);
  visit(Field{"high", "of its interval"}.or_null(), uplift.interval.upper);
  visit(Field{"level", "of the interval"}, uplift.level);
  visit(Field{"arm_mean", "of the best arm's rewards"}, uplift.arm_mean);
  visit(Field{"baseline_mean", "of the baseline's rewards"}, uplift.baseline_mean);
  visit(Field{"baseline_low", "of its interval; null: there is none"}.or_null(),
        uplift.baseline.lower);
  visit(Field{"baseline_high", "of its interval"}.or_null(), uplift.baseline.upper);
  visit(Field{"arm_pulls", "how many they are"}, uplift.arm_pulls);
  visit(Field{"baseline_pulls", "how many they are"}, uplift.baseline_pulls);
}

/// Of the best arm. None without rewards of both, and where it is the baseline.
[[nodiscard]] std::optional<Uplift> uplift_of(const Optimizer& optimizer, const Best& best,
                                              const StudySpecification& specification);

}  // namespace canopy
