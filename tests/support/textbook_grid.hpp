#pragma once

#include "canopy/family/grid.hpp"
#include "canopy/random.hpp"

#include "support/textbook_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace canopy::testing {

/// Bandits on a grid as in their papers: every number is recomputed for every arm. Shares only the
/// arms with canopy's grid, and the random stream with Thompson sampling.
class TextbookGrid {
 public:
  struct Bandit {
    std::vector<double> arm;
    double pulls = 0.0;
    double sum = 0.0;  ///< in mapped units
  };

  TextbookGrid(const Space& space, std::uint64_t points) {
    Grid grid(space, {.points = points});
    for (std::size_t i = 0; i < grid.size(); ++i) {  // UCB1 first plays each arm once
      const Pull pull = grid.ask();
      arms_.push_back({.arm = {pull.arm.begin(), pull.arm.end()}});
      if (grid.tell(pull.ticket, 0.0) != Status::ok) arms_.clear();
    }
  }

  [[nodiscard]] std::size_t size() const { return arms_.size(); }
  [[nodiscard]] const Bandit& operator[](std::size_t arm) const { return arms_[arm]; }

  void learn(std::size_t arm, double mapped, double pulls = 1.0) {
    arms_[arm].pulls += pulls;
    arms_[arm].sum += mapped;
  }

  /// Agrawal and Goyal's algorithm without a prior: draws once from each posterior, and returns the
  /// arm with the largest draw.
  [[nodiscard]] std::size_t thompson(double deviation, RandomStream& random) const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (arms_[i].pulls == 0.0) return i;
    }
    std::vector<double> draws;
    for (const Bandit& arm : arms_) {
      draws.push_back(arm.sum / arm.pulls + deviation / std::sqrt(arm.pulls) * random.normal());
    }
    return first_largest(draws);
  }

  /// Garivier and Cappe's algorithm, by bisection: whether it could play that arm. `low` and
  /// `range` map means to [0, 1]. Arms whose indices are equal up to rounding are all accepted.
  [[nodiscard]] bool may_be_kl_ucb(std::size_t chosen, double low, double range,
                                   double budget) const {
    std::vector<double> levels;
    for (std::size_t i = 0; i < size(); ++i) {
      const Bandit& arm = arms_[i];
      if (arm.pulls == 0.0) return chosen == i;  // the first arm without pulls
      const double mean = std::clamp((arm.sum / arm.pulls - low) / range, 0.0, 1.0);
      levels.push_back(kl_level(mean, arm.pulls, budget));
      const bool is_twin = arm.pulls == arms_[chosen].pulls && arm.sum == arms_[chosen].sum;
      if (is_twin && i < chosen) return false;
    }
    const double largest = levels[first_largest(levels)];
    return levels[chosen] == largest || levels[chosen] > largest - 1e-12 * (1.0 + largest);
  }

  /// The number of an arm.
  [[nodiscard]] std::size_t find(Arm arm) const {
    const auto is_it = [&](const Bandit& bandit) {
      return std::equal(arm.begin(), arm.end(), bandit.arm.begin(), bandit.arm.end());
    };
    return static_cast<std::size_t>(std::find_if(arms_.begin(), arms_.end(), is_it) -
                                    arms_.begin());
  }

  /// The level s of the largest q = 1 - e^-s with pulls kl(mean, q) <= budget.
  [[nodiscard]] static double kl_level(double mean, double pulls, double budget) {
    if (mean == 1.0) return std::numeric_limits<double>::infinity();
    double low = -std::log(1.0 - mean);
    double high = low + 1.0;
    while (pulls * kl(mean, high) <= budget) high *= 2.0;
    for (int i = 0; i < 200; ++i) {
      const double middle = (low + high) / 2.0;
      (pulls * kl(mean, middle) <= budget ? low : high) = middle;
    }
    return low;
  }

 private:
  static double kl(double p, double level) {
    const double of_success = p == 0.0 ? 0.0 : p * std::log(p / -std::expm1(-level));
    return of_success + (1.0 - p) * (std::log(1.0 - p) + level);
  }

  static std::size_t first_largest(const std::vector<double>& values) {
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) -
                                    values.begin());
  }

  std::vector<Bandit> arms_;
};

/// Karnin, Koren and Somekh's algorithm: plays all rounds; `play` returns the mapped reward of the
/// arm with a number. Returns the numbers of all arms played, with the winner for the remaining
/// pulls.
template <class Play>
std::vector<std::size_t> sequential_halving(TextbookGrid& grid, std::uint64_t horizon,
                                            std::size_t pulls, Play&& play) {
  std::vector<std::size_t> played;
  // The rewards of a turn are summed first, so that means equal up to rounding stay equal.
  const auto take_turn = [&](std::size_t arm, double length) {
    double sum = 0.0;
    for (double i = 0.0; i < length && played.size() < pulls; i += 1.0) {
      sum += play(arm);
      played.push_back(arm);
    }
    grid.learn(arm, sum, length);
  };
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < grid.size(); ++i) left.push_back(i);
  const double rounds = std::ceil(std::log2(static_cast<double>(grid.size())));
  while (left.size() > 1) {
    const double each =
        std::floor(static_cast<double>(horizon) / (static_cast<double>(left.size()) * rounds));
    for (const std::size_t arm : left) take_turn(arm, std::max(1.0, each));
    if (played.size() == pulls) return played;
    for (std::size_t gone = left.size() / 2; gone > 0;
         --gone) {  // removes the worst arm; among equals, the last
      std::size_t worst = 0;
      for (std::size_t i = 0; i < left.size(); ++i) {
        const auto mean = [&](std::size_t at) { return grid[at].sum / grid[at].pulls; };
        if (mean(left[i]) <= mean(left[worst])) worst = i;
      }
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(worst));
    }
  }
  while (played.size() < pulls) take_turn(left.front(), 1.0);
  return played;
}

}  // namespace canopy::testing
