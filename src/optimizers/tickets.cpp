#include "canopy/detail/tickets.hpp"

#include <algorithm>

namespace canopy {

void Tickets::set_aside() {
  older_.push_back(newest_);
}

Tickets::Open* Tickets::find_older(Ticket number) {
  const auto place =
      std::lower_bound(older_.begin(), older_.end(), number,
                       [](const Open& ticket, Ticket wanted) { return ticket.number < wanted; });
  const bool found = place != older_.end() && place->number == number && place->remaining != 0;
  return found ? &*place : nullptr;
}

void Tickets::forget_older() {
  ++closed_older_;
  if (2 * closed_older_ < older_.size()) return;
  std::erase_if(older_, [](const Open& ticket) { return ticket.remaining == 0; });
  closed_older_ = 0;
}

void Tickets::transfer(State& state) {
  std::erase_if(older_, [](const Open& ticket) { return ticket.remaining == 0; });
  closed_older_ = 0;
  state(newest_, older_);
  for (std::size_t i = 0; i < older_.size(); ++i) {
    const Ticket next = i + 1 < older_.size() ? older_[i + 1].number : newest_.number;
    state.require_restored(older_[i].remaining != 0 && older_[i].number < next);
  }
  state.require_restored(newest_.number <= kLast);
}

}  // namespace canopy
