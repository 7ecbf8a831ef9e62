#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/intervals.hpp"
#include "canopy/options.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace canopy {

/// The lowest and the highest mean of the baseline over a few consecutive rounds.
struct LevelMove {
  struct Place {
    double mean = 0.0;
    std::uint64_t from = 0;  ///< in pulls for all purposes
    std::uint64_t to = 0;
  };

  Place low = {};
  Place high = {};
};

template <class Visit>
void visit_fields(LevelMove::Place& place, Visit&& visit) {
  visit(Field{"mean", "mean of the baseline"}, place.mean);
  visit(Field{"from", "the first pull of the period"}, place.from);
  visit(Field{"to", "the last pull of the period"}, place.to);
}

template <class Visit>
void visit_fields(LevelMove& move, Visit&& visit) {
  visit(Field{"low", "the period with the lowest mean"}, move.low);
  visit(Field{"high", "the period with the highest mean"}, move.high);
}

/// The comparison of an arm with the baseline, from pairs of pulls in random order, in the user's
/// units.
struct Uplift {
  enum class Verdict : std::uint8_t {
    too_few,  ///< There are too few pairs for any claim.
    open,     ///< The arm may be better or worse.
    better,
    worse,
  };

  std::vector<double> arm = {};  ///< the arm that was compared; empty: a policy, with contexts
  /// The pull after which that policy was frozen; the current policy may differ.
  std::optional<std::uint64_t> policy_of = std::nullopt;
  bool is_best = true;  ///< whether this is the arm of `best`, or the current policy
  bool best_is_baseline = false;
  bool is_confirmed = false;  ///< confirmed by a separate comparison, whose pairs these are
  bool is_refuted = false;    ///< it was worse, failed or broke a limit in a later comparison
  Verdict verdict = Verdict::too_few;
  double difference = 0.0;                  ///< arm less baseline, mean over the pairs
  Interval interval = {};                   ///< interval of the difference; valid at all looks
  double confidence = 0.95;                 ///< level of the interval and the verdict
  std::uint64_t pairs = 0;                  ///< pairs of the arm and the baseline
  std::uint64_t fewest = 0;                 ///< fewest pairs that can decide
  std::uint64_t best_pairs = 0;             ///< pairs of the arm of `best`
  Verdict best_verdict = Verdict::too_few;  ///< verdict for the arm of `best`
  bool best_is_refuted =
      false;  ///< the arm of `best`, by the last comparison, whose pairs these are
  /// Whether the arm has a better mean than the arm of `best`, which was preferred for its limits
  /// or by the algorithm's model.
  bool has_better_mean = false;
  /// Whether the arm keeps its limits, but with less certainty than `best` requires.
  bool is_less_sure_of_limits = false;

  /// The last pull before a change of more than the level was detected: earlier pairs are ignored.
  std::optional<std::uint64_t> since = std::nullopt;
  bool was_proven = false;  ///< whether an arm was proven better by earlier pairs

  double baseline_mean = 0.0;  ///< mean of the baseline over the study, or since `since`
  Interval baseline = {};      ///< interval of that mean
  std::uint64_t rounds = 0;    ///< rounds in which the baseline was measured
  std::uint64_t baseline_pulls = 0;
  /// Set if the level of rewards moves significantly: means of arms cannot be compared then.
  std::optional<LevelMove> moves = std::nullopt;
};

template <>
struct EnumNames<Uplift::Verdict> {
  static constexpr std::array<std::string_view, 4> names{"too_few", "open", "better", "worse"};
};

template <class Visit>
void visit_fields(Uplift& uplift, Visit&& visit) {
  visit(
      SettingField{
          Field{"arm", "the compared setting; omitted for a policy, with contexts"}.or_none()},
      uplift.arm);
  visit(Field{"policy_of", "the pull after which that policy was frozen"}.or_none(),
        uplift.policy_of);
  visit(Field{"is_best", "whether it is the best setting, or the current policy"}, uplift.is_best);
  visit(Field{"best_is_baseline", "whether the best setting is the baseline"},
        uplift.best_is_baseline);
  visit(Field{"is_confirmed", "whether a separate comparison, whose pairs these are, confirmed it"},
        uplift.is_confirmed);
  visit(Field{"is_refuted", "whether it was worse, failed or broke a limit in a later comparison"},
        uplift.is_refuted);
  visit(Field{"verdict", "the decision at the level of the study"}, uplift.verdict);
  visit(Field{"mean", "mean difference: the setting less the baseline"}, uplift.difference);
  visit(Field{"lower", "lower end of the interval of the difference; null if there is none"}
            .or_null(),
        uplift.interval.lower);
  visit(Field{"upper", "upper end of that interval"}.or_null(), uplift.interval.upper);
  visit(Field{"confidence", "level of the interval and the verdict"}, uplift.confidence);
  visit(Field{"pairs", "pairs of the setting and the baseline"}, uplift.pairs);
  visit(Field{"fewest", "the fewest pairs that can decide"}, uplift.fewest);
  visit(Field{"best_pairs", "pairs of the best setting and the baseline"}, uplift.best_pairs);
  visit(Field{"best_verdict", "the decision for the best setting"}, uplift.best_verdict);
  visit(Field{"best_is_refuted", "whether the last comparison refuted the best setting"}.or_none(),
        uplift.best_is_refuted);
  visit(
      Field{"has_better_mean",
            "whether its mean is better than that of the best setting, which was preferred for its "
            "limits or by the algorithm's model"}
          .or_none(),
      uplift.has_better_mean);
  visit(Field{"is_less_sure_of_limits",
              "whether it keeps its limits, but with less certainty than `best` requires"}
            .or_none(),
        uplift.is_less_sure_of_limits);
  visit(Field{"since",
              "the last pull before a change of the system was detected; earlier pairs are ignored"}
            .or_none(),
        uplift.since);
  visit(Field{"was_proven", "whether a setting was proven better by earlier pairs"}.or_none(),
        uplift.was_proven);
  visit(Field{"baseline_mean", "mean of the baseline over the study, or since `since`"},
        uplift.baseline_mean);
  visit(Field{"baseline_lower", "lower end of the interval of that mean; null if there is none"}
            .or_null(),
        uplift.baseline.lower);
  visit(Field{"baseline_upper", "upper end of the interval of that mean"}.or_null(),
        uplift.baseline.upper);
  visit(Field{"rounds", "rounds in which the baseline was measured"}, uplift.rounds);
  visit(Field{"baseline_pulls", "pulls of the baseline"}, uplift.baseline_pulls);
  visit(Field{"level_move",
              "the lowest and the highest level, if the level of rewards moves significantly"}
            .or_none(),
        uplift.moves);
}

}  // namespace canopy
