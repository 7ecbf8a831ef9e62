#include "tuning/comparison.hpp"

#include "canopy/random.hpp"

#include <cmath>
#include <limits>

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
  (pull.is_baseline ? baseline_sum_ : arm_sum_) += pull.reward - pull.effect;
  ++pulls_;
  if (pulls_of_pair() != 0) return;
  pairs_.add((arm_sum_ - baseline_sum_) / static_cast<double>(visit_));
  baseline_mean_ += (baseline_sum_ / static_cast<double>(visit_) - baseline_mean_) /
                    static_cast<double>(pairs_.count());
  arm_sum_ = baseline_sum_ = 0.0;
}

void Comparison::add(const Metrics& metrics) {
  for (const auto& [name, value] : metrics) metrics_[name].add(value);
}

std::optional<LimitCheck> Comparison::check(const Limit& limit) const {
  const auto found = metrics_.find(limit.metric);
  if (found == metrics_.end()) return std::nullopt;
  const Moments& known = found->second;
  const double room = limit.room(known.mean);
  const double deviation = known.count < 2.0 ? 0.0 : std::sqrt(known.variance() / known.count);
  const double always = std::copysign(std::numeric_limits<double>::infinity(), room);
  return check_of(limit, known.mean, deviation > 0.0 ? room / deviation : always, 0.0,
                  static_cast<std::uint64_t>(known.count));
}

std::optional<bool> Comparison::is_better(Direction direction) const {
  const std::optional<bool> is_above = pairs_.is_above(1.0 - level_);
  if (!is_above) return std::nullopt;
  return *is_above == (direction == Direction::maximize);
}

void Comparison::transfer(State& state) {
  state(arm_, level_, pulls_at_most_, visit_, pulls_, seed_, arm_sum_, baseline_sum_,
        baseline_mean_, pairs_, metrics_);
  state.require_restored(visit_ != 0 && level_ > 0.0 && level_ < 1.0 &&
                         State::are_finite({arm_sum_, baseline_sum_, baseline_mean_}));
}

}  // namespace canopy
