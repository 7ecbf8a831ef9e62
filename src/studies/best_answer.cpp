#include "studies/best_answer.hpp"

#include "studies/answers.hpp"
#include "studies/uplift.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace canopy {
namespace {

/// As errors are that never happen and may not happen.
bool is_at_limit(const KnownMetric& metric) {
  return metric.estimate.mean == metric.limit->max || metric.estimate.mean == metric.limit->min;
}

void add_uplift(Document& document, const Uplift& uplift) {
  document.set("uplift", Document::Table{{"mean", uplift.difference},
                                         {"low", number_or_none(uplift.interval.lower)},
                                         {"high", number_or_none(uplift.interval.upper)},
                                         {"level", uplift.level},
                                         {"arm_mean", uplift.arm_mean},
                                         {"baseline_mean", uplift.baseline_mean},
                                         {"arm_pulls", uplift.arm_pulls},
                                         {"baseline_pulls", uplift.baseline_pulls}});
}

void add_metrics(Document& document, const std::vector<KnownMetric>& known) {
  Document metrics;
  for (const KnownMetric& metric : known) {
    Document table = Document::Table{{"mean", metric.estimate.mean},
                                     {"lower", number_or_none(metric.estimate.interval.lower)},
                                     {"upper", number_or_none(metric.estimate.interval.upper)},
                                     {"pulls", metric.estimate.pulls}};
    if (metric.limit != nullptr) table.set("may_break_limit", metric.may_break_limit());
    metrics.set(metric.name, std::move(table));
  }
  if (metrics.as_table() != nullptr) document.set("metrics", std::move(metrics));
}

}  // namespace

bool KnownMetric::may_break_limit() const {
  return limit != nullptr && !limit->is_surely_kept(estimate.interval) && !is_at_limit(*this);
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

Document best_answer(const Optimizer& optimizer, const Best& best,
                     const StudySpecification& specification, const TunerState& tuner) {
  Document document = best_document(specification.space, best);
  if (const auto uplift = uplift_of(optimizer, best, specification)) add_uplift(document, *uplift);
  add_metrics(document, metrics_at(specification, tuner, best.arm));
  if (const auto& verdict = tuner.verdict()) {
    document.set("confirmed", verdict->confirmed && verdict->arm == best.arm);
    document.set("verdict", verdict->text);
  }
  return document;
}

}  // namespace canopy
