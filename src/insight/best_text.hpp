#pragma once
// Descriptions of the best arm: the output of commands, Python's print(best) and the field `text`
// of responses.

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "tuning/tuner_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// `x = 0.25: 0.713 (0.702 to 0.724 at 95 %), 120 pulls; 2 other settings cannot be ruled out yet`
[[nodiscard]] std::string best_text(const Space& space, const Best& best);

/// The difference relative to the mean of the baseline: `+12 %`. Empty if that mean is not
/// positive, or too small for a meaningful ratio.
[[nodiscard]] std::string share_of_baseline(const Uplift& uplift);

/// The subject of an uplift: `x = 0.25`, `the policy`, `the policy of pull 300`.
[[nodiscard]] std::string subject_text(const Space& space, const Uplift& uplift);

/// `+0.12 over the baseline (+0.10 to +0.14 at 95 %, 41 pairs): better (95 %)`; for costs, `0.12
/// below the baseline (...)`.
[[nodiscard]] std::string claim_text(const Space& space, const Uplift& uplift, const Best& best,
                                     Direction direction);

/// Describes the best arm if another arm is proven to be better than the baseline: `x = 0.4 looks
/// even better ...`.
[[nodiscard]] std::string beside_proven_text(const Space& space, const Uplift& uplift,
                                             const Best& best);

/// ` since pull 12040, when the system changed`; empty without a change.
[[nodiscard]] std::string since_text(const std::optional<std::uint64_t>& since);

/// Says that comparisons before a change of the system are no longer valid; empty without a change.
[[nodiscard]] std::string outdated_text(const Uplift& uplift);

/// The claim, followed by notes on changes of the system or of the level, if any.
[[nodiscard]] std::string uplift_text(const Space& space, const Uplift& uplift, const Best& best,
                                      Direction direction);

/// `the baseline's mean over the study is 99.2 (96 to 102 at 95 %, 18 visits)`
[[nodiscard]] std::string level_text(const Uplift& uplift);
[[nodiscard]] std::string moves_text(const LevelMove& moves);

/// The uplift as one line, also if the best arm is the baseline. Empty if the baseline has not been
/// measured.
[[nodiscard]] std::string uplift_line(const std::optional<Uplift>& uplift, const Best& best,
                                      const StudySpecification& specification);

/// Other metrics measured at an arm, one line each: `p99_ms 31.5 (at most 50): kept` or, without a
/// limit, `p99_ms: 31.5 (28.1 to 34.9 at 95 %)`.
[[nodiscard]] std::vector<std::string> metric_lines(const Best& best,
                                                    const StudySpecification& specification,
                                                    const TunerState& tuner);

/// `tuning has cost 0.9 % (+- 0.4) of what the baseline earns; 2 % are allowed`, and the setting
/// that is waiting to be tried.
[[nodiscard]] std::string loss_text(const StudySpecification& specification, const Loss& loss);

/// A note on limits, to be shown once.
struct LimitNote {
  std::string about;  ///< equal for repeated notes on the same subject
  std::string text;
};
[[nodiscard]] std::vector<LimitNote> limit_notes(const Optimizer& optimizer,
                                                 const StudySpecification& specification,
                                                 const TunerState& tuner);

/// `x = 0.25: better than the baseline after ...`; empty if the uplift already says it, or there
/// was no comparison.
[[nodiscard]] std::string verdict_line(const Space& space, const TunerState& tuner,
                                       const std::optional<Uplift>& uplift);

}  // namespace canopy
