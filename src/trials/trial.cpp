#include "trials/trial.hpp"

#include "canopy/study.hpp"

#include "stores/memory_store.hpp"
#include "tuning/tuner.hpp"

#include <atomic>
#include <utility>

namespace canopy {
namespace {

constexpr double kStart = 1.8e9;  // seconds since 1970: any day

StudySpecification specification_of(const Trial& trial, const Space& space) {
  StudySpecification study{.space = space};
  study.system.emplace();
  study.system->measure = "simulated";
  study.system->limits = trial.system->limits;
  study.budget.pulls = trial.pulls;
  trial.options->set(study);
  if (study.baseline) study.baseline->setting = trial.system->baseline;
  return study;
}

/// Whether an interval has a value; none where it has no ends.
std::optional<bool> covers(const Interval& interval, double value) {
  if (!interval.bounded()) return std::nullopt;
  return interval.lower <= value && value <= interval.upper;
}

bool breaks_limit(const TrialSystem& system, Arm arm) {
  for (const Limit& limit : system.limits) {
    for (const SimulatedMetric& metric : system.troubles.metrics) {
      if (metric.name == limit.metric && limit.is_broken_by(metric.mean(arm))) return true;
    }
  }
  return false;
}

/// What the study says about the baseline: by rewards of the search, or by a comparison.
void judge_uplift(const Study& study, const std::function<double(Arm)>& gain,
                  TrialOutcome& outcome) {
  std::vector<double> arm;
  if (const auto& verdict = tuner_state_of(study).verdict()) {
    arm = verdict->arm;
    outcome.claims_better = verdict->confirmed;
  } else if (const auto uplift = study.uplift()) {
    arm = uplift->arm;
    outcome.uplift_covers = covers(uplift->interval, gain(arm));
    outcome.claims_better = uplift->verdict == Uplift::Verdict::better;
  }
  outcome.is_false = outcome.claims_better && gain(arm) <= 0.0;
}

}  // namespace

TrialOutcome run_trial(const Trial& trial) {
  const TrialSystem& system = *trial.system;
  Disturbed environment(system.environment(), trial.noise, trial.size);
  RandomStream random(StreamName{trial.seed, system.name, trial.options->name, "trial",
                                 static_cast<std::uint64_t>(trial.noise)});
  VirtualClock clock(kStart);
  SimulatedSystem simulated(environment, clock, random, system.troubles);

  MemoryStore store;
  const StudySpecification specification = specification_of(trial, environment.space());
  Study study = Study::open(store, specification,
                            {.name = "trial", .fork = {}, .fold = tuner_fold, .clock = &clock});
  const std::atomic<bool> never{false};
  const TuneEnd end = Tuner(study, simulated, {never}, {}).run();

  const auto truth = [&](Arm arm) { return environment.mean_reward_at(arm, 1); };
  const double range = environment.reward_range()[1] - environment.reward_range()[0];
  const double of_baseline = truth(system.baseline);
  TrialOutcome outcome;
  outcome.in_need = end.in_need();
  outcome.measurements = static_cast<double>(simulated.measurements());
  outcome.regret = simulated.regret() / outcome.measurements / range;
  outcome.loss = outcome.regret - (environment.optimum_at(1).value - of_baseline) / range;
  outcome.left_gain = (truth(simulated.setting()) - of_baseline) / range;
  outcome.left_breaks_limit = breaks_limit(system, simulated.setting());
  if (const std::optional<Best> best = study.best()) {
    outcome.best_covers = covers({best->lower, best->upper}, truth(best->arm));
    judge_uplift(
        study, [&](Arm arm) { return truth(arm) - of_baseline; }, outcome);
  }
  return outcome;
}

}  // namespace canopy
