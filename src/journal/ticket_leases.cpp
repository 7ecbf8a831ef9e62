#include "journal/ticket_leases.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace canopy {
namespace {

/// Older incarnations are forgotten; their tickets expired long ago.
constexpr std::size_t kMostIncarnations = 1000;

}  // namespace

const std::string& TicketLeases::incarnation_of(Ticket ticket) const {
  static const std::string none;
  const auto next = incarnations_.upper_bound(ticket);
  return next == incarnations_.begin() ? none : std::prev(next)->second;
}

void TicketLeases::apply(const JournalEntry& entry) {
  std::visit(
      [&]<class Kind>(const Kind& event) {
        if constexpr (std::is_same_v<Kind, Asked>) {
          if (!event.incarnation.empty()) {
            incarnations_[event.ticket] = event.incarnation;
            if (incarnations_.size() > kMostIncarnations)
              incarnations_.erase(incarnations_.begin());
          }
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
