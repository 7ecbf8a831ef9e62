#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/state.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace canopy {

/// The tickets in flight. A worker that tells before it asks again uses only `newest_`; older
/// tickets are in a list ordered by number. Memory is proportional to the number of open tickets,
/// not of issued tickets.
class Tickets {
 public:
  struct Open {
    Ticket number = 0;
    std::uint64_t remaining = 0;  ///< Rewards that may still be told; 0: closed.
    NodeIndex node = 0;

    void transfer(State& state) { state(number, remaining, node); }
  };

  /// Issues a ticket for `length` >= 1 rewards.
  Ticket open(NodeIndex node, std::uint64_t length) {
    if (newest_is_open()) set_aside();
    newest_ = {newest_.number + 1, length, node};
    return newest_.number;
  }

  /// Skips a number: no ticket has it.
  Ticket skip() {
    if (newest_is_open()) set_aside();
    newest_.remaining = 0;
    return ++newest_.number;
  }

  /// The last ticket issued.
  [[nodiscard]] Ticket newest() const { return newest_.number; }
  [[nodiscard]] bool newest_is_open() const { return newest_.remaining != 0; }
  [[nodiscard]] std::uint64_t newest_remaining() const { return newest_.remaining; }
  [[nodiscard]] NodeIndex newest_node() const { return newest_.node; }

  /// Subtracts one reward, or all, from the newest ticket, which must be open.
  void use_newest() { --newest_.remaining; }
  void close_newest() { newest_.remaining = 0; }

  /// Issues a ticket for one reward at the node of the newest ticket, which must be closed.
  Ticket open_same() {
    newest_.remaining = 1;
    return ++newest_.number;
  }

  /// The open ticket with that number, or null. Valid until the next open or close.
  [[nodiscard]] Open* find(Ticket number) {
    return number == newest() && newest_is_open() ? &newest_ : find_older(number);
  }

  [[nodiscard]] const Open* find(Ticket number) const {
    return const_cast<Tickets*>(this)->find(number);
  }

  /// The reason why `find` returned null.
  [[nodiscard]] Status absence(Ticket number) const {
    return number == 0 || number > newest_.number ? Status::unknown_ticket : Status::closed_ticket;
  }

  /// Subtracts rewards from an open ticket and closes it when none remain.
  void use(Open& ticket, std::uint64_t rewards) {
    ticket.remaining -= rewards;
    if (ticket.remaining == 0 && &ticket != &newest_) forget_older();
  }
  void close(Open& ticket) { use(ticket, ticket.remaining); }

  template <class Visit>
  void for_each_open(Visit&& visit) const {
    for (const Open& ticket : older_) {
      if (ticket.remaining != 0) visit(ticket);
    }
    if (newest_is_open()) visit(newest_);
  }

  [[nodiscard]] std::uint64_t in_flight() const {
    return older_.size() - closed_older_ + (newest_is_open() ? 1 : 0);
  }

  /// Moves the open tickets: `place(ticket)` is the new node, or none to close the ticket.
  template <class Place>
  void keep(const Place& place) {
    std::vector<Open> older;
    const auto keep_one = [&](Open& ticket) {
      if (const std::optional<NodeIndex> node = place(std::as_const(ticket))) {
        ticket.node = *node;
      } else {
        ticket.remaining = 0;
      }
    };
    for (Open& ticket : older_) {
      if (ticket.remaining == 0) continue;
      keep_one(ticket);
      if (ticket.remaining != 0) older.push_back(ticket);
    }
    if (newest_is_open()) keep_one(newest_);
    older_ = std::move(older);
    closed_older_ = 0;
  }

  void transfer(State& state);

  /// Larger numbers do not fit a database's 64-bit integers.
  static constexpr Ticket kLast = std::numeric_limits<std::int64_t>::max();

 private:
  void set_aside();
  [[nodiscard]] Open* find_older(Ticket number);
  void forget_older();

  Open newest_;
  std::vector<Open> older_;  // ordered by number; up to half may be closed
  std::size_t closed_older_ = 0;
};

}  // namespace canopy
