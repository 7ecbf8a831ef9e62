#include "insight/best_answer.hpp"

#include "insight/best_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace canopy {
namespace {

/// As errors are that never happen and may not happen.
bool is_at_limit(const KnownMetric& metric) {
  return metric.estimate.mean == metric.limit->max || metric.estimate.mean == metric.limit->min;
}

}  // namespace

std::optional<LimitState> KnownMetric::limit_state() const {
  if (limit == nullptr) return std::nullopt;
  if (limit->is_surely_broken(estimate.interval)) return LimitState::broken;
  const bool is_kept = limit->is_surely_kept(estimate.interval) || is_at_limit(*this);
  return is_kept ? LimitState::kept : LimitState::unsure;
}

std::vector<KnownMetric> metrics_at(const StudySpecification& specification,
                                    const TunerState& tuner, Arm arm) {
  std::vector<KnownMetric> known;
  for (const auto& [name, evidence] : tuner.metrics()) {
    const auto index = evidence.find(arm);
    if (!index) continue;
    KnownMetric metric{name, evidence.estimate(*index)};
    if (specification.system) {
      for (const Limit& limit : specification.system->limits) {
        if (limit.metric == name) metric.limit = &limit;
      }
    }
    known.push_back(metric);
  }
  return known;
}

BestAnswer best_answer(const Optimizer& optimizer, const Best& best,
                       const StudySpecification& specification, const TunerState& tuner) {
  BestAnswer answer{
      .best = best, .text = best_text(specification.space, best), .uplift = optimizer.uplift()};
  if (answer.uplift) {
    answer.uplift_text =
        uplift_text(specification.space, *answer.uplift, best, specification.objective.direction);
  }
  for (const KnownMetric& metric : metrics_at(specification, tuner, best.arm)) {
    MetricAnswer& written = answer.metrics[metric.name];
    written = {metric.estimate.mean, metric.estimate.interval, metric.estimate.pulls,
               metric.limit_state()};
  }
  if (const auto& verdict = tuner.verdict()) {
    answer.confirmed = verdict->confirmed && verdict->arm == best.arm;
    answer.verdict = verdict->text;
  }
  answer.words = best_words(answer, specification);
  return answer;
}

}  // namespace canopy
