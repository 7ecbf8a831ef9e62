#pragma once

#include "canopy/rewards.hpp"
#include "canopy/space.hpp"
#include "canopy/state.hpp"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace canopy {

/// Rewards of arms that were not asked for, by arm, in mapped units.
class Observations {
 public:
  [[nodiscard]] bool empty() const { return by_arm_.empty(); }

  void add(Arm arm, const Rewards& rewards) { by_arm_[{arm.begin(), arm.end()}] += rewards; }

  /// The rewards of an arm, or null.
  [[nodiscard]] const Rewards* find(Arm arm) const {
    const auto found = by_arm_.find({arm.begin(), arm.end()});
    return found != by_arm_.end() ? &found->second : nullptr;
  }

  /// Removes and returns the rewards of an arm.
  [[nodiscard]] std::optional<Rewards> take(Arm arm) {
    const auto found = by_arm_.extract({arm.begin(), arm.end()});
    return found ? std::optional(found.mapped()) : std::nullopt;
  }

  /// Whether every key is an arm.
  [[nodiscard]] bool are_all(const std::function<bool(Arm)>& is_arm) const;

  void transfer(State& state);

 private:
  std::map<std::vector<double>, Rewards> by_arm_;
};

}  // namespace canopy
