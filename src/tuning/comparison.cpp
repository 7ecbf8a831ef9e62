#include "tuning/comparison.hpp"

#include "canopy/random.hpp"

namespace canopy {

Comparison::Comparison(const ComparisonBegun& begun, double level)
    : arm_(begun.arm),
      level_(level),
      pulls_at_most_(begun.pulls),
      visit_(begun.visit),
      seed_(begun.seed) {}

bool Comparison::is_baseline_next() const {
  RandomStream coin({.seed = seed_, .purpose = "confirm", .run = pairs()});
  const bool is_second = pulls_of_pair() >= visit_;
  return coin.coin() != is_second;
}

void Comparison::add(const Compared& pull) {
  (pull.is_baseline ? baseline_sum_ : arm_sum_) += pull.reward;
  ++pulls_;
  if (pulls_of_pair() != 0) return;
  pairs_.add((arm_sum_ - baseline_sum_) / static_cast<double>(visit_));
  arm_sum_ = baseline_sum_ = 0.0;
}

std::optional<bool> Comparison::is_better(Direction direction) const {
  const std::optional<bool> is_above = pairs_.is_above(1.0 - level_);
  if (!is_above) return std::nullopt;
  return *is_above == (direction == Direction::maximize);
}

void Comparison::transfer(State& state) {
  state(arm_, level_, pulls_at_most_, visit_, pulls_, seed_, arm_sum_, baseline_sum_, pairs_);
  state.require_restored(visit_ != 0 && level_ > 0.0 && level_ < 1.0 &&
                         State::are_finite({arm_sum_, baseline_sum_}));
}

}  // namespace canopy
