#include "journal/ticket_leases.hpp"

#include <algorithm>
#include <type_traits>

namespace canopy {

void TicketLeases::apply(const JournalEntry& entry) {
  std::visit(
      [&]<class Kind>(const Kind& event) {
        if constexpr (std::is_same_v<Kind, Asked>) {
          if (event.lease > 0.0) {
            leases_[event.ticket] = {event.lease, entry.at + event.lease, event.length};
          }
        } else if constexpr (std::is_same_v<Kind, Dropped> || std::is_same_v<Kind, Penalized>) {
          leases_.erase(event.ticket);
        } else if constexpr (std::is_same_v<Kind, Told>) {
          renew(event.ticket, entry.at, count_of(event.rewards));
        }
      },
      entry.event);
}

void TicketLeases::renew(Ticket ticket, double at, std::uint64_t rewards) {
  const auto found = leases_.find(ticket);
  if (found == leases_.end()) return;
  Lease& lease = found->second;
  lease.remaining -= std::min(lease.remaining, rewards);
  lease.until = at + lease.seconds;
  if (lease.remaining == 0) leases_.erase(found);
}

std::vector<Ticket> TicketLeases::expired(double at) const {
  std::vector<Ticket> tickets;
  for (const auto& [ticket, lease] : leases_) {
    if (lease.until <= at) tickets.push_back(ticket);
  }
  return tickets;
}

}  // namespace canopy
