#pragma once

#include "canopy/statistics.hpp"
#include "canopy/study.hpp"

#include <cstdint>
#include <optional>

namespace canopy {

/// An arm beside the baseline, in the user's units.
struct Uplift {
  double arm_mean = 0.0;
  double baseline_mean = 0.0;
  /// The arm's mean less the baseline's. Samples are single rewards where they are independent;
  /// where feedback is correlated, the means of visits: the rewards between two changes of the
  /// setting.
  Estimate difference;
  std::uint64_t arm_samples = 0;
  std::uint64_t baseline_samples = 0;
};

/// Of the rewards that the journal has for an arm; none without rewards of both.
[[nodiscard]] std::optional<Uplift> uplift_of(Store& store, const StudyRecord& record,
                                              const StudySpecification& specification, Arm arm);

}  // namespace canopy
