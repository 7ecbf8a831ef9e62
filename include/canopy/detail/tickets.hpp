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

/// The tickets in flight. A worker that answers before it asks again only ever touches `newest_`;
/// older ones wait in a list ordered by number. Room is taken by open tickets alone, however many
/// were given out.
class Tickets {
 public:
  struct Open {
    Ticket number = 0;
    std::uint64_t remaining = 0;  ///< Rewards it is still good for; 0: closed.
    NodeIndex node = 0;

    void transfer(State& state) { state(number, remaining, node); }
  };

  /// Mints a ticket for `length` >= 1 rewards.
  Ticket open(NodeIndex node, std::uint64_t length) {
    if (newest_is_open()) set_aside();
    newest_ = {newest_.number + 1, length, node};
    return newest_.number;
  }

  /// Passes over a number: a ticket with it was never given out from here.
  Ticket skip() {
    if (newest_is_open()) set_aside();
    newest_.remaining = 0;
    return ++newest_.number;
  }

  /// The last ticket minted.
  [[nodiscard]] Ticket newest() const { return newest_.number; }
  [[nodiscard]] bool newest_is_open() const { return newest_.remaining != 0; }
  [[nodiscard]] std::uint64_t newest_remaining() const { return newest_.remaining; }
  [[nodiscard]] NodeIndex newest_node() const { return newest_.node; }

  /// Takes one reward, or all, off the newest ticket, which must be open.
  void use_newest() { --newest_.remaining; }
  void close_newest() { newest_.remaining = 0; }

  /// Mints a ticket for one reward at the node of the newest ticket, which must be closed.
  Ticket open_same() {
    newest_.remaining = 1;
    return ++newest_.number;
  }

  /// The open ticket of that number, or none. Valid until the next open or close.
  [[nodiscard]] Open* find(Ticket number) {
    return number == newest() && newest_is_open() ? &newest_ : find_older(number);
  }

  [[nodiscard]] const Open* find(Ticket number) const {
    return const_cast<Tickets*>(this)->find(number);
  }

  /// Why `find` found none.
  [[nodiscard]] Status absence(Ticket number) const {
    return number == 0 || number > newest_.number ? Status::unknown_ticket : Status::closed_ticket;
  }

  /// Takes rewards off an open ticket and closes it when none remain.
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

  /// Keeps the open tickets that have a place: `place(ticket)` is the node of it from here on, none
  /// for those that are closed.
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

  /// Larger numbers fit no database, and nobody has as many.
  static constexpr Ticket kLast = std::numeric_limits<std::int64_t>::max();

 private:
  void set_aside();
  [[nodiscard]] Open* find_older(Ticket number);
  void forget_older();

  Open newest_;
  std::vector<Open> older_;  // by number; may hold closed ones until they are half of it
  std::size_t closed_older_ = 0;
};

}  // namespace canopy
