#include "canopy/family/detail/arm_slots.hpp"

#include <algorithm>

namespace canopy {

NodeIndex free_slot(const Tickets& tickets, std::size_t slots) {
  std::vector<bool> taken(slots + 1);
  tickets.for_each_open([&](const Tickets::Open& ticket) { taken[ticket.node] = true; });
  return static_cast<NodeIndex>(std::find(taken.begin(), taken.end(), false) - taken.begin());
}

NodeIndex ArmSlots::free_slot(const Tickets& tickets) {
  const NodeIndex free = canopy::free_slot(tickets, arms_.size());
  if (free == arms_.size()) arms_.emplace_back(arm_size_);
  return free;
}

bool ArmSlots::are_in(const Space& space) const {
  return std::all_of(arms_.begin(), arms_.end(),
                     [&](const std::vector<double>& arm) { return space.contains(arm); });
}

void ArmSlots::transfer(State& state) {
  std::uint64_t slots = arms_.size();
  state(slots);
  if (state.restoring()) arms_.clear();
  for (std::uint64_t i = 0; i < slots; ++i) {
    if (state.restoring()) arms_.emplace_back(arm_size_);
    state(arms_[i]);
    State::require(arms_[i].size() == arm_size_);
  }
}

}  // namespace canopy
