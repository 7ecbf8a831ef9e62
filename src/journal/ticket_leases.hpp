#pragma once

#include "canopy/event.hpp"
#include "canopy/state.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace canopy {

/// The tickets that were given out for a limited time, and when that ends. A reward that is told of
/// a ticket renews its lease.
class TicketLeases {
 public:
  /// Takes in the next entry of the journal.
  void apply(const JournalEntry& entry);

  [[nodiscard]] bool empty() const { return leases_.empty(); }

  /// The tickets whose time is over.
  [[nodiscard]] std::vector<Ticket> expired(double at) const;

  void transfer(State& state) { state(leases_); }

 private:
  struct Lease {
    double seconds = 0.0;
    double until = 0.0;           // seconds since 1970
    std::uint64_t remaining = 0;  // rewards that the ticket is still good for

    void transfer(State& state) { state(seconds, until, remaining); }
  };

  void renew(Ticket ticket, double at, std::uint64_t rewards);

  std::map<Ticket, Lease> leases_;
};

}  // namespace canopy
