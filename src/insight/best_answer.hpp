#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "insight/best_words.hpp"
#include "tuning/tuner_state.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Whether a metric keeps its limit, at the level of its interval.
enum class LimitState : std::uint8_t { kept, unsure, broken };

template <>
struct EnumNames<LimitState> {
  static constexpr std::array<std::string_view, 3> names{"kept", "unsure", "broken"};
};

/// What else was measured at an arm.
struct KnownMetric {
  std::string name;
  ArmEstimate estimate;
  const Limit* limit = nullptr;

  /// None: it has no limit.
  [[nodiscard]] std::optional<LimitState> limit_state() const;
};

[[nodiscard]] std::vector<KnownMetric> metrics_at(const StudySpecification& specification,
                                                  const TunerState& tuner, Arm arm);

/// The same, to be written down.
struct MetricAnswer {
  double mean = 0.0;
  Interval interval;
  std::uint64_t pulls = 0;
  std::optional<LimitState> limit = std::nullopt;  ///< none: it has none
};

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
  visit(Field{"uplift_text", "the same in a sentence"}.or_none(), answer.uplift_text);
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
