#pragma once

#include "canopy/context.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/policy.hpp"

#include "insight/best_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy::cli {

/// What to do about settings that do not fit what was seen: a range of rewards, rewards that take
/// time to settle.
[[nodiscard]] std::vector<std::string> advice(const Optimizer& optimizer);

/// A line of what is known, and what it is about: `uplift`; empty: the best arm itself, or a metric
/// of it.
struct KnownLine {
  std::string about;
  std::string text;
};

/// The best arm, beside the baseline, with its metrics, what a comparison has found and what tuning
/// has cost.
[[nodiscard]] std::vector<KnownLine> best_lines(const Optimizer& optimizer, const Best& best,
                                                const StudySpecification& specification,
                                                const TunerState& tuner);

/// The same where no arm is the best.
[[nodiscard]] std::vector<KnownLine> lines_without_best(const Optimizer& optimizer,
                                                        const StudySpecification& specification,
                                                        const TunerState& tuner);

/// What is known of each variable of the context: whether the best arm depends on it, and what it
/// adds to all rewards; and whether contexts were beyond their ranges.
[[nodiscard]] std::vector<KnownLine> context_lines(const ContextSpace& contexts,
                                                   const Policy& policy);

/// What is said in place of a best arm where that depends on the context: `3 regions of hour and
/// load; \`canopy policy cache\` shows them`. Empty: it does not.
[[nodiscard]] std::string depends_text(const Optimizer& optimizer, const std::string& study);

/// `2026-11-15 12:00:00`, by the local clock.
[[nodiscard]] std::string date_text(double seconds_since_1970);

}  // namespace canopy::cli
