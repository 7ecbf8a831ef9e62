#pragma once
// What all comparisons with a baseline have in common while a search goes on.

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

/// Pulls of the search between a round and the next one: from half of `every` to one and a half
/// times as many. It does not depend on rewards, so that rounds are a sample of the time of the
/// study.
[[nodiscard]] std::uint64_t pulls_between(const BaselineRule& rule, std::uint64_t round);

/// What the pairs of a challenger say at its level.
[[nodiscard]] Uplift::Verdict verdict_of(const Pairs& pairs, double alpha, Direction direction);

/// Whether they decide nothing yet, and the challenger may still win.
[[nodiscard]] bool is_still_open(const Pairs& pairs, double alpha, Direction direction);

/// Without what assumes that the level of rewards does not move.
[[nodiscard]] Best beside_baseline(Best best);

}  // namespace canopy
