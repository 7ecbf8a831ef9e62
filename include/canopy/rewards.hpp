#pragma once

#include "canopy/moments.hpp"
#include "canopy/options.hpp"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace canopy {

/// Sums of several rewards of one arm, from which every algorithm learns. The spread is stored as
/// squared deviations from the mean: sums of squares would lose all digits at a level of 1e6.
struct Rewards {
  std::uint64_t count = 0;
  double sum = 0.0;
  double squared_deviations = 0.0;  ///< sum of squared deviations from the mean
  double min = 0.0;
  double max = 0.0;

  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }

  [[nodiscard]] Moments moments() const {
    return {static_cast<double>(count), mean(), squared_deviations};
  }

  [[nodiscard]] static Rewards one(double reward) { return {1, reward, 0.0, reward, reward}; }

  /// The sums of at least one reward.
  [[nodiscard]] static Rewards of(std::span<const double> rewards);

  /// For callers that have sums of squares. The least and the largest reward are not known, and are
  /// set to mean -+ standard deviation. Impossible sums result in squared deviations below zero,
  /// which `tell` rejects. Rounding errors due to another order of summation, or to single
  /// precision, are tolerated.
  [[nodiscard]] static Rewards from_sums(std::uint64_t count, double sum, double sum_squares);

  /// Whether `min` and `max` are those of the rewards, not estimates.
  [[nodiscard]] bool knows_ends() const;

  /// All rewards less a number.
  [[nodiscard]] Rewards less(double level) const;

  /// Adds other rewards.
  Rewards& operator+=(const Rewards& others);

  friend bool operator==(const Rewards&, const Rewards&) = default;

  /// Saves or restores; see State.
  template <class State>
  void transfer(State& state) {
    state(count, sum, squared_deviations, min, max);
    state.require_restored(count <= UINT64_MAX / 2 && min <= max &&
                           State::are_rewards({count == 0 ? sum : mean(), min, max}) &&
                           State::are_sizes({squared_deviations}));
  }
};

template <class Visit>
void visit_fields(Rewards& rewards, Visit&& visit) {
  visit(Field{"count", "number of rewards"}, rewards.count);
  visit(Field{"sum", "sum of the rewards"}, rewards.sum);
  visit(Field{"squared_deviations", "sum of the squared deviations of the rewards from their mean"},
        rewards.squared_deviations);
  visit(Field{"min", "the smallest reward"}, rewards.min);
  visit(Field{"max", "the largest reward"}, rewards.max);
}

/// Rewards as given: a single one, a list (never empty), or sums.
using AnyRewards = std::variant<double, std::vector<double>, Rewards>;

/// The number of rewards; their sums.
[[nodiscard]] std::uint64_t count_of(const AnyRewards& rewards);
[[nodiscard]] Rewards sums_of(const AnyRewards& rewards);

/// Rewards in the shortest form.
[[nodiscard]] AnyRewards shortest(const Rewards& rewards);

/// Rewards in any form: written as `reward`, as `rewards`, or as the fields of the sums.
struct RewardsField : Field {};

inline constexpr RewardsField kRewardsField{{"rewards", "in the user's units"}};

}  // namespace canopy
