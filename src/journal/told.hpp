#pragma once

#include "canopy/event.hpp"

#include <optional>

namespace canopy {

/// The rewards that an event has taught the optimizer; none if it is of another kind.
[[nodiscard]] inline std::optional<Rewards> rewards_of(const Event& event) {
  if (const auto* told = std::get_if<Told>(&event)) return Rewards::one(told->reward);
  if (const auto* told = std::get_if<ToldList>(&event)) {
    return told->rewards.empty() ? std::nullopt : std::optional(Rewards::of(told->rewards));
  }
  if (const auto* told = std::get_if<ToldSums>(&event)) return told->rewards;
  if (const auto* observed = std::get_if<Observed>(&event)) return observed->rewards;
  return std::nullopt;
}

}  // namespace canopy
