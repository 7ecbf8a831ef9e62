#include "tuning/comparison.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {
namespace {

/// A coin for each pair, the same whoever tosses it (the finalizer of SplitMix64, by Vigna).
bool coin_of(std::uint64_t pair) {
  std::uint64_t bits = (pair + 1) * 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return ((bits >> 63) & 1U) != 0;
}

}  // namespace

std::uint64_t Comparison::visit_of(const StudySpecification& study) {
  const SystemOptions& options = study.system->options;
  return std::max({std::uint64_t{1}, options.warmup_pulls, settle_of(study.optimizer),
                   options.min_pulls_per_change});
}

Comparison::Comparison(const ComparisonBegun& begun, double level)
    : arm_(begun.arm), level_(level), pulls_at_most_(begun.pulls), visit_(begun.visit) {}

bool Comparison::is_baseline_next() const {
  const bool is_second = pulls_of_pair() >= visit_;
  return coin_of(pulls_ / (2 * visit_)) != is_second;
}

void Comparison::add(const Compared& pull) {
  (pull.is_baseline ? baseline_sum_ : arm_sum_) += pull.reward;
  ++pulls_;
  if (pulls_of_pair() != 0) return;
  differences_.add((arm_sum_ - baseline_sum_) / static_cast<double>(visit_));
  arm_sum_ = baseline_sum_ = 0.0;
}

Interval Comparison::interval() const {
  if (pairs() < kFewestPairs || differences_.squared_deviations == 0.0) return {};
  const double half = std::sqrt(differences_.variance()) *
                      sequence_width(differences_.count, arm_alpha(level_, 1.0));
  return {differences_.mean - half, differences_.mean + half};
}

std::optional<bool> Comparison::is_better(Direction direction) const {
  if (pairs() < kFewestPairs || differences_.mean == 0.0) return std::nullopt;
  const bool is_more = differences_.mean > 0.0;
  const Interval known = interval();
  const bool is_certain =
      differences_.squared_deviations == 0.0 || known.lower > 0.0 || known.upper < 0.0;
  if (!is_certain) return std::nullopt;
  return is_more == (direction == Direction::maximize);
}

void Comparison::transfer(State& state) {
  state(arm_, level_, pulls_at_most_, visit_, pulls_, arm_sum_, baseline_sum_, differences_.count,
        differences_.mean, differences_.squared_deviations);
  state.require_restored(visit_ != 0 && level_ > 0.0 && level_ < 1.0 &&
                         State::are_finite({arm_sum_, baseline_sum_, differences_.mean}) &&
                         State::are_sizes({differences_.count, differences_.squared_deviations}));
}

}  // namespace canopy
