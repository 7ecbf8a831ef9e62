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

/// What else was measured at an arm.
struct MetricAnswer {
  double mean = 0.0;
  Interval interval;
  std::uint64_t pulls = 0;
  std::optional<LimitState> limit = std::nullopt;  ///< none: it has none
};

/// By name.
[[nodiscard]] std::map<std::string, MetricAnswer> metrics_at(const Best& best,
                                                             const TunerState& tuner);

template <class Visit>
void visit_fields(MetricAnswer& metric, Visit&& visit) {
  visit(Field{"mean", "at the arm"}, metric.mean);
  visit_fields(metric.interval, visit);
  visit(Field{"pulls", "that it was measured in"}, metric.pulls);
  visit(Field{"limit", "whether it keeps its limit, as far as is known; left out: it has none"}
            .or_none(),
        metric.limit);
}

/// The best arm with all that is known of it: its uplift over a baseline that was measured, other
/// metrics, what came of a comparison.
struct BestAnswer {
  Best best;
  std::string text = {};  ///< all of that in a sentence
  std::optional<Uplift> uplift = std::nullopt;
  std::string uplift_text = {};  ///< in a sentence
  std::optional<Loss> loss = std::nullopt;
  std::string loss_text = {};  ///< in a sentence
  std::map<std::string, MetricAnswer> metrics = {};
  std::optional<bool> confirmed = std::nullopt;
  std::optional<std::string> verdict = std::nullopt;
  std::vector<double> verdict_arm = {};  ///< that it is about
  std::string warning = {};
  BestWords words = {};

  // What the words depend on beside this.
  std::vector<LimitCheck> limits_of_uplift = {};  ///< of its arm, where that is not the best one
  bool baseline_breaks_limit = false;             ///< probably, by what was measured there
};

template <class Visit>
void visit_fields(BestAnswer& answer, Visit&& visit) {
  visit_fields(answer.best, visit);
  visit(Field{"text", "the same in a sentence"}, answer.text);
  visit(Field{"uplift", "over the baseline, where that was measured"}.or_none(), answer.uplift);
  visit(Field{"uplift_text", "the same in a sentence"}.or_none(), answer.uplift_text);
  visit(Field{"loss", "what tuning has cost, where budget.max_loss says how much it may"}.or_none(),
        answer.loss);
  visit(Field{"loss_text", "the same in a sentence"}.or_none(), answer.loss_text);
  visit(Field{"metrics", "what else was measured at the arm"}.or_none(), answer.metrics);
  visit(
      Field{"confirmed", "whether a comparison with the baseline has confirmed the arm of `uplift`"}
          .or_none(),
      answer.confirmed);
  visit(Field{"verdict", "of the last comparison, in words"}.or_none(), answer.verdict);
  visit(SettingField{Field{"verdict_arm", "that it is about"}.or_none()}, answer.verdict_arm);
  visit(Field{"warning", "the study was begun with another revision of its algorithm"}.or_none(),
        answer.warning);
  visit(Field{"words", "for people: what to do, how certain that is, and why"}, answer.words);
}

[[nodiscard]] BestAnswer best_answer(const Optimizer& optimizer, const Best& best,
                                     const StudySpecification& specification,
                                     const TunerState& tuner);

}  // namespace canopy
