#include "tuning/claims.hpp"

#include "canopy/pairs.hpp"

#include "tuning/limits.hpp"

namespace canopy {
namespace {

/// With the numbers of a comparison.
Uplift as_compared(Uplift uplift, const Verdict& verdict, double level) {
  uplift.difference = verdict.difference;
  uplift.interval = verdict.interval;
  uplift.pairs = verdict.pairs;
  uplift.fewest = Pairs::fewest(1.0 - level);
  return uplift;
}

bool refutes(const std::optional<Verdict>& verdict, const std::vector<double>& arm) {
  return verdict && verdict->refuted && verdict->arm == arm;
}

}  // namespace

std::optional<Uplift> proven_uplift(const Optimizer& optimizer, const TunerState& tuner) {
  for (Uplift& uplift : optimizer.proven()) {
    if (!refutes(tuner.verdict(), uplift.arm)) return std::move(uplift);
  }
  return std::nullopt;
}

std::optional<Uplift> strongest_uplift(const Optimizer& optimizer,
                                       const StudySpecification& specification,
                                       const TunerState& tuner) {
  const std::optional<Verdict>& verdict = tuner.verdict();
  const double level = specification.objective.confidence;
  std::optional<Uplift> known = optimizer.uplift();
  if (verdict && verdict->confirmed && may_keep_limits(optimizer, verdict->arm)) {
    const std::optional<Best> best = optimizer.best();
    // Without pairs while the search ran, all that is known of the baseline is from the comparison.
    Uplift uplift = known.value_or(Uplift{.level = level, .baseline_mean = verdict->baseline_mean});
    uplift.arm = verdict->arm;
    uplift.is_best = best && best->arm == verdict->arm;
    uplift.best_is_baseline = best && specification.is_baseline(best->arm);
    uplift.is_confirmed = true;
    uplift.verdict = Uplift::Verdict::better;
    return as_compared(std::move(uplift), *verdict, level);
  }
  if (std::optional<Uplift> proven = proven_uplift(optimizer, tuner)) return proven;
  if (!known || !refutes(verdict, known->arm)) return known;
  known->is_refuted = true;
  known->verdict = verdict->is_worse ? Uplift::Verdict::worse : Uplift::Verdict::open;
  return verdict->is_worse ? as_compared(std::move(*known), *verdict, level) : known;
}

}  // namespace canopy
