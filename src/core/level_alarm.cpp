#include "canopy/level_alarm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace canopy {
namespace {

constexpr double kBet = 0.9;
constexpr double kFires = 100.0;

}  // namespace

void LevelAlarm::add(double reward, double tossed) {
  if (has_fired_) return;
  const auto [first, last] = std::equal_range(rewards_.begin(), rewards_.end(), reward);
  const auto less = static_cast<double>(first - rewards_.begin());
  const auto ties = static_cast<double>(last - first) + 1.0;
  rewards_.insert(last, reward);
  const double rank = 2.0 * (less + tossed * ties) / static_cast<double>(rewards_.size()) - 1.0;
  double evidence = 0.0;
  for (std::size_t i = 0; i < kMemories.size(); ++i) {
    const std::size_t memory = std::min(kMemories.at(i), ranks_.size());
    if (memory != 0) {
      const auto recent = ranks_.end() - static_cast<std::ptrdiff_t>(memory);
      const double sum = std::accumulate(recent, ranks_.end(), 0.0);
      const double expected = std::tanh(sum / std::sqrt(static_cast<double>(memory) / 3.0));
      logs_.at(i) += std::log1p(kBet * expected * rank);
    }
    evidence += std::exp(logs_.at(i)) / static_cast<double>(kMemories.size());
  }
  ranks_.push_back(rank);
  if (ranks_.size() > kMemories.back()) ranks_.erase(ranks_.begin());
  has_fired_ = evidence >= kFires;
}

void LevelAlarm::transfer(State& state) {
  state(rewards_, ranks_, has_fired_);
  for (double& log : logs_) state(log);
  if (!state.restoring()) return;
  State::require(std::is_sorted(rewards_.begin(), rewards_.end()) &&
                 ranks_.size() <= kMemories.back());
  for (const double value : logs_) State::require(State::are_finite({value}));
  for (const double value : ranks_) State::require(std::abs(value) <= 1.0);
}

}  // namespace canopy
