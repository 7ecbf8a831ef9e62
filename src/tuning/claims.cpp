#include "tuning/claims.hpp"

#include "canopy/pairs.hpp"

#include "tuning/limits.hpp"

namespace canopy {
namespace {

/// Replaces the numbers by those of a comparison.
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

/// Whether another arm has a better mean than the best one.
bool has_better_mean(const Optimizer& optimizer, const StudySpecification& specification,
                     const std::vector<double>& arm, const std::optional<Best>& best) {
  if (!best || best->arm == arm) return false;
  const std::optional<ArmEstimate> own = optimizer.estimate(arm);
  const std::optional<ArmEstimate> of_best = optimizer.estimate(best->arm);
  if (!own || !of_best) return false;
  const double gain = own->mean - of_best->mean;
  return specification.objective.direction == Direction::maximize ? gain > 0.0 : gain < 0.0;
}

/// Sets what is known about the best arm; the result of the last comparison takes precedence over
/// the pairs of the search.
Uplift with_result_for_best(Uplift uplift, const Optimizer& optimizer,
                            const std::optional<Verdict>& verdict) {
  const std::optional<Best> best = optimizer.best();
  if (uplift.is_best || !best || !refutes(verdict, best->arm)) return uplift;
  uplift.best_is_refuted = true;
  uplift.best_pairs = verdict->pairs;
  uplift.best_verdict = verdict->is_worse ? Uplift::Verdict::worse : Uplift::Verdict::open;
  return uplift;
}

/// The strongest claim about the policy, which is compared as a whole.
std::optional<Uplift> strongest_of_policy(const Optimizer& optimizer,
                                          const std::optional<Verdict>& verdict, double level) {
  std::optional<Uplift> known = optimizer.uplift();
  if (!verdict || !verdict->is_of_policy()) return known;
  const bool is_proven = known && known->verdict == Uplift::Verdict::better;
  if (!verdict->confirmed && is_proven && verdict->has_learnt_since) return known;
  Uplift uplift =
      known.value_or(Uplift{.confidence = level, .baseline_mean = verdict->baseline_mean});
  uplift.policy_of.reset();
  uplift.is_best = !verdict->has_learnt_since;
  uplift.is_confirmed = verdict->confirmed;
  uplift.is_refuted = verdict->refuted;
  uplift.verdict = verdict->confirmed                            ? Uplift::Verdict::better
                   : verdict->is_worse                           ? Uplift::Verdict::worse
                   : verdict->pairs < Pairs::fewest(1.0 - level) ? Uplift::Verdict::too_few
                                                                 : Uplift::Verdict::open;
  return as_compared(std::move(uplift), *verdict, level);
}

}  // namespace

std::optional<Uplift> proven_uplift(const Optimizer& optimizer, const TunerState& tuner) {
  for (Uplift& uplift : optimizer.proven()) {
    if (refutes(tuner.verdict(), uplift.arm)) continue;
    return with_result_for_best(std::move(uplift), optimizer, tuner.verdict());
  }
  return std::nullopt;
}

std::optional<Uplift> strongest_uplift(const Optimizer& optimizer,
                                       const StudySpecification& specification,
                                       const TunerState& tuner) {
  const std::optional<Verdict>& verdict = tuner.verdict();
  const double level = specification.objective.confidence;
  if (!specification.contexts.empty()) return strongest_of_policy(optimizer, verdict, level);
  std::optional<Uplift> known = optimizer.uplift();
  if (verdict && verdict->confirmed && may_keep_limits(optimizer, verdict->arm)) {
    const std::optional<Best> best = optimizer.best();
    // If there were no pairs during the search, everything known about the baseline comes from the
    // comparison.
    Uplift uplift =
        known.value_or(Uplift{.confidence = level, .baseline_mean = verdict->baseline_mean});
    uplift.arm = verdict->arm;
    uplift.is_best = best && best->arm == verdict->arm;
    uplift.best_is_baseline = best && specification.is_baseline(best->arm);
    uplift.has_better_mean = has_better_mean(optimizer, specification, verdict->arm, best);
    uplift.is_confirmed = true;
    uplift.verdict = Uplift::Verdict::better;
    return as_compared(std::move(uplift), *verdict, level);
  }
  if (std::optional<Uplift> proven = proven_uplift(optimizer, tuner)) return proven;
  if (!known || !refutes(verdict, known->arm)) return known;
  known->is_refuted = true;
  if (verdict->is_worse) {
    known->verdict = Uplift::Verdict::worse;
    return as_compared(std::move(*known), *verdict, level);
  }
  // With fewer pairs, the difference is not known.
  const bool is_known = known->pairs >= known->fewest;
  known->verdict = is_known ? Uplift::Verdict::open : Uplift::Verdict::too_few;
  return known;
}

}  // namespace canopy
