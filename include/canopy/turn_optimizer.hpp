#pragma once

#include "canopy/ticketed_optimizer.hpp"

#include <cstdint>
#include <vector>

namespace canopy {

/// For algorithms that go turn by turn: choose an arm, play it a number of times, learn from these
/// rewards, choose again. Several pulls in flight work as they do for HCT: until the turn is over
/// every ask gives its arm, beyond its length if need be, and answers that come later are learnt on
/// their own.
class TurnOptimizer : public TicketedOptimizer {
 public:
  Pull ask(std::uint64_t pulls = UINT64_MAX) final;
  void finish() final;

 protected:
  using TicketedOptimizer::TicketedOptimizer;

  struct Choice {
    NodeIndex node = 0;  ///< Whatever number the algorithm knows the arm by. While a ticket with it
                         ///< is open, it may mean nothing else, and the arm must stay as it is.
    std::uint64_t length = 1;
  };

  [[nodiscard]] virtual Choice choose() = 0;

  /// Learns the rewards of a turn, or of answers that came after it.
  virtual void learn(NodeIndex node, double pulls, double sum) = 0;

  void transfer(State& state) override;

  /// t, switches, what is out of range and in flight; algorithms with a tree add to it.
  [[nodiscard]] Summary turn_summary() const;

 private:
  void accept(NodeIndex node, std::uint64_t count, double sum) final;
  void end_turn();

  Choice choice_;
  bool running_ = false;
  std::uint64_t unanswered_ = 0;  // rewards until the end of the turn
  std::uint64_t ungranted_ = 0;   // of which no ticket has been given for so many
  double pending_pulls_ = 0.0;    // told in this turn, learnt at its end
  double pending_sum_ = 0.0;
  std::vector<double> last_arm_;
  std::uint64_t switches_ = 0;
};

}  // namespace canopy
