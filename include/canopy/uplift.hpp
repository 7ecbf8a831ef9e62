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

/// Where the mean of the baseline was lowest and highest, over a few rounds in a row.
struct LevelMove {
  struct Place {
    double mean = 0.0;
    std::uint64_t from = 0;  ///< pulls, of all purposes
    std::uint64_t to = 0;
  };

  Place low = {};
  Place high = {};
};

template <class Visit>
void visit_fields(LevelMove::Place& place, Visit&& visit) {
  visit(Field{"mean", "of the baseline"}, place.mean);
  visit(Field{"from", "the pull it begins with"}, place.from);
  visit(Field{"to", "the pull it ends with"}, place.to);
}

template <class Visit>
void visit_fields(LevelMove& move, Visit&& visit) {
  visit(Field{"low", "where it was lowest"}, move.low);
  visit(Field{"high", "where it was highest"}, move.high);
}

/// An arm beside the baseline, from pairs of pulls in an order that was tossed: in the user's
/// units.
struct Uplift {
  enum class Verdict : std::uint8_t {
    too_few,  ///< There are too few pairs to say anything.
    open,     ///< It may be better or worse.
    better,
    worse,
  };

  std::vector<double> arm = {};  ///< that was compared; empty: a policy, in contexts
  /// The pull after which that policy was what is best in every context; later ones may be others.
  std::optional<std::uint64_t> policy_of = std::nullopt;
  bool is_best = true;  ///< whether that is the one of `best`, or the policy of now
  bool best_is_baseline = false;
  bool is_confirmed = false;  ///< by a comparison of its own, whose pairs these are
  bool is_refuted = false;    ///< by a later comparison: it was worse, failed or broke a limit
  Verdict verdict = Verdict::too_few;
  double difference = 0.0;   ///< the arm's rewards less the baseline's, mean over the pairs
  Interval interval = {};    ///< of it; holds at all looks, although the arm was chosen by looking
  double level = 0.95;       ///< of the interval and the verdict
  std::uint64_t pairs = 0;   ///< of the arm
  std::uint64_t fewest = 0;  ///< that can decide
  std::uint64_t best_pairs = 0;             ///< of the arm of `best`
  Verdict best_verdict = Verdict::too_few;  ///< by these
  bool best_is_refuted = false;             ///< by the last comparison, whose pairs these are
  /// Whether the arm has a better mean than the best one, which is the best by its limits or by
  /// what the algorithm knows of both.
  bool has_better_mean = false;
  /// Whether the arm keeps its limits, but not as surely as `best` asks.
  bool is_less_sure_of_limits = false;

  /// The last pull before more than the level was seen to change: pairs until then do not count.
  std::optional<std::uint64_t> since = std::nullopt;
  bool was_proven = false;  ///< an arm, by such pairs

  double baseline_mean = 0.0;  ///< over the time of the study, or since then
  Interval baseline = {};      ///< of that
  std::uint64_t rounds = 0;    ///< in which it was measured
  std::uint64_t baseline_pulls = 0;
  /// Where the level of rewards moves beyond doubt: means of arms cannot be compared then.
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
          Field{"arm", "the setting that was compared; left out: a policy, in contexts"}.or_none()},
      uplift.arm);
  visit(Field{"policy_of", "the pull after which that policy was what is best in every context"}
            .or_none(),
        uplift.policy_of);
  visit(Field{"is_best", "whether it is the best arm, or the policy of now"}, uplift.is_best);
  visit(Field{"best_is_baseline", "the best arm is the baseline"}, uplift.best_is_baseline);
  visit(Field{"is_confirmed", "by a comparison of its own, whose pairs these are"},
        uplift.is_confirmed);
  visit(Field{"is_refuted", "by a later comparison: it was worse, failed or broke a limit"},
        uplift.is_refuted);
  visit(Field{"verdict", "at the level of the study"}, uplift.verdict);
  visit(Field{"mean", "of the differences: the arm less the baseline"}, uplift.difference);
  visit(Field{"low", "of its interval; null: there is none"}.or_null(), uplift.interval.lower);
  visit(Field{"high", "of its interval"}.or_null(), uplift.interval.upper);
  visit(Field{"level", "of the interval and the verdict"}, uplift.level);
  visit(Field{"pairs", "of the arm and the baseline"}, uplift.pairs);
  visit(Field{"fewest", "pairs that can decide"}, uplift.fewest);
  visit(Field{"best_pairs", "of the best arm and the baseline"}, uplift.best_pairs);
  visit(Field{"best_verdict", "by these"}, uplift.best_verdict);
  visit(Field{"best_is_refuted", "the best arm, by the last comparison, whose pairs these are"}
            .or_none(),
        uplift.best_is_refuted);
  visit(Field{"has_better_mean",
              "than the best arm, which is the best by its limits or by what the algorithm knows"}
            .or_none(),
        uplift.has_better_mean);
  visit(
      Field{"is_less_sure_of_limits", "the arm keeps them less surely than `best` asks"}.or_none(),
      uplift.is_less_sure_of_limits);
  visit(Field{"since",
              "the last pull before the system was seen to change: pairs until then do not count"}
            .or_none(),
        uplift.since);
  visit(Field{"was_proven", "an arm, by such pairs"}.or_none(), uplift.was_proven);
  visit(Field{"baseline_mean", "over the time of the study, or since then"}, uplift.baseline_mean);
  visit(Field{"baseline_low", "of its interval; null: there is none"}.or_null(),
        uplift.baseline.lower);
  visit(Field{"baseline_high", "of its interval"}.or_null(), uplift.baseline.upper);
  visit(Field{"rounds", "in which the baseline was measured"}, uplift.rounds);
  visit(Field{"baseline_pulls", "how many they were"}, uplift.baseline_pulls);
  visit(Field{"moves", "where the level of rewards moves beyond doubt"}.or_none(), uplift.moves);
}

}  // namespace canopy
