#include "canopy/turn_optimizer.hpp"

#include <algorithm>
#include <utility>

namespace canopy {

Pull TurnOptimizer::ask(std::uint64_t pulls) {
  if (!running_) {
    choice_ = choose();
    running_ = true;
    unanswered_ = unissued_ = choice_.length;
    const Arm arm = arm_of(choice_.node);
    if (!std::equal(arm.begin(), arm.end(), last_arm_.begin(), last_arm_.end())) {
      last_arm_.assign(arm.begin(), arm.end());
      ++switches_;
    }
  }
  const std::uint64_t length = unissued_ == 0 ? 1 : std::clamp<std::uint64_t>(pulls, 1, unissued_);
  unissued_ -= std::min(unissued_, length);
  return {tickets_.open(choice_.node, length), arm_of(choice_.node), length};
}

void TurnOptimizer::accept(NodeIndex node, const Rewards& mapped) {
  if (!running_ || node != choice_.node) {
    learn(node, mapped);
    return;
  }
  pending_ += mapped;
  unanswered_ -= std::min(unanswered_, mapped.count);
  if (unanswered_ == 0) end_turn();
}

void TurnOptimizer::accept_penalty(NodeIndex node, double mapped) {
  accept(node, Rewards::one(mapped));
  if (running_ && node == choice_.node) end_turn();
}

void TurnOptimizer::end_turn() {
  running_ = false;
  const Rewards told = std::exchange(pending_, {});
  learn(choice_.node, told);
}

void TurnOptimizer::finish() {
  if (pending_.count != 0) end_turn();
}

void TurnOptimizer::transfer(State& state) {
  TicketedOptimizer::transfer(state);
  state(choice_.node, choice_.length, running_, unanswered_, unissued_, pending_, last_arm_,
        switches_);
  state.require_restored(running_ || pending_.count == 0);
}

void TurnOptimizer::require_nodes(const std::function<bool(NodeIndex)>& is_node) const {
  TicketedOptimizer::require_nodes(is_node);
  State::require(!running_ || is_node(choice_.node));
}

Summary TurnOptimizer::summary() const {
  Summary summary = basic_summary();
  summary.switches = switches_;
  return summary;
}

}  // namespace canopy
