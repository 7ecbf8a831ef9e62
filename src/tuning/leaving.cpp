#include "tuning/leaving.hpp"

#include "files/arm_document.hpp"
#include "tuning/claims.hpp"
#include "tuning/contexts.hpp"
#include "tuning/limits.hpp"
#include "tuning/tuner_state.hpp"

#include <optional>

#include <fmt/format.h>

namespace canopy {
namespace {

ExitFacts::Candidate candidate(const Study& study, const std::vector<double>& arm) {
  return {arm, may_keep_limits(study, arm)};
}

/// Explains why no setting is known to be better than the baseline.
std::string why_none_is_better(const Study& study) {
  const auto& verdict = tuner_state_of(study).verdict();
  if (verdict && verdict->is_of_policy() && verdict->confirmed) {
    return "the policy has changed since it was confirmed (run canopy confirm)";
  }
  if (verdict && verdict->is_of_policy()) return "the policy was not confirmed";
  if (verdict && !verdict->confirmed) return "the best setting was not confirmed";
  const std::optional<Best> best = study.best();
  if (!best) return study.nearest() ? "no setting keeps the limits" : "there are no rewards yet";
  if (study.specification().is_baseline(best->arm)) return "it is also the best setting";
  if (!study.uplift()) {
    return "it was never measured, so nothing is known to be better (set baseline.every, or run "
           "canopy confirm)";
  }
  return "no setting is significantly better";
}

ExitFacts facts_of(const Study& study) {
  ExitFacts facts;
  const auto& verdict = tuner_state_of(study).verdict();
  if (verdict && verdict->confirmed && !verdict->is_of_policy()) {
    facts.confirmed = candidate(study, verdict->arm);
  }
  if (const auto& baseline = study.specification().baseline) {
    facts.baseline = {baseline->setting, !is_measured_beyond_limit(study, baseline->setting)};
    facts.why_none_better = why_none_is_better(study);
  }
  const ContextSpace& contexts = study.specification().contexts;
  const std::vector<double>& last = tuner_state_of(study).last_context();
  if (!contexts.empty() && last.empty()) return facts;  // no context was observed yet
  if (!contexts.empty()) facts.context = context_text(contexts, last);
  if (const auto proven = proven_uplift(study, tuner_state_of(study))) {
    facts.proven = {contexts.empty() ? proven->arm : study.proven_in(last).value()};
    facts.proof = fmt::format("{}better than the baseline at {:.4g} %, after {} pairs",
                              contexts.empty() ? "" : "by a policy that is ",
                              100.0 * proven->confidence, proven->pairs);
  }
  if (const std::optional<Best> best = study.best()) {
    facts.best = {best->arm};
    const bool is_of_policy = verdict && verdict->is_of_policy() && !verdict->has_learnt_since;
    if (is_of_policy && verdict->confirmed) facts.confirmed = facts.best;
  }
  if (const std::optional<Best> nearest = study.nearest()) facts.nearest = {nearest->arm, false};
  return facts;
}

}  // namespace

ExitChoice best_exit(const ExitFacts& facts, bool only_confirmed) {
  if (facts.confirmed.is_eligible() && !facts.context.empty()) {
    return {facts.confirmed.arm, "the best setting in the last context, " + facts.context +
                                     ", by a policy that is confirmed"};
  }
  if (facts.confirmed.is_eligible()) return {facts.confirmed.arm, "the best setting, confirmed"};
  const std::string why_none_better = facts.confirmed.exists()
                                          ? "the confirmed setting has broken a limit since"
                                          : facts.why_none_better;
  if (only_confirmed) {
    return {
        facts.baseline.arm,
        "the baseline: " + (facts.confirmed.exists() ? why_none_better : "nothing was confirmed")};
  }
  if (facts.proven.is_eligible() && !facts.context.empty()) {
    return {facts.proven.arm,
            "the setting for the last context, " + facts.context + ", " + facts.proof};
  }
  if (facts.proven.is_eligible()) return {facts.proven.arm, facts.proof};
  if (facts.baseline.is_eligible()) return {facts.baseline.arm, "the baseline: " + why_none_better};
  if (facts.best.is_eligible() && !facts.context.empty()) {
    return {facts.best.arm, "the best setting in the last context, " + facts.context +
                                "; other contexts may have another"};
  }
  if (facts.best.is_eligible()) {
    return {facts.best.arm, facts.baseline.exists()
                                ? "the best setting, although it is not known to earn more: the "
                                  "baseline breaks a limit"
                                : "the best setting; there is no baseline to compare it with"};
  }
  if (facts.baseline.exists()) {
    return {facts.baseline.arm,
            "the baseline: no setting keeps the limits, including the baseline"};
  }
  if (facts.nearest.exists()) {
    return {facts.nearest.arm, "the setting that exceeds the limits least: no setting keeps them"};
  }
  return {};
}

ExitChoice best_known_setting(const Study& study) {
  return best_exit(facts_of(study));
}

ExitChoice exit_choice(const Study& study) {
  const StudySpecification& specification = study.specification();
  switch (specification.system->options.on_exit) {
    case OnExit::best:
      return best_known_setting(study);
    case OnExit::baseline:
      return {specification.baseline->setting, "the baseline, according to on_exit"};
    case OnExit::confirmed:
      return best_exit(facts_of(study), true);
    case OnExit::leave:
      break;
  }
  return {};
}

ExitChoice fallback_setting(const Study& study) {
  const auto& baseline = study.specification().baseline;
  if (baseline) return {baseline->setting, "the baseline, as a fallback"};
  const auto& good = tuner_state_of(study).good_settings();
  for (const std::vector<double>& setting : good) {
    if (may_keep_limits(study, setting)) return {setting, "the last setting that worked"};
  }
  if (const std::optional<Best> best = study.best()) {
    return {best->arm, "the best setting: the last settings that worked break a limit"};
  }
  if (!good.empty()) return {good.front(), "the last setting that worked; it breaks a limit"};
  return {};
}

void leave(Study& study, SystemKeeper& keeper, TuneEnd& end) {
  if (!keeper.can_be_set()) return;
  const Space& space = study.specification().space;
  const ExitChoice choice = end.needs_fallback() ? fallback_setting(study) : exit_choice(study);
  if (choice.arm.empty()) {
    if (!keeper.setting().empty()) end.setting = arm_text(space, keeper.setting());
    return;
  }
  const std::string wanted = arm_text(space, choice.arm);
  if (choice.arm != keeper.setting()) {
    if (const auto failure = keeper.leave_at(choice.arm)) {
      study.note(Failed{0, failure->what, false, failure->errors});
      end.text += "; the system could not be set to " + wanted + ": " + failure->what;
      end.why = TuneEnd::Why::failure;
      return;
    }
    study.note(Applied{0, choice.arm});
  }
  end.setting = wanted;
  end.left_at = choice.why;
}

std::string restore_baseline(const Study& study, SystemKeeper& keeper) {
  const auto& baseline = study.specification().baseline;
  if (!baseline || !keeper.can_be_set()) return "";
  const auto failure = keeper.leave_at(baseline->setting);
  return failure ? "; the baseline could not be restored: " + failure->what
                 : "; the baseline was restored";
}

namespace {

/// Applies the setting at which the system waits during a pause.
void apply_pause_setting(Study& study, SystemKeeper& keeper, RunnerCommand command) {
  if (command == RunnerCommand::hold || !keeper.can_be_set()) return;
  const std::vector<double> arm = command == RunnerCommand::baseline
                                      ? study.specification().baseline->setting
                                      : best_known_setting(study).arm;
  if (arm.empty() || arm == keeper.setting()) return;
  if (const auto failure = keeper.leave_at(arm)) {
    study.note(Failed{0, failure->what, false, failure->errors});
  } else {
    study.note(Applied{0, arm});
  }
  study.commit();
}

}  // namespace

void wait_while_paused(Study& study, SystemKeeper& keeper, TunerMonitor& monitor) {
  constexpr double kBetweenPolls = 0.1;  // seconds between checks of the signals
  monitor.poll_commands();
  std::optional<RunnerCommand> obeyed;
  while (const std::optional<RunnerCommand> wanted = monitor.pause_command()) {
    if (wanted != obeyed) apply_pause_setting(study, keeper, *wanted);
    obeyed = wanted;
    monitor.stop_clock();
    monitor.report(TunerMonitor::Phase::paused);
    (void)monitor.sleep(kBetweenPolls);
    monitor.poll_commands();
  }
  monitor.start_clock();
}

}  // namespace canopy
