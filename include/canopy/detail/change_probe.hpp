#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/rewards.hpp"
#include "canopy/state.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace canopy {

/// After an alarm, pulls every part of the box once: a deviation that all arms share is a change of
/// level; deviations that differ between arms are a change of f.
class ChangeProbe {
 public:
  /// The rewards of a leaf since the alarm.
  struct Reading {
    NodeIndex leaf = 0;
    Rewards rewards;
    double surprise = 0.0;  ///< r: their mean, less the level in use and the model's f
    double variance = 1.0;  ///< V: variance of r if nothing has changed

    void transfer(State& state) {
      state(leaf, rewards, surprise, variance);
      state.require_restored(State::are_finite({surprise}) && variance > 0.0);
    }
  };

  /// Starts with one pull of each of these leaves, the last of them first.
  void begin(std::vector<NodeIndex> leaves) {
    to_come_ = std::move(leaves);
    is_running_ = !to_come_.empty();
  }

  [[nodiscard]] bool is_running() const { return is_running_; }
  [[nodiscard]] bool is_complete() const { return to_come_.empty() && awaited_.empty(); }
  [[nodiscard]] const std::vector<Reading>& readings() const { return readings_; }

  /// Returns the next leaf to pull; its rewards are awaited from now on.
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
  void take(const Reading& reading) {
    std::erase(awaited_, reading.leaf);
    readings_.push_back(reading);
  }
  /// Stops waiting for leaves whose rewards will not come.
  template <class Is>
  void give_up_if(const Is& is_lost) {
    std::erase_if(awaited_, is_lost);
  }

  /// Evidence, in nats, for a change of level by `moved`, as opposed to a change of f of about that
  /// size that differs between arms.
  [[nodiscard]] double proof_of_level(double moved) const;

  void end() { *this = {}; }

  void transfer(State& state) {
    state(is_running_, to_come_, awaited_, readings_);
    state.require_restored(is_running_ || (is_complete() && readings_.empty()));
  }

  /// Whether the indices of all leaves are below this number.
  [[nodiscard]] bool is_below(NodeIndex end) const;

 private:
  bool is_running_ = false;
  std::vector<NodeIndex> to_come_;
  std::vector<NodeIndex> awaited_;
  std::vector<Reading> readings_;
};

}  // namespace canopy
