#pragma once

#include "canopy/event.hpp"
#include "canopy/state.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace canopy {

/// What clients have been told of tickets: until when they are good, and of which incarnation of
/// the study they are. A reward that is told of a ticket renews its lease.
class TicketLeases {
 public:
  /// Takes in the next entry of the journal.
  void apply(const JournalEntry& entry);

  [[nodiscard]] bool empty() const { return leases_.empty(); }

  /// The tickets whose time is over.
  [[nodiscard]] std::vector<Ticket> expired(double at) const;

  /// Of a ticket; empty if it was not given out with one.
  [[nodiscard]] const std::string& incarnation_of(Ticket ticket) const;
  /// Of the tickets that come next, unless another one begins.
  [[nodiscard]] const std::string& incarnation() const { return incarnation_of(UINT64_MAX); }

  void transfer(State& state) { state(leases_, incarnations_); }

 private:
  struct Lease {
    double seconds = 0.0;
    double until = 0.0;           // seconds since 1970
    std::uint64_t remaining = 0;  // rewards that the ticket is still good for

    void transfer(State& state) { state(seconds, until, remaining); }
  };

  void renew(Ticket ticket, double at, std::uint64_t rewards);

  std::map<Ticket, Lease> leases_;
  std::map<Ticket, std::string> incarnations_;  // from a ticket on; the latest
};

}  // namespace canopy
