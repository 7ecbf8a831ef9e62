#include "tuning/leaving.hpp"

#include "files/arm_document.hpp"
#include "tuning/tuner_state.hpp"

#include <optional>

#include <fmt/format.h>

namespace canopy {
namespace {

/// The arm that a comparison has confirmed, else none; and why not.
std::optional<ExitChoice> confirmed_choice(const Study& study, std::string& why_not) {
  const std::optional<Verdict>& verdict = tuner_state_of(study).verdict();
  if (!verdict) {
    why_not = "nothing was confirmed";
  } else if (!verdict->confirmed) {
    why_not = "the best arm was not confirmed";
  } else if (study.is_barred(verdict->arm)) {
    why_not = "the arm that was confirmed has broken a limit since";
  } else {
    return ExitChoice{verdict->arm, "the best arm, confirmed"};
  }
  return std::nullopt;
}

/// What was confirmed; else what rounds of pairs have proven to be better; else the baseline.
ExitChoice proven_or_baseline(const Study& study, const std::vector<double>& baseline) {
  std::string why_not;
  if (auto confirmed = confirmed_choice(study, why_not)) return *std::move(confirmed);
  const std::optional<Uplift> uplift = study.uplift();
  const auto& verdict = tuner_state_of(study).verdict();
  const bool is_refuted = uplift && verdict && verdict->arm == uplift->arm;
  if (uplift && uplift->verdict == Uplift::Verdict::better && !is_refuted &&
      !study.is_barred(uplift->arm)) {
    return {uplift->arm, fmt::format("better than the baseline at {:.4g} %, after {} pairs",
                                     100.0 * uplift->level, uplift->pairs)};
  }
  const std::optional<Best> best = study.best();
  if (!best) return {baseline, "the baseline: there are no rewards yet"};
  if (best->arm == baseline) return {baseline, "the baseline, which is also the best arm"};
  if (!uplift) {
    return {baseline,
            "the baseline: it was never measured, so nothing is known to be better (set "
            "baseline.every, or run canopy confirm)"};
  }
  if (is_refuted) return {baseline, "the baseline: " + why_not};
  return {baseline, "the baseline: that another setting is better is not certain"};
}

ExitChoice confirmed_or_baseline(const Study& study, const std::vector<double>& baseline) {
  std::string why_not;
  if (auto confirmed = confirmed_choice(study, why_not)) return *std::move(confirmed);
  return {baseline, "the baseline: " + why_not};
}

}  // namespace

ExitChoice best_known_setting(const Study& study) {
  const auto& baseline = study.specification().baseline;
  if (baseline) return proven_or_baseline(study, baseline->setting);
  if (const std::optional<Best> best = study.best()) {
    return {best->arm, "the best arm; there is no baseline to compare it with"};
  }
  return {};
}

ExitChoice exit_choice(const Study& study) {
  const StudySpecification& specification = study.specification();
  switch (specification.system->options.on_exit) {
    case OnExit::best:
      return best_known_setting(study);
    case OnExit::baseline:
      return {specification.baseline->setting, "the baseline, as on_exit says"};
    case OnExit::confirmed:
      return confirmed_or_baseline(study, specification.baseline->setting);
    case OnExit::leave:
      break;
  }
  return {};
}

ExitChoice exit_choice_in_need(const Study& study) {
  const auto& baseline = study.specification().baseline;
  if (baseline) return {baseline->setting, "the baseline, to be safe"};
  const auto& good = tuner_state_of(study).good_settings();
  for (const std::vector<double>& setting : good) {
    if (!study.is_barred(setting)) return {setting, "the last setting that worked"};
  }
  if (const std::optional<Best> best = study.best()) {
    return {best->arm, "the best arm: the last settings that worked break a limit"};
  }
  if (!good.empty()) return {good.front(), "the last setting that worked; it breaks a limit"};
  return {};
}

void leave(Study& study, SystemKeeper& keeper, TuneEnd& end) {
  if (!keeper.can_be_set()) return;
  const Space& space = study.specification().space;
  const ExitChoice choice = end.in_need() ? exit_choice_in_need(study) : exit_choice(study);
  if (choice.arm.empty()) {
    if (!keeper.setting().empty()) end.setting = arm_text(space, keeper.setting());
    return;
  }
  const std::string wanted = arm_text(space, choice.arm);
  if (choice.arm != keeper.setting()) {
    if (const auto failure = keeper.leave_at(choice.arm)) {
      study.note(Failed{0, failure->what});
      end.text += "; the system could not be set to " + wanted + ": " + failure->what;
      end.why = TuneEnd::Why::failure;
      return;
    }
    study.note(Applied{0, choice.arm});
  }
  end.setting = wanted;
  end.left_at = choice.why;
}

std::string put_baseline_back(const Study& study, SystemKeeper& keeper) {
  const auto& baseline = study.specification().baseline;
  if (!baseline || !keeper.can_be_set()) return "";
  const auto failure = keeper.leave_at(baseline->setting);
  return failure ? "; the baseline could not be restored: " + failure->what
                 : "; the baseline was restored";
}

namespace {

/// Sets what the system waits at.
void go_to_wait(Study& study, SystemKeeper& keeper, RunnerCommand command) {
  if (command == RunnerCommand::hold || !keeper.can_be_set()) return;
  const std::vector<double> arm = command == RunnerCommand::baseline
                                      ? study.specification().baseline->setting
                                      : best_known_setting(study).arm;
  if (arm.empty() || arm == keeper.setting()) return;
  if (const auto failure = keeper.leave_at(arm)) {
    study.note(Failed{0, failure->what});
  } else {
    study.note(Applied{0, arm});
  }
  study.commit();
}

}  // namespace

void wait_if_asked(Study& study, SystemKeeper& keeper, Lookout& lookout) {
  constexpr double kBetweenLooks = 0.1;  // at signals
  lookout.look();
  std::optional<RunnerCommand> obeyed;
  while (const std::optional<RunnerCommand> wanted = lookout.wanted_wait()) {
    if (wanted != obeyed) go_to_wait(study, keeper, *wanted);
    obeyed = wanted;
    lookout.stop_clock();
    lookout.report(Lookout::Phase::paused);
    (void)lookout.sleep(kBetweenLooks);
    lookout.look();
  }
  lookout.start_clock();
}

}  // namespace canopy
