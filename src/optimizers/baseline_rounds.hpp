#pragma once
// Common parts of all comparisons with a baseline during a search.

#include "canopy/optimizer.hpp"
#include "canopy/pairs.hpp"
#include "canopy/space.hpp"
#include "canopy/with_baseline.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace canopy {

inline constexpr std::uint64_t kMostFailuresOfChallenger = 2;

/// Throws ConfigurationError.
void throw_unless_usable(const BaselineRule& rule, const Space& space,
                         const std::vector<double>& baseline);

/// Pulls of the search from one round to the next: random between half of `every` and one and a
/// half times as many. Independent of rewards, so that rounds are a random sample of the time of
/// the study.
[[nodiscard]] std::uint64_t pulls_between(const BaselineRule& rule, std::uint64_t round);

/// The verdict of a challenger's pairs at its level.
[[nodiscard]] Uplift::Verdict verdict_of(const Pairs& pairs, double alpha, Direction direction);

/// Whether the pairs are undecided and the challenger may still win.
[[nodiscard]] bool is_still_open(const Pairs& pairs, double alpha, Direction direction);

/// Removes intervals that assume a constant level of rewards.
[[nodiscard]] Best beside_baseline(Best best);

}  // namespace canopy
