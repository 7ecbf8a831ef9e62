#pragma once

#include "canopy/event.hpp"

#include <optional>
#include <span>
#include <type_traits>

namespace canopy {

/// The rewards of an event that the optimizer learnt from; none for other events.
[[nodiscard]] inline std::optional<Rewards> rewards_of(const Event& event) {
  const auto* told = std::get_if<Told>(&event);
  if (told != nullptr && !told->skipped && !told->is_baseline) return sums_of(told->rewards);
  const auto* observed = std::get_if<Observed>(&event);
  if (observed != nullptr && observed->role == Role::search) return sums_of(observed->rewards);
  return std::nullopt;
}

/// Tells rewards to an optimizer in the form in which they were given.
[[nodiscard]] inline Status tell(Optimizer& optimizer, Ticket ticket, const AnyRewards& rewards) {
  return std::visit(
      [&]<class Given>(const Given& given) {
        if constexpr (std::is_same_v<Given, std::vector<double>>) {
          return optimizer.tell(ticket, std::span<const double>(given));
        } else {
          return optimizer.tell(ticket, given);
        }
      },
      rewards);
}

}  // namespace canopy
