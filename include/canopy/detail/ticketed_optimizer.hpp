#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/detail/reward_map.hpp"
#include "canopy/detail/tickets.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/state.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// What every optimizer here has: tickets, rewards in the user's units, and all forms of telling,
/// which are checked and reduced to one.
class TicketedOptimizer : public Optimizer {
 public:
  TicketedOptimizer& operator=(const TicketedOptimizer&) = delete;
  ~TicketedOptimizer() override = default;

  [[nodiscard]] Status tell(Ticket ticket, double reward) override;
  [[nodiscard]] Status tell(Ticket ticket, std::span<const double> rewards) override;
  [[nodiscard]] Status tell(Ticket ticket, const Rewards& rewards) override;
  [[nodiscard]] Status observe(Arm arm, const Rewards& rewards) final;
  [[nodiscard]] Status drop(Ticket ticket) override;

  [[nodiscard]] std::vector<Pull> in_flight() const final;
  [[nodiscard]] std::string save() final;
  void restore(std::string_view saved) final;

 protected:
  TicketedOptimizer(const TicketedOptimizer&) = default;  // for clone
  TicketedOptimizer(TicketedOptimizer&&) = default;
  TicketedOptimizer& operator=(TicketedOptimizer&&) = default;
  explicit TicketedOptimizer(const Objective& objective) : map_(objective) {}

  /// Learns mapped rewards, told for a ticket of this node. They are taken off the ticket and
  /// counted in t already.
  virtual void accept(NodeIndex node, const Rewards& mapped) = 0;

  /// Learns mapped rewards of an arm of the space that nobody asked for.
  virtual void accept_observed(Arm arm, const Rewards& mapped) = 0;

  /// The arm of a node that has an open ticket.
  [[nodiscard]] virtual Arm arm_of(NodeIndex node) const = 0;

  /// Whether these numbers are an arm.
  [[nodiscard]] virtual bool contains(Arm arm) const = 0;

  /// Saves or restores; every class calls that of its base first.
  virtual void transfer(State& state);

  /// Throws StateError unless every open ticket is for a node below `end`.
  void require_nodes_below(std::uint64_t end) const;

  /// Tells a reward that is mapped already.
  [[nodiscard]] Status tell_mapped(Ticket ticket, double mapped);

  void count(double mapped) {
    ++t_;
    out_of_range_ += RewardMap::out_of_range(mapped) ? 1U : 0U;
  }

  /// What is the same for all: t, what is out of range, in flight, observed.
  [[nodiscard]] Summary basic_summary() const;

  /// A recommendation in the user's units, given mean -+ width in mapped ones.
  [[nodiscard]] Best to_best(Arm arm, double mean, double width, double pulls) const;

  // Two counters that change at every reward are kept apart, or compilers would pack them into one
  // register and lose more time than they gain.
  std::uint64_t t_ = 1;  ///< Index of the next pull.
  RewardMap map_;
  Tickets tickets_;
  std::uint64_t out_of_range_ = 0;
  std::uint64_t observed_ = 0;  ///< Rewards of arms that nobody asked for.

 private:
  void pass_on(Tickets::Open& ticket, const Rewards& mapped);
};

}  // namespace canopy
