#pragma once

#include "canopy/detail/ticketed_optimizer.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace canopy {

/// For algorithms that go turn by turn: choose an arm, play it a number of times, learn from these
/// rewards, choose again. The base class for an algorithm of your own: say which arm to play,
/// and learn. Several pulls in flight work as they do for HCT: until the turn is over every ask
/// returns its arm, beyond its length if necessary, and later answers are learnt on their own.
class TurnOptimizer : public TicketedOptimizer {
 public:
  Pull ask(std::uint64_t pulls = UINT64_MAX) final;
  void finish() final;
  [[nodiscard]] Summary summary() const override;

 protected:
  using TicketedOptimizer::TicketedOptimizer;

  struct Choice {
    NodeIndex node = 0;  ///< Whatever number the algorithm knows the arm by. While a ticket with it
                         ///< is open, it may mean nothing else, and the arm must stay as it is.
    std::uint64_t length = 1;
  };

  [[nodiscard]] virtual Choice choose() = 0;

  /// Learns the rewards of a turn, or of answers that came after it, in mapped units.
  virtual void learn(NodeIndex node, const Rewards& mapped) = 0;

  /// An arm that fails is left at once, whatever is left of its turn.
  void accept_penalty(NodeIndex node, double mapped) override;

  void transfer(State& state) override;
  /// The arm of the turn is for one as well.
  void require_nodes(const std::function<bool(NodeIndex)>& is_node) const final;

 private:
  void accept(NodeIndex node, const Rewards& mapped) final;
  void end_turn();

  Choice choice_;
  bool running_ = false;
  std::uint64_t unanswered_ = 0;  // rewards until the end of the turn
  std::uint64_t unissued_ = 0;    // of which this many have no ticket yet
  Rewards pending_;               // told in this turn, learnt at its end
  std::vector<double> last_arm_;
  std::uint64_t switches_ = 0;
};

}  // namespace canopy
