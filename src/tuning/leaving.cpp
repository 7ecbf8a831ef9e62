#include "tuning/leaving.hpp"

#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "studies/uplift.hpp"
#include "tuning/tuner_state.hpp"

#include <cmath>

#include <fmt/format.h>

namespace canopy {
namespace {

/// The best arm if it is better than the baseline beyond doubt.
ExitChoice best_or_baseline(const Study& study, const std::vector<double>& baseline) {
  const std::optional<Best> best = study.best();
  if (!best || best->arm == baseline) {
    return {baseline, best ? "the baseline, which is also the best arm"
                           : "the baseline: there are no rewards yet"};
  }
  const std::optional<Uplift> uplift = uplift_of(study, *best, study.specification());
  if (!uplift) {
    return {baseline,
            "the baseline: it was never measured, so nothing is known to be better (set "
            "system.baseline_every, or run canopy confirm)"};
  }
  const double sign = study.specification().objective.direction == Direction::maximize ? 1.0 : -1.0;
  if (uplift->basis == Best::Basis::no_noise && sign * uplift->difference > 0.0) {
    return {best->arm, "the best arm: it is better than the baseline, and rewards do not vary"};
  }
  if (!uplift->interval.bounded()) {
    return {baseline, "the baseline: too few pulls to say that the best setting is better"};
  }
  const double sure = sign > 0.0 ? uplift->interval.lower : -uplift->interval.upper;
  const std::string reach = fmt::format("it differs from the baseline by {}, at {:.4g} %",
                                        range_text(uplift->interval.lower, uplift->interval.upper),
                                        100.0 * uplift->level);
  if (sure > 0.0) return {best->arm, "the best arm: " + reach};
  return {baseline, "the baseline: that the best arm is better is not certain (" + reach + ")"};
}

ExitChoice confirmed_or_baseline(const Study& study, const std::vector<double>& baseline) {
  const std::optional<Verdict>& verdict = tuner_state_of(study).verdict();
  if (!verdict) return {baseline, "the baseline: nothing was confirmed"};
  if (!verdict->confirmed) return {baseline, "the baseline: the best arm was not confirmed"};
  if (study.is_barred(verdict->arm)) {
    return {baseline, "the baseline: the arm that was confirmed has broken a limit since"};
  }
  return {verdict->arm, "the best arm, confirmed"};
}

}  // namespace

ExitChoice best_known_setting(const Study& study) {
  const SystemSpecification& system = *study.specification().system;
  if (system.baseline) return best_or_baseline(study, *system.baseline);
  if (const std::optional<Best> best = study.best()) {
    return {best->arm, "the best arm; there is no baseline to compare it with"};
  }
  return {};
}

ExitChoice exit_choice(const Study& study) {
  const SystemSpecification& system = *study.specification().system;
  switch (system.options.on_exit) {
    case OnExit::best:
      return best_known_setting(study);
    case OnExit::baseline:
      return {*system.baseline, "the baseline, as on_exit says"};
    case OnExit::confirmed:
      return confirmed_or_baseline(study, *system.baseline);
    case OnExit::leave:
      break;
  }
  return {};
}

ExitChoice exit_choice_in_need(const Study& study) {
  const SystemSpecification& system = *study.specification().system;
  if (system.baseline) return {*system.baseline, "the baseline, to be safe"};
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
  const auto& baseline = study.specification().system->baseline;
  if (!baseline || !keeper.can_be_set()) return "";
  const auto failure = keeper.leave_at(*baseline);
  return failure ? "; the baseline could not be restored: " + failure->what
                 : "; the baseline was restored";
}

namespace {

/// Sets what the system waits at.
void go_to_wait(Study& study, SystemKeeper& keeper, RunnerCommand command) {
  if (command == RunnerCommand::hold || !keeper.can_be_set()) return;
  const std::vector<double> arm = command == RunnerCommand::baseline
                                      ? *study.specification().system->baseline
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
