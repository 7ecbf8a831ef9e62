#include "canopy/detail/tickets.hpp"

#include "canopy/random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

TEST(Tickets, AreNumberedFromOne) {
  Tickets tickets;
  EXPECT_EQ(tickets.newest(), 0U);
  EXPECT_FALSE(tickets.newest_is_open());
  EXPECT_EQ(tickets.open(5, 1), 1U);
  EXPECT_EQ(tickets.open(5, 1), 2U);
  EXPECT_EQ(tickets.newest(), 2U);
  EXPECT_TRUE(tickets.newest_is_open());
}

TEST(Tickets, NumbersAreNeverUsedAgain) {
  Tickets tickets;
  tickets.open(5, 1);
  tickets.use_newest();
  EXPECT_EQ(tickets.open(6, 1), 2U);
  tickets.use_newest();
  EXPECT_EQ(tickets.open_same(), 3U);
  EXPECT_EQ(tickets.newest(), 3U);
}

TEST(Tickets, KnowTheirNodeAndWhatRemains) {
  Tickets tickets;
  const Ticket first = tickets.open(5, 3);
  const Ticket second = tickets.open(9, 7);
  ASSERT_NE(tickets.find(first), nullptr);
  EXPECT_EQ(tickets.find(first)->number, first);
  EXPECT_EQ(tickets.find(first)->node, 5U);
  EXPECT_EQ(tickets.find(first)->remaining, 3U);
  ASSERT_NE(tickets.find(second), nullptr);
  EXPECT_EQ(tickets.find(second)->node, 9U);
  tickets.use(*tickets.find(second), 2);
  tickets.use(*tickets.find(first), 1);
  EXPECT_EQ(tickets.find(second)->remaining, 5U);
  EXPECT_EQ(tickets.find(first)->remaining, 2U);
}

TEST(Tickets, CloseWhenTheLastRewardIsTaken) {
  Tickets tickets;
  const Ticket older = tickets.open(5, 2);
  const Ticket newest = tickets.open(6, 2);
  tickets.use(*tickets.find(older), 2);
  tickets.use_newest();
  EXPECT_EQ(tickets.find(older), nullptr);
  EXPECT_NE(tickets.find(newest), nullptr);
  tickets.use_newest();
  EXPECT_EQ(tickets.find(newest), nullptr);
  EXPECT_FALSE(tickets.newest_is_open());
}

TEST(Tickets, OpenSameIsForOneRewardAtTheSameNode) {
  Tickets tickets;
  tickets.open(8, 4);
  tickets.use(*tickets.find(1), 4);
  const Ticket again = tickets.open_same();
  ASSERT_NE(tickets.find(again), nullptr);
  EXPECT_EQ(tickets.find(again)->node, 8U);
  EXPECT_EQ(tickets.find(again)->remaining, 1U);
  EXPECT_EQ(tickets.find(1), nullptr);
}

TEST(Tickets, InFlightCountsTheOpenOnes) {
  Tickets tickets;
  EXPECT_EQ(tickets.in_flight(), 0U);
  tickets.open(1, 1);
  tickets.open(1, 3);
  tickets.open(1, 1);
  EXPECT_EQ(tickets.in_flight(), 3U);
  tickets.use(*tickets.find(2), 2);
  EXPECT_EQ(tickets.in_flight(), 3U) << "one reward remains";
  tickets.use(*tickets.find(2), 1);
  EXPECT_EQ(tickets.in_flight(), 2U);
  tickets.use_newest();
  EXPECT_EQ(tickets.in_flight(), 1U);
  tickets.open_same();
  EXPECT_EQ(tickets.in_flight(), 2U);
}

TEST(Tickets, AbsenceTellsTheClosedFromTheUnknown) {
  Tickets tickets;
  EXPECT_EQ(tickets.absence(0), Status::unknown_ticket);
  EXPECT_EQ(tickets.absence(1), Status::unknown_ticket);
  tickets.open(1, 1);
  tickets.use_newest();
  tickets.open(1, 1);
  EXPECT_EQ(tickets.find(0), nullptr);
  EXPECT_EQ(tickets.absence(0), Status::unknown_ticket);
  EXPECT_EQ(tickets.absence(1), Status::closed_ticket);
  EXPECT_EQ(tickets.find(3), nullptr);
  EXPECT_EQ(tickets.absence(3), Status::unknown_ticket);
  EXPECT_EQ(tickets.absence(UINT64_MAX), Status::unknown_ticket);
}

TEST(Tickets, MayBeForTheLargestNumberOfRewards) {
  Tickets tickets;
  const Ticket ticket = tickets.open(1, UINT64_MAX);
  tickets.use_newest();
  EXPECT_EQ(tickets.find(ticket)->remaining, UINT64_MAX - 1);
}

/// Opens, uses and drops tickets at random, and does the same with a simple map.
class BesideAMap {
 public:
  BesideAMap(std::uint64_t seed, double eagerness) : random_({.seed = seed}), eager_(eagerness) {}

  void step() {
    const double what = random_.uniform();
    if (model_.empty() || what < eager_) {
      open();
    } else if (what < eager_ + 0.1 && tickets_.newest_is_open()) {
      use_newest();
    } else if (what < eager_ + 0.3) {
      take(pick(), true);
    } else {
      take(pick(), false);
    }
  }

