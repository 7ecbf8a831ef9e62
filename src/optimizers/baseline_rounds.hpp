#pragma once
// Functions shared by all comparisons with a baseline during a search.

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

/// The number of pulls of the search from one round to the next: random, from half of `every` to
/// one and a half times `every`. It is independent of rewards, so that rounds are a random sample
/// of the study's duration.
[[nodiscard]] std::uint64_t pulls_between(const BaselineRule& rule, std::uint64_t round);

/// The verdict of a challenger's pairs at its level.
[[nodiscard]] Uplift::Verdict verdict_of(const Pairs& pairs, double alpha, Direction direction);

/// Whether the pairs are undecided and the challenger may still win.
[[nodiscard]] bool is_still_open(const Pairs& pairs, double alpha, Direction direction);

/// Removes intervals that assume a constant level of rewards.
[[nodiscard]] Best beside_baseline(Best best);

}  // namespace canopy
