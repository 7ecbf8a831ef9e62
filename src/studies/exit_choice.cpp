#include "studies/exit_choice.hpp"

#include "core/text.hpp"
#include "studies/tuner_state.hpp"
#include "studies/uplift.hpp"

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
    return {baseline, "the baseline: there are too few repeats to say that the best arm is better"};
  }
  const double sure = sign > 0.0 ? uplift->interval.lower : -uplift->interval.upper;
  const std::string reach = fmt::format("it differs from the baseline by {}, at {:.4g} %",
                                        range_text(uplift->interval.lower, uplift->interval.upper),
                                        100.0 * uplift->level);
  if (sure > 0.0) return {best->arm, "the best arm: " + reach};
  return {baseline, "the baseline: that the best arm is better is not certain (" + reach + ")"};
}

ExitChoice confirmed_or_baseline(const Study& study, const std::vector<double>& baseline) {
  const std::optional<Verdict>& verdict = study.tuner_state().verdict();
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
  const auto& good = study.tuner_state().good_settings();
  if (!good.empty()) return {good.front(), "the last setting that worked"};
  return {};
}

}  // namespace canopy
