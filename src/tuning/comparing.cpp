#include "tuning/comparing.hpp"

#include "core/text.hpp"
#include "studies/load.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace canopy {

Comparing::Comparing(Study& study, SystemKeeper& keeper, TunerMonitor& monitor)
    : study_(study), keeper_(keeper), monitor_(monitor) {}

bool Comparing::is_due() const {
  if (!study_.specification().baseline) return false;
  return state().comparison() || (state().wanted_comparison() && study_.best());
}

std::uint64_t Comparing::wanted_pulls() const {
  const std::uint64_t wanted = state().wanted_comparison().value_or(0);
  return wanted != 0 ? wanted : study_.specification().budget.confirm_pulls.value_or(kConfirmPulls);
}

void Comparing::begin(std::uint64_t pulls) {
  if (state().comparison()) return;
  const std::optional<Best> best = study_.best();
  if (!best) {
    monitor_.end({TuneEnd::Why::failure,
                  study_.nearest() ? "there is nothing to confirm: no setting keeps the limits"
                                   : "there is nothing to confirm: no setting has a reward"});
    return;
  }
  const StudySpecification& specification = study_.specification();
  const bool is_of_policy = !specification.contexts.empty();
  const std::uint64_t visit = visit_of(specification);
  study_.note(ComparisonBegun{.pulls = std::max(pulls, 2 * visit),
                              .visit = visit,
                              .arm = is_of_policy ? std::vector<double>() : best->arm,
                              .seed = seed_of(study_.record(), specification) + study_.events()});
  study_.commit();
  contexts_at_baseline_ = 0;
  if (is_of_policy) {
    if (is_baseline_everywhere()) {
      end(false, "there is nothing to confirm: the policy is the baseline in every context");
    }
  } else if (specification.is_baseline(best->arm)) {
    end(false, "there is nothing to confirm: the best setting is the baseline");
  }
}

bool Comparing::is_baseline_everywhere() const {
  const std::optional<Policy> policy = study_.policy();
  return !policy ||
         std::all_of(policy->rows.begin(), policy->rows.end(), [&](const PolicyRow& row) {
           return row.arm.empty() || study_.specification().is_baseline(row.arm);
         });
}

void Comparing::step() {
  const Comparison& comparison = *state().comparison();
  if (comparison.is_over(direction())) {
    conclude();
    return;
  }
  const std::string crash = keeper_.crash_text();
  const bool is_of_policy = comparison.arm().empty();
  const bool is_at_arm = is_of_policy ? !study_.specification().is_baseline(state().setting())
                                      : state().setting() == comparison.arm();
  if (!crash.empty() && is_at_arm) {
    const SystemKeeper::Return back = keeper_.return_to(baseline());
    const bool works = back == SystemKeeper::Return::works;
    if (works || back == SystemKeeper::Return::works_again) end(false, crash, true);
    return;
  }
  monitor_.report(TunerMonitor::Phase::confirming);
  if (is_of_policy) {
    play_in_context();
    return;
  }
  const bool is_baseline = comparison.is_baseline_next();
  play(is_baseline ? baseline() : comparison.arm(), is_baseline);
}

void Comparing::play_in_context() {
  std::vector<double> context;
  if (keeper_.observe(context) != SystemKeeper::Outcome::done) return;
  keeper_.enter(context);
  const std::optional<Best> best = study_.best_in(context);
  if (best && !study_.specification().is_baseline(best->arm)) {
    contexts_at_baseline_ = 0;
    const bool is_baseline = state().comparison()->is_baseline_next();
    play(is_baseline ? baseline() : best->arm, is_baseline, context);
    return;
  }
  if (++contexts_at_baseline_ > state().comparison()->pulls_at_most()) {
    end(false, fmt::format("not compared: in the last {} contexts the policy was the baseline",
                           contexts_at_baseline_ - 1));
    return;
  }
  Reading passed_over;  // only keeps the system at the baseline; not used
  (void)keeper_.measure_at(baseline(), passed_over);
}

void Comparing::play(const std::vector<double>& arm, bool is_baseline, Context context) {
  using Outcome = SystemKeeper::Outcome;
  using Return = SystemKeeper::Return;
  keeper_.wait_until_change_is_allowed(arm);
  Reading reading;
  const Outcome outcome = keeper_.measure_at(arm, reading);
  if (outcome == Outcome::failed) {
    const std::string what = monitor_.failure();
    const Return back = keeper_.return_to(baseline());
    const bool works = back == Return::works || back == Return::works_again;
    const char* failed =
        context.empty() ? "the best setting failed: " : "a setting of the policy failed: ";
    if (works && !is_baseline) end(false, failed + what, true);
  }
  if (outcome != Outcome::done) return;
  study_.note(
      Compared{is_baseline, reading.reward, {context.begin(), context.end()}, effect_of(context)});
  study_.commit();
}

/// The estimated effect of the context on the rewards of all settings alike. It is known before the
/// pull and independent of the side, so subtracting it does not bias the comparison.
double Comparing::effect_of(Context context) const {
  const std::optional<Policy> policy = context.empty() ? std::nullopt : study_.policy();
  return policy ? level_effect(*policy, study_.specification().contexts, context) : 0.0;
}

/// Confirms the arm if it is better and keeps its limits, judged only by the measurements of this
/// comparison.
void Comparing::conclude() {
  const Comparison& comparison = *state().comparison();
  const std::optional<bool> is_better = comparison.is_better(direction());
  std::string text = verdict_text();
  if (!is_better.value_or(false)) {
    end(false, text, is_better.has_value());
    return;
  }
  bool keeps_limits = true;
  bool is_refuted = false;
  for (const Limit& limit : study_.specification().objective.limits) {
    const std::optional<LimitCheck> check = comparison.check(limit);
    if (check && check->state == LimitState::kept) continue;
    keeps_limits = false;
    is_refuted = is_refuted || (check && check->state == LimitState::broken);
    text += check ? fmt::format(", but {}", limit_text(*check))
                  : fmt::format(", but {} was not measured", limit.metric);
  }
  end(keeps_limits, text, is_refuted);
}

std::string Comparing::verdict_text() const {
  const Comparison& comparison = *state().comparison();
  const Interval known = comparison.interval();
  const std::optional<bool> better = comparison.is_better(direction());
  std::string reach = "too few pairs for an interval";
  if (known.bounded()) {
    reach = fmt::format("{} at {:.4g} %", range_text(known.lower, known.upper),
                        100.0 * study_.specification().objective.confidence);
  }
  const char* word = "neither better nor worse";
  if (better) word = *better ? "better" : "worse";
  const char* where = comparison.arm().empty() ? ", in contexts where they differ" : "";
  return fmt::format("{} than the baseline after {} pulls of both{}: the difference is {:.4g} ({})",
                     word, comparison.pulls(), where, comparison.difference(), reach);
}

void Comparing::end(bool confirmed, const std::string& verdict, bool refuted) {
  study_.note(ComparisonEnded{confirmed, verdict, refuted});
  study_.commit();
}

}  // namespace canopy
