#pragma once

#include "canopy/optimizer.hpp"

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

/// `2026-11-15 12:00:00`, by the local clock.
[[nodiscard]] std::string date_text(double seconds_since_1970);

}  // namespace canopy::cli
