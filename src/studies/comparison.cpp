#include "studies/comparison.hpp"

#include <array>

namespace canopy {
namespace {

constexpr std::array<double, 1> kDifference{0.0};  // the only "arm" of its evidence

/// A coin for each pair, the same whoever tosses it (the finalizer of SplitMix64, by Vigna).
bool coin_of(std::uint64_t pair) {
  std::uint64_t bits = (pair + 1) * 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return ((bits >> 63) & 1U) != 0;
}

}  // namespace

Comparison::Comparison(const ComparisonBegun& begun, double level)
    : arm_(begun.arm), pulls_at_most_(begun.pulls), visit_(begun.visit), differences_(1, level) {}

bool Comparison::is_baseline_next() const {
  const bool is_second = pulls_of_pair() >= visit_;
  return coin_of(pulls_ / (2 * visit_)) != is_second;
}

void Comparison::add(const Compared& pull) {
  (pull.is_baseline ? baseline_sum_ : arm_sum_) += pull.reward;
  ++pulls_;
  if (pulls_of_pair() != 0) return;
  differences_.add(kDifference, (arm_sum_ - baseline_sum_) / static_cast<double>(visit_));
  differences_.absorb();
  arm_sum_ = baseline_sum_ = 0.0;
}

std::optional<ArmEstimate> Comparison::difference() const {
  if (differences_.size() == 0) return std::nullopt;
  return differences_.estimate(0);
}

std::optional<bool> Comparison::is_better(Direction direction) const {
  const std::optional<ArmEstimate> known = difference();
  if (!known) return std::nullopt;
  const double sign = direction == Direction::maximize ? 1.0 : -1.0;
  if (differences_.has_no_noise() && known->mean != 0.0) return sign * known->mean > 0.0;
  if (known->interval.lower > 0.0) return sign > 0.0;
  if (known->interval.upper < 0.0) return sign < 0.0;
  return std::nullopt;
}

void Comparison::transfer(State& state) {
  state(arm_, pulls_at_most_, visit_, pulls_, arm_sum_, baseline_sum_, differences_);
  state.require_restored(visit_ != 0 && State::are_rewards({arm_sum_, baseline_sum_}));
}

}  // namespace canopy
