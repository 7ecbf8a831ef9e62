#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "insight/best_words.hpp"
#include "tuning/tuner_state.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// Another metric measured at an arm.
struct MetricAnswer {
  double mean = 0.0;
  Interval interval;
  std::uint64_t pulls = 0;
  std::optional<LimitState> limit = std::nullopt;  ///< none: the metric has no limit
};

/// The metrics of the best arm, by name.
[[nodiscard]] std::map<std::string, MetricAnswer> metrics_at(const Best& best,
                                                             const TunerState& tuner);

template <class Visit>
void visit_fields(MetricAnswer& metric, Visit&& visit) {
  visit(Field{"mean", "mean at the arm"}, metric.mean);
  visit_fields(metric.interval, visit);
  visit(Field{"pulls", "number of pulls with this metric"}, metric.pulls);
  visit(Field{"limit", "whether the limit is kept, as far as known; omitted if there is no limit"}
            .or_none(),
        metric.limit);
}

/// The best arm with everything known about it: its uplift over a measured baseline, other metrics,
/// and the result of a comparison.
struct BestAnswer {
  Best best;
  std::string text = {};  ///< everything in one sentence
  std::optional<Uplift> uplift = std::nullopt;
  std::string uplift_text = {};  ///< as a sentence
  std::optional<Loss> loss = std::nullopt;
  std::string loss_text = {};  ///< as a sentence
  std::map<std::string, MetricAnswer> metrics = {};
  std::optional<bool> confirmed = std::nullopt;
  std::optional<std::string> verdict = std::nullopt;
  std::vector<double> verdict_arm = {};  ///< the arm that the verdict is about
  std::string warning = {};
  BestWords words = {};

  // Further inputs of best_words.
  /// The limits of the uplift's arm, if that is not the best arm.
  std::vector<LimitCheck> limits_of_uplift = {};
  bool baseline_breaks_limit = false;  ///< probably, according to its measurements
};

template <class Visit>
void visit_fields(BestAnswer& answer, Visit&& visit) {
  visit_fields(answer.best, visit);
  visit(Field{"text", "the best arm in one sentence"}, answer.text);
  visit(Field{"uplift", "difference from the baseline, if that was measured"}.or_none(),
        answer.uplift);
  visit(Field{"uplift_text", "the uplift in one sentence"}.or_none(), answer.uplift_text);
  visit(Field{"loss", "what tuning has cost, if budget.max_loss limits it"}.or_none(), answer.loss);
  visit(Field{"loss_text", "the loss in one sentence"}.or_none(), answer.loss_text);
  visit(Field{"metrics", "other metrics measured at the arm"}.or_none(), answer.metrics);
  visit(
      Field{"confirmed", "whether a comparison with the baseline has confirmed the arm of `uplift`"}
          .or_none(),
      answer.confirmed);
  visit(Field{"verdict", "result of the last comparison, as text"}.or_none(), answer.verdict);
  visit(SettingField{Field{"verdict_arm", "the arm that the verdict is about"}.or_none()},
        answer.verdict_arm);
  visit(Field{"warning", "set if the study was created with another revision of its algorithm"}
            .or_none(),
        answer.warning);
  visit(Field{"words", "advice in words: what to do, how certain that is, and why"}, answer.words);
}

[[nodiscard]] BestAnswer best_answer(const Optimizer& optimizer, const Best& best,
                                     const StudySpecification& specification,
                                     const TunerState& tuner);

}  // namespace canopy
