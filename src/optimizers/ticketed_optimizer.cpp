#include "canopy/detail/ticketed_optimizer.hpp"

#include <utility>

namespace canopy {

void TicketedOptimizer::pass_on(Tickets::Open& ticket, const Rewards& mapped) {
  const NodeIndex node = ticket.node;
  tickets_.use(ticket, mapped.count);
  t_ += mapped.count;
  accept(node, mapped);
}

Status TicketedOptimizer::tell(Ticket ticket, double reward) {
  return tell_mapped(ticket, map_.to_mapped(reward));
}

Status TicketedOptimizer::tell_mapped(Ticket ticket, double mapped) {
  Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return tickets_.absence(ticket);
  if (!RewardMap::usable(mapped)) return Status::not_a_reward;
  out_of_range_ += RewardMap::out_of_range(mapped) ? 1U : 0U;
  pass_on(*open, Rewards::one(mapped));
  return Status::ok;
}

Status TicketedOptimizer::tell(Ticket ticket, std::span<const double> rewards) {
  Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return tickets_.absence(ticket);
  if (rewards.size() > open->remaining) return Status::too_many_rewards;
  if (rewards.empty()) return Status::ok;
  std::vector<double> mapped;
  mapped.reserve(rewards.size());
  std::uint64_t outside = 0;
  for (const double reward : rewards) {
    mapped.push_back(map_.to_mapped(reward));
    if (!RewardMap::usable(mapped.back())) return Status::not_a_reward;
    outside += RewardMap::out_of_range(mapped.back()) ? 1U : 0U;
  }
  out_of_range_ += outside;
  pass_on(*open, Rewards::of(mapped));
  return Status::ok;
}

Status TicketedOptimizer::tell(Ticket ticket, const Rewards& rewards) {
  Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return tickets_.absence(ticket);
  if (rewards.count > open->remaining) return Status::too_many_rewards;
  if (const Status status = check(rewards, map_); status != Status::ok) return status;
  pass_on(*open, map_.to_mapped(rewards));
  return Status::ok;
}

Status TicketedOptimizer::observe(Arm arm, const Rewards& rewards) {
  if (!contains(arm)) return Status::not_an_arm;
  if (const Status status = check(rewards, map_); status != Status::ok) return status;
  observed_ += rewards.count;
  accept_observed(arm, map_.to_mapped(rewards));
  return Status::ok;
}

Status TicketedOptimizer::drop(Ticket ticket) {
  Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return tickets_.absence(ticket);
  tickets_.close(*open);
  return Status::ok;
}

std::vector<Pull> TicketedOptimizer::in_flight() const {
  std::vector<Pull> pulls;
  tickets_.for_each_open([&](const Tickets::Open& ticket) {
    pulls.push_back({ticket.number, arm_of(ticket.node), ticket.remaining});
  });
  return pulls;
}

std::string TicketedOptimizer::save() {
  State state;
  transfer(state);
  return state.text();
}

void TicketedOptimizer::restore(std::string_view saved) {
  State state(saved);
  transfer(state);
  state.end();
}

void TicketedOptimizer::transfer(State& state) {
  state(t_, out_of_range_, observed_, tickets_);
}

void TicketedOptimizer::require_nodes_below(std::uint64_t end) const {
  tickets_.for_each_open([end](const Tickets::Open& ticket) { State::require(ticket.node < end); });
}

Summary TicketedOptimizer::basic_summary() const {
  return {.t = t_,
          .out_of_range = out_of_range_,
          .in_flight = tickets_.in_flight(),
          .observed = observed_};
}

Best TicketedOptimizer::to_best(Arm arm, double mean, double width, double pulls) const {
  double lower = map_.to_user(mean - width);
  double upper = map_.to_user(mean + width);
  if (map_.minimizes()) std::swap(lower, upper);
  return {arm, map_.to_user(mean), lower, upper, static_cast<std::uint64_t>(pulls)};
}

}  // namespace canopy
