#pragma once

#include "canopy/detail/ticketed_optimizer.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace canopy {

/// Base class for algorithms that proceed in turns: choose an arm, play it a number of times, learn
/// from these rewards, choose again. To add an algorithm, derive from it and implement the choice
/// of an arm, and learning. Several pulls in flight work as in HCT: until the turn is over, every
/// ask returns its arm, beyond its length if necessary, and later rewards are learnt separately.
class TurnOptimizer : public TicketedOptimizer {
 public:
  Pull ask(std::uint64_t pulls = UINT64_MAX) final;
  void finish() final;
  [[nodiscard]] Summary summary() const override;

 protected:
  using TicketedOptimizer::TicketedOptimizer;

  struct Choice {
    NodeIndex node = 0;  ///< The algorithm's number for the arm. While a ticket with this number
                         ///< is open, the number must not be reused, and the arm must not change.
    std::uint64_t length = 1;
  };

  [[nodiscard]] virtual Choice choose() = 0;

  /// Learns the rewards of a turn, or rewards told after it, in mapped units.
  virtual void learn(NodeIndex node, const Rewards& mapped) = 0;

  /// A failure ends the turn of its arm.
  void accept_penalty(NodeIndex node, double mapped) override;

  void transfer(State& state) override;
  /// Also checks the node of the current turn.
  void require_nodes(const std::function<bool(NodeIndex)>& is_node) const final;

 private:
  void accept(NodeIndex node, const Rewards& mapped) final;
  void end_turn();

  Choice choice_;
  bool running_ = false;
  std::uint64_t unanswered_ = 0;  // rewards missing until the end of the turn
  std::uint64_t unissued_ = 0;    // missing rewards without a ticket yet
  Rewards pending_;               // rewards of this turn, learnt at its end
  std::vector<double> last_arm_;
  std::uint64_t switches_ = 0;
};

}  // namespace canopy
