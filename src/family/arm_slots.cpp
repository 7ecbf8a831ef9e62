#include "canopy/family/detail/arm_slots.hpp"

#include <algorithm>

namespace canopy {

NodeIndex ArmSlots::free_slot(const Tickets& tickets) {
  taken_.assign(arms_.size() + 1, false);
  tickets.for_each_open([this](const Tickets::Open& ticket) { taken_[ticket.node] = true; });
  const auto free = std::find(taken_.begin(), taken_.end(), false) - taken_.begin();
  if (static_cast<std::size_t>(free) == arms_.size()) arms_.emplace_back(arm_size_);
  return static_cast<NodeIndex>(free);
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
