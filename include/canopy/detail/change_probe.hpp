#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/rewards.hpp"
#include "canopy/state.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace canopy {

/// One pull in every part of the box, after an alarm: what all arms share is a change of level, and
/// what each arm shows in its own way is a change of f.
class ChangeProbe {
 public:
  /// The rewards of a leaf since the alarm.
  struct Answer {
    NodeIndex leaf = 0;
    Rewards rewards;
    double surprise = 0.0;  ///< r: their mean, less the level in use and f as the model has it
    double variance = 1.0;  ///< V: of that, where nothing has changed

    void transfer(State& state) {
      state(leaf, rewards, surprise, variance);
      state.require_restored(State::are_finite({surprise}) && variance > 0.0);
    }
  };

  /// One pull of each of these leaves, the last of them first.
  void begin(std::vector<NodeIndex> leaves) {
    to_come_ = std::move(leaves);
    is_running_ = !to_come_.empty();
  }

  [[nodiscard]] bool is_running() const { return is_running_; }
  [[nodiscard]] bool is_complete() const { return to_come_.empty() && awaited_.empty(); }
  [[nodiscard]] const std::vector<Answer>& answers() const { return answers_; }

  /// The next leaf to pull, whose rewards are awaited from here on.
  [[nodiscard]] std::optional<NodeIndex> next() {
    if (to_come_.empty()) return std::nullopt;
    const NodeIndex leaf = to_come_.back();
    to_come_.pop_back();
    awaited_.push_back(leaf);
    return leaf;
  }

  [[nodiscard]] bool awaits(NodeIndex leaf) const {
    return std::find(awaited_.begin(), awaited_.end(), leaf) != awaited_.end();
  }
  void take(const Answer& answer) {
    std::erase(awaited_, answer.leaf);
    answers_.push_back(answer);
  }
  /// Gives up leaves of which no rewards will come.
  template <class Is>
  void give_up_if(const Is& is_lost) {
    std::erase_if(awaited_, is_lost);
  }

  /// How many nats better it is explained by a level that has moved by that than by a change of f
  /// of about that size, which each arm has in its own way.
  [[nodiscard]] double proof_of_level(double moved) const;

  void end() { *this = {}; }

  void transfer(State& state) {
    state(is_running_, to_come_, awaited_, answers_);
    state.require_restored(is_running_ || (is_complete() && answers_.empty()));
  }

  /// Whether all leaves are below this number.
  [[nodiscard]] bool is_below(NodeIndex end) const;

 private:
  bool is_running_ = false;
  std::vector<NodeIndex> to_come_;
  std::vector<NodeIndex> awaited_;
  std::vector<Answer> answers_;
};

}  // namespace canopy
