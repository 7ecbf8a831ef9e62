#pragma once

#include "canopy/moments.hpp"
#include "canopy/options.hpp"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace canopy {

/// Several rewards of one arm in five numbers: what every algorithm learns from. The spread is kept
/// as squared deviations from the mean, never as raw squares: at a level of 1e6 these would cancel.
struct Rewards {
  std::uint64_t count = 0;
  double sum = 0.0;
  double squared_deviations = 0.0;  ///< of the rewards from their mean, summed
  double min = 0.0;
  double max = 0.0;

  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }

  [[nodiscard]] Moments moments() const {
    return {static_cast<double>(count), mean(), squared_deviations};
  }

  [[nodiscard]] static Rewards one(double reward) { return {1, reward, 0.0, reward, reward}; }

  /// Of at least one reward.
  [[nodiscard]] static Rewards of(std::span<const double> rewards);

  /// For callers that have raw squares. The least and the largest reward are not known, so mean -+
  /// standard deviation stands in. Numbers that no rewards could have give squared deviations below
  /// zero, which `tell` refuses; a peer that added up in another order, or in single precision, is
  /// tolerated.
  [[nodiscard]] static Rewards from_sums(std::uint64_t count, double sum, double sum_squares);

  /// Whether `min` and `max` are those of the rewards, and not what stands in for them.
  [[nodiscard]] bool knows_ends() const;

  /// Every one of them less a number.
  [[nodiscard]] Rewards less(double level) const;

  /// Both together.
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
  visit(Field{"count", "of the rewards"}, rewards.count);
  visit(Field{"sum", "of the rewards"}, rewards.sum);
  visit(Field{"squared_deviations", "of the rewards from their mean, summed"},
        rewards.squared_deviations);
  visit(Field{"min", "the least of them"}, rewards.min);
  visit(Field{"max", "the largest of them"}, rewards.max);
}

/// Rewards as they came: one, several one by one (never none), or several summed up.
using AnyRewards = std::variant<double, std::vector<double>, Rewards>;

/// Their number, and their sums.
[[nodiscard]] std::uint64_t count_of(const AnyRewards& rewards);
[[nodiscard]] Rewards sums_of(const AnyRewards& rewards);

/// Rewards in their shortest form.
[[nodiscard]] AnyRewards shortest(const Rewards& rewards);

/// Rewards in any form: written as `reward`, as `rewards`, or as sums, each under its name.
struct RewardsField : Field {};

inline constexpr RewardsField kRewardsField{{"rewards", "in the units of the user"}};

}  // namespace canopy
