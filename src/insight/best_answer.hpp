#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "insight/best_words.hpp"
#include "studies/uplift.hpp"
#include "tuning/tuner_state.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// What else was measured at an arm.
struct KnownMetric {
  std::string name;
  ArmEstimate estimate;
  const Limit* limit = nullptr;

  [[nodiscard]] bool may_break_limit() const;
};

[[nodiscard]] std::vector<KnownMetric> metrics_at(const StudySpecification& specification,
                                                  const TunerState& tuner, Arm arm);

/// The same, to be written down.
struct MetricAnswer {
  double mean = 0.0;
  Interval interval;
  std::uint64_t pulls = 0;
  std::optional<bool> may_break_limit = std::nullopt;  ///< none: it has no limit
};

template <class Visit>
void visit_fields(MetricAnswer& metric, Visit&& visit) {
  visit(Field{"mean", "at the arm"}, metric.mean);
  visit_fields(metric.interval, visit);
  visit(Field{"pulls", "that it was measured in"}, metric.pulls);
  visit(Field{"may_break_limit", "as far as is known; left out: it has no limit"}.or_none(),
        metric.may_break_limit);
}

/// The best arm with all that is known of it: its uplift over a baseline that was measured, other
/// metrics, what came of a comparison.
struct BestAnswer {
  Best best;
  std::string text = {};  ///< all of that in a sentence
  std::optional<Uplift> uplift = std::nullopt;
  std::map<std::string, MetricAnswer> metrics = {};
  std::optional<bool> confirmed = std::nullopt;
  std::optional<std::string> verdict = std::nullopt;
  std::string warning = {};
  BestWords words = {};
};

template <class Visit>
void visit_fields(BestAnswer& answer, Visit&& visit) {
  visit_fields(answer.best, visit);
  visit(Field{"text", "the same in a sentence"}, answer.text);
  visit(Field{"uplift", "over the baseline, where that was measured"}.or_none(), answer.uplift);
  visit(Field{"metrics", "what else was measured at the arm"}.or_none(), answer.metrics);
  visit(
      Field{"confirmed", "whether a comparison with the baseline has confirmed this arm"}.or_none(),
      answer.confirmed);
  visit(Field{"verdict", "of that comparison, in words"}.or_none(), answer.verdict);
  visit(Field{"warning", "the study was begun with another revision of its algorithm"}.or_none(),
        answer.warning);
  visit(Field{"words", "for people: what to do, how certain that is, and why"}, answer.words);
}

[[nodiscard]] BestAnswer best_answer(const Optimizer& optimizer, const Best& best,
                                     const StudySpecification& specification,
                                     const TunerState& tuner);

}  // namespace canopy
