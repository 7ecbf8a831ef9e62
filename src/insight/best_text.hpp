#pragma once
// The best arm in words: what commands print, Python's print(best) and the `text` of answers.

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "tuning/tuner_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// `x = 0.25: 0.713 (0.702 to 0.724 at 95 %), 120 pulls; 2 other arms cannot be ruled out
/// yet`
[[nodiscard]] std::string best_text(const Space& space, const Best& best);

/// The difference as a share of what the baseline earns: `+12 %`. Empty where that is not above
/// zero, or next to nothing.
[[nodiscard]] std::string share_of_baseline(const Uplift& uplift);

/// What an uplift is about: `x = 0.25`, `the policy`, `the policy of pull 300`.
[[nodiscard]] std::string subject_text(const Space& space, const Uplift& uplift);

/// `+0.12 over the baseline (+0.10 to +0.14 at 95 %, 41 pairs): better (95 %)`; for costs, `0.12
/// below the baseline (...)`.
[[nodiscard]] std::string claim_text(const Space& space, const Uplift& uplift, const Best& best,
                                     Direction direction);

/// What to say of the best arm, where another one is proven to be better than the baseline: `x =
/// 0.4 looks better still ...`.
[[nodiscard]] std::string beside_proven_text(const Space& space, const Uplift& uplift,
                                             const Best& best);

/// ` since pull 12040, when the system changed`; empty if it has not.
[[nodiscard]] std::string since_text(const std::optional<std::uint64_t>& since);

/// That comparisons from before a change of the system do not count; empty without one.
[[nodiscard]] std::string outdated_text(const Uplift& uplift);

/// The claim, and that the system has changed, or the level moves, if it does.
[[nodiscard]] std::string uplift_text(const Space& space, const Uplift& uplift, const Best& best,
                                      Direction direction);

/// `the baseline's mean over the study is 99.2 (96 to 102 at 95 %, 18 visits)`
[[nodiscard]] std::string level_text(const Uplift& uplift);
[[nodiscard]] std::string moves_text(const LevelMove& moves);

/// The uplift as a line: also where the best arm is the baseline. Empty without a measured
/// baseline.
[[nodiscard]] std::string uplift_line(const std::optional<Uplift>& uplift, const Best& best,
                                      const StudySpecification& specification);

/// What else was measured at an arm, a line each: `p99_ms 31.5 (at most 50): kept`, or, of one
/// without a limit, `p99_ms: 31.5 (28.1 to 34.9 at 95 %)`.
[[nodiscard]] std::vector<std::string> metric_lines(const Best& best,
                                                    const StudySpecification& specification,
                                                    const TunerState& tuner);

/// `tuning has cost 0.9 % (+- 0.4) of what the baseline earns; 2 % are allowed`, and what is waited
/// for.
[[nodiscard]] std::string loss_text(const StudySpecification& specification, const Loss& loss);

/// What to tell people about limits, once each.
struct LimitNote {
  std::string about;  ///< the same for what was said before
  std::string text;
};
[[nodiscard]] std::vector<LimitNote> limit_notes(const Optimizer& optimizer,
                                                 const StudySpecification& specification,
                                                 const TunerState& tuner);

/// `x = 0.25: better than the baseline after ...`; empty where the uplift says it, or nothing was
/// compared.
[[nodiscard]] std::string verdict_line(const Space& space, const TunerState& tuner,
                                       const std::optional<Uplift>& uplift);

}  // namespace canopy
