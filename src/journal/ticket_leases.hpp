#pragma once

#include "canopy/event.hpp"
#include "canopy/state.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace canopy {

/// The leases of open tickets, and the incarnation of the study that each ticket was issued under.
/// Telling a reward renews the lease of its ticket.
class TicketLeases {
 public:
  /// Processes the next entry of the journal.
  void apply(const JournalEntry& entry);

  [[nodiscard]] bool empty() const { return leases_.empty(); }

  /// Returns the tickets whose lease has expired.
  [[nodiscard]] std::vector<Ticket> expired(double at) const;

  /// The incarnation that a ticket was issued under; empty if there was none.
  [[nodiscard]] const std::string& incarnation_of(Ticket ticket) const;
  /// The current incarnation.
  [[nodiscard]] const std::string& incarnation() const { return incarnation_of(UINT64_MAX); }

  void transfer(State& state) { state(leases_, incarnations_); }

 private:
  struct Lease {
    double seconds = 0.0;
    double until = 0.0;           // seconds since 1970
    std::uint64_t remaining = 0;  // rewards that may still be told for the ticket

    void transfer(State& state) { state(seconds, until, remaining); }
  };

  void renew(Ticket ticket, double at, std::uint64_t rewards);

  std::map<Ticket, Lease> leases_;
  std::map<Ticket, std::string> incarnations_;  // by the first ticket of each
};

}  // namespace canopy
