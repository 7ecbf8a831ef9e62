#include "insight/best_answer.hpp"

#include "insight/best_text.hpp"
#include "tuning/claims.hpp"
#include "tuning/limits.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace canopy {

std::map<std::string, MetricAnswer> metrics_at(const Best& best, const TunerState& tuner) {
  std::map<std::string, MetricAnswer> known;
  for (const auto& [name, evidence] : tuner.metrics()) {
    const auto index = evidence.find(best.arm);
    if (!index) continue;
    const ArmEstimate estimate = evidence.estimate(*index);
    known[name] = {estimate.mean, estimate.interval, estimate.pulls};
  }
  for (const LimitCheck& check : best.limits) {
    const auto found = known.find(check.metric);
    if (found != known.end()) found->second.limit = check.state;
  }
  return known;
}

BestAnswer best_answer(const Optimizer& optimizer, const Best& best,
                       const StudySpecification& specification, const TunerState& tuner) {
  BestAnswer answer{.best = best,
                    .text = best_text(specification.space, best),
                    .uplift = strongest_uplift(optimizer, specification, tuner)};
  if (answer.uplift) {
    answer.uplift_text =
        uplift_text(specification.space, *answer.uplift, best, specification.objective.direction);
  }
  answer.loss = optimizer.loss();
  if (answer.loss) answer.loss_text = loss_text(specification, *answer.loss);
  answer.metrics = metrics_at(best, tuner);
  if (const auto& verdict = tuner.verdict()) {
    answer.confirmed = verdict->is_of_policy() ? verdict->confirmed && !verdict->has_learnt_since
                                               : answer.uplift && answer.uplift->is_confirmed;
    answer.verdict = verdict->text;
    answer.verdict_arm = verdict->arm;
  }
  if (answer.uplift && !answer.uplift->is_best && !answer.uplift->arm.empty()) {
    answer.limits_of_uplift = optimizer.limit_checks(answer.uplift->arm);
  }
  if (const auto& baseline = specification.baseline) {
    answer.baseline_breaks_limit = is_measured_beyond_limit(optimizer, baseline->setting);
  }
  answer.words = best_words(answer, specification,
                            tuner.verdict() ? tuner.verdict() : tuner.outdated_verdict());
  return answer;
}

}  // namespace canopy