  void check() {
    RC_ASSERT(tickets_.in_flight() == model_.size());
    RC_ASSERT(tickets_.newest() == last_);
    for (Ticket number = 0; number <= last_ + 2; ++number) {
      const auto expected = model_.find(number);
      const Tickets::Open* found = tickets_.find(number);
      RC_ASSERT((found != nullptr) == (expected != model_.end()));
      if (found != nullptr) {
        RC_ASSERT(found->number == number);
        RC_ASSERT(found->node == expected->second.node);
        RC_ASSERT(found->remaining == expected->second.remaining);
      } else {
        const bool given_out = number >= 1 && number <= last_;
        const Status reason = given_out ? Status::closed_ticket : Status::unknown_ticket;
        RC_ASSERT(tickets_.absence(number) == reason);
      }
    }
    RC_ASSERT(room() <= 2 * model_.size());
  }

  [[nodiscard]] std::size_t most_open() const { return most_open_; }

 private:
  void open() {
    const bool same = last_ != 0 && !tickets_.newest_is_open() && random_.uniform() < 0.5;
    const std::uint64_t length = same ? 1 : 1 + random_() % 4;
    const auto node = same ? last_node_ : static_cast<NodeIndex>(random_() % 1000);
    const Ticket number = same ? tickets_.open_same() : tickets_.open(node, length);
    RC_ASSERT(number == ++last_);
    model_[number] = {number, length, node};
    last_node_ = node;
    most_open_ = std::max(most_open_, model_.size());
  }

  void use_newest() {
    tickets_.use_newest();
    if (--model_.at(last_).remaining == 0) model_.erase(last_);
  }

  void take(Ticket number, bool all) {
    const std::uint64_t remaining = model_.at(number).remaining;
    const std::uint64_t rewards = all ? remaining : 1 + random_() % remaining;
    Tickets::Open* found = tickets_.find(number);
    RC_ASSERT(found != nullptr);
    tickets_.use(*found, rewards);
    if ((model_.at(number).remaining -= rewards) == 0) model_.erase(number);
  }

  Ticket pick() {
    auto open = model_.begin();
    std::advance(open, static_cast<std::ptrdiff_t>(random_() % model_.size()));
    return open->first;
  }

  /// The number of list entries from the first to the last older open ticket, including closed ones
  /// in between; `find` points into the list.
  std::size_t room() {
    std::vector<const Tickets::Open*> older;
    for (const auto& [number, open] : model_) {
      if (number != last_) older.push_back(tickets_.find(number));
    }
    return older.empty() ? 0 : static_cast<std::size_t>(older.back() - older.front()) + 1;
  }

  Tickets tickets_;
  std::map<Ticket, Tickets::Open> model_;
  RandomStream random_;
  double eager_;
  Ticket last_ = 0;
  NodeIndex last_node_ = 0;
  std::size_t most_open_ = 0;
};

RC_GTEST_PROP(Tickets, BehaveAsAMapOfOpenTickets, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double eagerness = *rc::gen::element(0.2, 0.4, 0.6);
  const int steps = *rc::gen::inRange(1, 300);
  RC_LOG() << "seed " << seed << " eagerness " << eagerness << " steps " << steps;
  BesideAMap both(seed, eagerness);
  for (int i = 0; i < steps; ++i) {
    both.step();
    both.check();
  }
  RC_CLASSIFY(both.most_open() > 20, "more than twenty open at once");
}

TEST(Tickets, CanBeMovedToOtherNodes) {
  Tickets tickets;
  for (NodeIndex node = 1; node <= 4; ++node) tickets.open(node, node);
  tickets.keep([](const Tickets::Open& ticket) {
    return ticket.number % 2 == 0 ? std::optional<NodeIndex>(10 + ticket.node) : std::nullopt;
  });
  EXPECT_EQ(tickets.in_flight(), 2U);
  EXPECT_EQ(tickets.find(1), nullptr);
  EXPECT_EQ(tickets.absence(3), Status::closed_ticket);
  ASSERT_NE(tickets.find(2), nullptr);
  EXPECT_EQ(tickets.find(2)->node, 12U);
  EXPECT_EQ(tickets.find(2)->remaining, 2U);
  EXPECT_EQ(tickets.find(4)->node, 14U);
  EXPECT_EQ(tickets.open(1, 1), 5U);
}

TEST(Tickets, OnlyOpenOnesTakeMemory) {
  // Two stay open, and a hundred thousand tickets between them are closed.
  Tickets tickets;
  const Ticket first = tickets.open(1, 1);
  for (int i = 0; i < 50'000; ++i) {
    const Ticket passing = tickets.open(2, 1);
    tickets.open(3, 1);  // moves the newest ticket to the list
    tickets.use(*tickets.find(passing), 1);
    tickets.use_newest();
  }
  const Ticket last = tickets.open(4, 1);
  tickets.open(5, 1);
  EXPECT_EQ(tickets.in_flight(), 3U);
  EXPECT_LE(tickets.find(last) - tickets.find(first), 3) << "places between them";
}

}  // namespace
}  // namespace canopy
