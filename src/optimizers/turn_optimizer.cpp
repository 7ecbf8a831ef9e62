#include "canopy/turn_optimizer.hpp"

#include <algorithm>

namespace canopy {

Pull TurnOptimizer::ask(std::uint64_t pulls) {
  if (!running_) {
    choice_ = choose();
    running_ = true;
    unanswered_ = ungranted_ = choice_.length;
    const Arm arm = arm_of(choice_.node);
    if (!std::equal(arm.begin(), arm.end(), last_arm_.begin(), last_arm_.end())) {
      last_arm_.assign(arm.begin(), arm.end());
      ++switches_;
    }
  }
  const std::uint64_t length =
      ungranted_ == 0 ? 1 : std::clamp<std::uint64_t>(pulls, 1, ungranted_);
  ungranted_ -= std::min(ungranted_, length);
  return {tickets_.open(choice_.node, length), arm_of(choice_.node), length, choice_.node,
          depth_of(choice_.node)};
}

void TurnOptimizer::accept(NodeIndex node, std::uint64_t count, double sum) {
  if (!running_ || node != choice_.node) {
    learn(node, static_cast<double>(count), sum);
    return;
  }
  pending_pulls_ += static_cast<double>(count);
  pending_sum_ += sum;
  unanswered_ -= std::min(unanswered_, count);
  if (unanswered_ == 0) end_turn();
}

void TurnOptimizer::end_turn() {
  running_ = false;
  const double pulls = pending_pulls_;
  const double sum = pending_sum_;
  pending_pulls_ = pending_sum_ = 0.0;
  learn(choice_.node, pulls, sum);
}

void TurnOptimizer::finish() {
  if (pending_pulls_ != 0.0) end_turn();
}

void TurnOptimizer::transfer(State& state) {
  TicketedOptimizer::transfer(state);
  state(choice_.node, choice_.length, running_, unanswered_, ungranted_, pending_pulls_,
        pending_sum_, last_arm_, switches_);
}

Summary TurnOptimizer::turn_summary() const {
  return {.t = t_,
          .switches = switches_,
          .out_of_range = out_of_range_,
          .in_flight = tickets_.in_flight()};
}

}  // namespace canopy
