#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/reward_map.hpp"
#include "canopy/state.hpp"
#include "canopy/tickets.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// What every optimizer here has: tickets, rewards in the user's units, and three ways of telling
/// that are checked and then are one.
class TicketedOptimizer : public Optimizer {
 public:
  TicketedOptimizer(const TicketedOptimizer&) = delete;
  TicketedOptimizer& operator=(const TicketedOptimizer&) = delete;
  ~TicketedOptimizer() override = default;

  Status tell(Ticket ticket, double reward) override;
  Status tell(Ticket ticket, std::span<const double> rewards) override;
  Status tell(Ticket ticket, const Rewards& rewards) override;
  Status drop(Ticket ticket) override;

  [[nodiscard]] std::vector<Pull> in_flight() const final;
  [[nodiscard]] std::string save() final;
  void restore(std::string_view saved) final;

 protected:
  TicketedOptimizer(TicketedOptimizer&&) = default;
  TicketedOptimizer& operator=(TicketedOptimizer&&) = default;
  explicit TicketedOptimizer(const Objective& objective) : map_(objective) {}

  /// Learns so many mapped rewards with this sum, told for a ticket of this node. They are taken
  /// off the ticket and counted in t already.
  virtual void accept(NodeIndex node, std::uint64_t count, double sum) = 0;

  /// The arm of a node that has an open ticket, and its depth.
  [[nodiscard]] virtual Arm arm_of(NodeIndex node) const = 0;
  [[nodiscard]] virtual std::uint32_t depth_of(NodeIndex node) const = 0;

  /// Saves or restores; every class calls that of its base first.
  virtual void transfer(State& state);

  /// Throws StateError unless every open ticket is for a node below `end`.
  void require_nodes_below(std::uint64_t end) const;

  /// Tells a reward that is mapped already.
  Status tell_mapped(Ticket ticket, double mapped);

  void count(double mapped) {
    ++t_;
    out_of_range_ += RewardMap::out_of_range(mapped) ? 1U : 0U;
  }

  /// A recommendation in the user's units, given mean -+ width in mapped ones.
  [[nodiscard]] Best to_best(Arm arm, double mean, double width, double pulls) const;

  // Two counters that change at every reward stand apart, or compilers would pack them into one
  // register and lose more time than they gain.
  std::uint64_t t_ = 1;  ///< Index of the next pull.
  RewardMap map_;
  Tickets tickets_;
  std::uint64_t out_of_range_ = 0;

 private:
  void pass_on(Tickets::Open& ticket, std::uint64_t count, double sum);
};

}  // namespace canopy
