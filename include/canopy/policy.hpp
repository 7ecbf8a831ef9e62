#pragma once

#include "canopy/context.hpp"
#include "canopy/intervals.hpp"
#include "canopy/limits.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace canopy {

struct Best;

/// Where a region of contexts is along one variable.
struct ContextRange {
  /// The two ends of an ordered variable; the upper one belongs to the region only if it is a whole
  /// number or the end of the variable's range. Where the first end is the larger one, the region
  /// goes through the end of the period.
  std::array<double, 2> ends = {0.0, 0.0};

  /// Of a choice, the values that are in the region; else empty.
  std::vector<double> values = {};

  bool is_everything = true;  ///< all values of the variable

  friend bool operator==(const ContextRange&, const ContextRange&) = default;
};

/// The setting for one region of contexts.
struct PolicyRow {
  std::vector<ContextRange> where;  ///< of each variable
  std::vector<double> arm;          ///< empty: nothing was told yet
  std::uint64_t pulls = 0;          ///< in this region, of all arms
  std::uint64_t arm_pulls = 0;      ///< of this arm
  double mean = 0.0;                ///< what it has earned here

  /// What it earns here in the mean over the contexts that come, at the level of `Best`; none: too
  /// few rewards.
  std::optional<Interval> interval = std::nullopt;

  /// Of all metrics with a limit that were measured, where the contexts of the region that have
  /// come suit it least.
  std::vector<LimitCheck> limits = {};
  bool breaks_limits = false;  ///< No setting keeps them here: it is beyond them least.

  /// Neighbouring regions, by their places in the list, whose setting cannot be ruled out here.
  std::vector<std::size_t> may_share = {};
};

/// What one variable adds to the rewards of all arms alike: a number for each of its bins.
struct ContextEffect {
  std::vector<double> by_bin;
};

/// How much the best setting depends on a variable.
struct ContextWeight {
  std::uint64_t splits = 0;  ///< regions that were split along it
  double evidence = 0.0;     ///< for these splits, in nats
};

/// What was learnt about the best setting in every context.
struct Policy {
  std::vector<PolicyRow> rows;
  std::vector<ContextEffect> effects;  ///< of each variable, in the units of the reward
  std::vector<ContextWeight> weights;  ///< of each variable
  std::uint64_t moved = 0;             ///< contexts that were beyond the range of a variable
};

/// What a context adds to the rewards of all arms alike, in the units of the reward.
[[nodiscard]] double level_effect(const Policy& policy, const ContextSpace& contexts,
                                  Context context);

}  // namespace canopy
