#include "trials/trial.hpp"

#include "canopy/study.hpp"

#include "stores/memory_store.hpp"
#include "tuning/tuner.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

namespace canopy {
namespace {

constexpr double kStart = 1.8e9;          // seconds since 1970: an arbitrary day
constexpr std::uint64_t kEveryLook = 10;  // pulls between two looks at all results

StudySpecification specification_of(const Trial& trial, const Space& space) {
  StudySpecification study{.space = space};
  study.system.emplace();
  study.system->measure = "simulated";
  study.objective.limits = trial.system->limits;
  study.budget.pulls = trial.pulls;
  trial.options->set(study);
  if (study.baseline) study.baseline->setting = trial.system->baseline;
  return study;
}

/// Whether an interval contains a value; none if the interval is unbounded.
std::optional<bool> covers(const Interval& interval, double value) {
  if (!interval.bounded()) return std::nullopt;
  return interval.lower <= value && value <= interval.upper;
}

bool breaks_limit(const TrialSystem& system, Arm arm) {
  for (const Limit& limit : system.limits) {
    for (const SimulatedMetric& metric : system.troubles.metrics) {
      if (metric.name == limit.metric && limit.room(metric.mean(arm)) < 0.0) return true;
    }
  }
  return false;
}

/// Records the true state of a system during a study.
class Watched final : public LiveSystem {
 public:
  static constexpr double kMostLoss = 0.02;
  static constexpr double kFirstLook = 20.0;

  /// `system` and `trial` must outlive it. `gain` is the difference of an arm's true mean from the
  /// baseline's, which is `level`.
  Watched(SimulatedSystem& system, const TrialSystem& trial, std::function<double(Arm)> gain,
          double level)
      : system_(system), trial_(trial), gain_(std::move(gain)), level_(level) {}

  [[nodiscard]] bool can_be_set() const override { return true; }
  [[nodiscard]] std::optional<SystemFailure> apply(Arm arm) override { return system_.apply(arm); }
  [[nodiscard]] std::optional<SystemFailure> leave_at(Arm arm) override {
    return system_.leave_at(arm);
  }
  [[nodiscard]] std::variant<Reading, SystemFailure> measure(Arm arm) override {
    pulls_ += 1.0;
    if (breaks_limit(trial_, arm)) beyond_ += 1.0;
    gained_ += gain_(arm);
    const double allowed = kMostLoss * std::abs(level_) * pulls_;
    if (pulls_ >= kFirstLook && -gained_ > allowed) exceeds_loss_ = true;
    return system_.measure(arm);
  }

  [[nodiscard]] bool exceeds_loss() const { return exceeds_loss_; }
  [[nodiscard]] double beyond_limit() const { return beyond_ / std::max(1.0, pulls_); }

 private:
  SimulatedSystem& system_;
  const TrialSystem& trial_;
  std::function<double(Arm)> gain_;
  double level_;
  double pulls_ = 0.0;
  double beyond_ = 0.0;
  double gained_ = 0.0;
  bool exceeds_loss_ = false;
};

/// Compares the study's claims about limits of its best arm with the truth.
void judge_limits(const Best& best, const TrialSystem& system, TrialOutcome& outcome) {
  const LimitCheck* worst = worst_of(best.limits);
  if (worst == nullptr) return;
  const bool breaks = breaks_limit(system, best.arm);
  outcome.is_kept = worst->state == LimitState::kept;
  outcome.kept_is_wrong = outcome.is_kept && breaks;
  outcome.probably_is_wrong = worst->state == LimitState::probably_kept && breaks;
}

/// Compares the study's claims about the baseline, from the search or a separate comparison, with
/// the truth.
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
  Disturbed environment(system.environment(), trial.noise, trial.size * system.noise);
  RandomStream random(StreamName{trial.seed, system.name, trial.options->name, "trial",
                                 static_cast<std::uint64_t>(trial.noise)});
  VirtualClock clock(kStart);
  SimulatedSystem simulated(environment, clock, random, system.troubles);

  MemoryStore store;
  const StudySpecification specification = specification_of(trial, environment.space());
  Study study = Study::open(store, specification,
                            {.name = "trial", .fork = {}, .fold = tuner_fold, .clock = &clock});
  const std::atomic<bool> never{false};
  const auto truth = [&](Arm arm) { return environment.mean_reward_at(arm, 1); };
  const double range = environment.reward_range()[1] - environment.reward_range()[0];
  const double of_baseline = truth(system.baseline);
  const auto gain = [&](Arm arm) { return truth(arm) - of_baseline; };
  Watched watched(simulated, system, gain, of_baseline);
  bool was_false = false;
  std::uint64_t looks = 0;
  const auto look = [&](const TuneProgress& /*progress*/) {
    if (++looks % kEveryLook != 0) return;
    const std::optional<Uplift> uplift = study.uplift();
    const bool claims = uplift && uplift->verdict == Uplift::Verdict::better;
    was_false = was_false || (claims && gain(uplift->arm) <= 0.0);
  };
  const TuneEnd end = Tuner(study, watched, {never}, look).run();
  TrialOutcome outcome;
  outcome.fell_back = end.needs_fallback();
  outcome.measurements = static_cast<double>(simulated.measurements());
  outcome.regret = simulated.regret() / outcome.measurements / range;
  outcome.loss = outcome.regret - (environment.optimum_at(1).value - of_baseline) / range;
  outcome.left_gain = (truth(simulated.setting()) - of_baseline) / range;
  outcome.left_breaks_limit = breaks_limit(system, simulated.setting());
  outcome.beyond_limit = watched.beyond_limit();
  outcome.exceeds_loss = watched.exceeds_loss();
  if (const std::optional<Best> best = study.best()) {
    outcome.best_covers = covers({best->lower, best->upper}, truth(best->arm));
    judge_uplift(study, gain, outcome);
    judge_limits(*best, system, outcome);
    outcome.is_false = outcome.is_false || was_false;
  }
  return outcome;
}

}  // namespace canopy
