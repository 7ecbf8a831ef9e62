#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "files/document.hpp"
#include "studies/tuner_state.hpp"

#include <string>
#include <vector>

namespace canopy {

/// What else was measured at an arm.
struct KnownMetric {
  std::string name;
  ArmEstimate estimate;
  const Limit* limit = nullptr;

  [[nodiscard]] bool may_break_limit() const;
};

[[nodiscard]] std::vector<KnownMetric> metrics_at(const StudySpecification& specification,
                                                  const TunerState& tuner, Arm arm);

/// The best arm with all that is known of it: its uplift over a baseline that was measured, other
/// metrics, what came of a comparison.
[[nodiscard]] Document best_answer(const Optimizer& optimizer, const Best& best,
                                   const StudySpecification& specification,
                                   const TunerState& tuner);

}  // namespace canopy
