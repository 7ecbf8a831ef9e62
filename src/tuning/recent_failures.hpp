#pragma once

#include "canopy/state.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace canopy {

/// Counts recent failures. Too many mean that the settings are not the cause.
class RecentFailures {
 public:
  static constexpr std::uint64_t kPulls = 50;  ///< number of pulls considered
  /// Number of initial pulls; if all of them fail, nothing works.
  static constexpr std::uint64_t kFirst = 10;

  void add(bool failed) {
    outcomes_.push_back(failed ? 1.0 : 0.0);
    if (outcomes_.size() > kPulls) outcomes_.pop_front();
  }
  void clear() { outcomes_.clear(); }

  /// Number of failures in the last `pulls`.
  [[nodiscard]] std::uint64_t count() const {
    return static_cast<std::uint64_t>(std::count(outcomes_.begin(), outcomes_.end(), 1.0));
  }
  [[nodiscard]] std::uint64_t pulls() const { return outcomes_.size(); }

  [[nodiscard]] bool are_too_many(std::uint64_t allowed) const {
    return (pulls() == kPulls && count() >= allowed) || (pulls() == kFirst && count() == kFirst);
  }

  void transfer(State& state) {
    std::vector<double> outcomes(outcomes_.begin(), outcomes_.end());
    state(outcomes);
    outcomes_.assign(outcomes.begin(), outcomes.end());
  }

 private:
  std::deque<double> outcomes_;  // 1 for a failure
};

}  // namespace canopy
