#pragma once

#include "canopy/context.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/policy.hpp"

#include "insight/best_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy::cli {

/// Recommends other settings if the reward range or the settling time does not fit the rewards.
[[nodiscard]] std::vector<std::string> advice(const Optimizer& optimizer);

/// A line of a report and its label, such as `uplift`. Without a label it is about the best arm or
/// one of its metrics.
struct KnownLine {
  std::string about;
  std::string text;
};

/// Describes the best arm: its metrics, its uplift over the baseline, the result of a comparison,
/// and the cost of tuning.
[[nodiscard]] std::vector<KnownLine> best_lines(const Optimizer& optimizer, const Best& best,
                                                const StudySpecification& specification,
                                                const TunerState& tuner);

/// The lines to print if there is no best arm.
[[nodiscard]] std::vector<KnownLine> lines_without_best(const Optimizer& optimizer,
                                                        const StudySpecification& specification,
                                                        const TunerState& tuner);

/// Describes each variable of the context: whether the best arm depends on it, its effect on all
/// rewards, and whether values were beyond its range.
[[nodiscard]] std::vector<KnownLine> context_lines(const ContextSpace& contexts,
                                                   const Policy& policy);

/// In a study with contexts, replaces the best arm: `3 regions of hour and load; \`canopy policy
/// cache\` shows them`. Empty without contexts, and before the first reward.
[[nodiscard]] std::string depends_text(const Optimizer& optimizer, const std::string& study);

/// `2026-11-15 12:00:00` in local time.
[[nodiscard]] std::string date_text(double seconds_since_1970);

}  // namespace canopy::cli
