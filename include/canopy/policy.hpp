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

/// The extent of a region of contexts along one variable.
struct ContextRange {
  /// The two ends of an ordered variable; the upper one belongs to the region only if it is a whole
  /// number or the end of the variable's range. If the first end is larger than the second, the
  /// region wraps around the end of the period.
  std::array<double, 2> ends = {0.0, 0.0};

  /// For a choice, the values in the region; else empty.
  std::vector<double> values = {};

  bool is_everything = true;  ///< whether the region has all values of the variable

  friend bool operator==(const ContextRange&, const ContextRange&) = default;
};

/// The best arm for one region of contexts.
struct PolicyRow {
  std::vector<ContextRange> where;  ///< extent along each variable
  std::vector<double> arm;          ///< empty: no rewards yet
  std::uint64_t pulls = 0;          ///< pulls of all arms in this region
  std::uint64_t arm_pulls = 0;      ///< pulls of this arm in this region
  double mean = 0.0;                ///< mean reward of this arm in this region

  /// The interval for the arm's mean over the contexts of this region, at the level of `Best`;
  /// none: too few rewards.
  std::optional<Interval> interval = std::nullopt;

  /// For all metrics with a limit that were measured, in the least favourable of the region's
  /// observed contexts.
  std::vector<LimitCheck> limits = {};
  bool breaks_limits = false;  ///< no arm keeps its limits here; this one breaks them least

  /// Indices of neighbouring regions whose arm may also be the best one here: it is not excluded.
  std::vector<std::size_t> may_share = {};
};

/// The effect of one variable on the rewards of all arms alike: a number for each of its bins.
struct ContextEffect {
  std::vector<double> by_bin;
};

/// How much the best arm depends on a variable.
struct ContextWeight {
  std::uint64_t splits = 0;  ///< number of splits along it
  double evidence = 0.0;     ///< for these splits, in nats
};

/// The best arm for every context, as learnt so far.
struct Policy {
  std::vector<PolicyRow> rows;
  std::vector<ContextEffect> effects;  ///< for each variable, in the units of the reward
  std::vector<ContextWeight> weights;  ///< for each variable
  std::uint64_t moved = 0;             ///< contexts that were outside the range of a variable
};

/// The effect of a context on the rewards of all arms alike, in the units of the reward.
[[nodiscard]] double level_effect(const Policy& policy, const ContextSpace& contexts,
                                  Context context);

}  // namespace canopy
