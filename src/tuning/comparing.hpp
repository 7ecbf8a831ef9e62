#pragma once

#include "canopy/study.hpp"

#include "tuning/system_keeper.hpp"
#include "tuning/tuner_monitor.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace canopy {

/// The default number of pulls of a comparison.
inline constexpr std::uint64_t kConfirmPulls = 100;

/// Compares the best arm with the baseline until one of them is significantly better or the pulls
/// are used up: see Comparison. In a study with contexts it compares the policy, which does not
/// change meanwhile because nothing is learnt. Contexts in which the policy is the baseline are
/// skipped, independently of the random order, so that only contexts in which they differ are
/// compared.
class Comparing {
 public:
  /// All arguments must outlive this object.
  Comparing(Study& study, SystemKeeper& keeper, TunerMonitor& monitor);

  /// Whether a comparison is in progress, or one was requested and there is a best arm to compare.
  [[nodiscard]] bool is_due() const;

  /// The number of pulls that was requested, else that of the budget, else the default.
  [[nodiscard]] std::uint64_t wanted_pulls() const;

  /// Begins a comparison of at most `pulls` pulls, unless one is in progress. The study must have a
  /// baseline.
  void begin(std::uint64_t pulls);

  /// Performs one pull of the comparison, or ends it.
  void step();

 private:
  void conclude();
  void end(bool confirmed, const std::string& verdict, bool refuted = false);
  void play_in_context();
  void play(const std::vector<double>& arm, bool is_baseline, Context context = {});
  [[nodiscard]] bool is_baseline_everywhere() const;
  [[nodiscard]] double effect_of(Context context) const;
  [[nodiscard]] std::string verdict_text() const;
  [[nodiscard]] const std::vector<double>& baseline() const {
    return study_.specification().baseline->setting;
  }
  [[nodiscard]] Direction direction() const { return study_.specification().objective.direction; }
  [[nodiscard]] const TunerState& state() const { return tuner_state_of(study_); }

  Study& study_;
  SystemKeeper& keeper_;
  TunerMonitor& monitor_;
  std::uint64_t contexts_at_baseline_ = 0;  // contexts in a row in which the policy is the baseline
};

}  // namespace canopy
