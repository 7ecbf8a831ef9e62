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
  double difference = 0.0;  ///< the arm's mean less the baseline's
  Interval
      interval;  ///< of it, at the level of `best`; holds although the arm was chosen by looking
  std::uint64_t arm_pulls = 0;
  std::uint64_t baseline_pulls = 0;
  double level = 0.95;
  Best::Basis basis = Best::Basis::interval;  ///< why there is an interval or none
};

/// Of the best arm. None without rewards of both, and where it is the baseline.
[[nodiscard]] std::optional<Uplift> uplift_of(const Optimizer& optimizer, const Best& best,
                                              const StudySpecification& specification);

}  // namespace canopy
