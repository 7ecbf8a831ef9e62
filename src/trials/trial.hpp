#pragma once

#include "canopy/disturbed.hpp"
#include "canopy/study_specification.hpp"

#include "systems/simulated_system.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// A simulated system with known truth, on which studies are tried.
struct TrialSystem {
  std::string name;
  std::string line;                                                ///< one-line description
  std::function<std::unique_ptr<KnownEnvironment>()> environment;  ///< rewards in [0, 1], no noise
  std::vector<double> baseline;
  SimulatedOptions troubles = {};
  std::vector<Limit> limits = {};
  double noise = 1.0;  ///< factor of a trial's noise size
};

/// A named change of a study's specification.
struct TrialOptions {
  std::string name;
  std::string line;
  std::function<void(StudySpecification&)> set;
};

/// All systems and, from `trial_options`, all sets of options.
[[nodiscard]] const std::vector<TrialSystem>& trial_systems();
[[nodiscard]] const std::vector<TrialOptions>& trial_options();

/// One study of `pulls` pulls.
struct Trial {
  const TrialSystem* system = nullptr;
  const TrialOptions* options = nullptr;
  Disturbance noise = Disturbance::gaussian;
  double size = 0.3;  ///< size of the noise; the range of mean rewards is 1
  std::uint64_t pulls = 300;
  std::uint64_t seed = 0;  ///< seed of the system
};

/// The claims of a study, compared with the truth.
struct TrialOutcome {
  bool claims_better = false;  ///< claims that its best arm is better than the baseline
  bool is_false = false;       ///< that claim is false, at the end or at an earlier look
  /// Whether the intervals of the uplift and of the best arm's mean contain the truth; none: there
  /// was no interval.
  std::optional<bool> uplift_covers = std::nullopt;
  std::optional<bool> best_covers = std::nullopt;
  bool left_breaks_limit = false;
  bool is_kept = false;            ///< claims that the best arm keeps all limits
  bool kept_is_wrong = false;      ///< that claim is false
  bool probably_is_wrong = false;  ///< claims `probably_kept`, which is false
  double beyond_limit = 0.0;       ///< fraction of measurements at arms that break a limit
  /// Whether the true loss exceeded 2 % of the baseline's reward at any measurement from the 20th
  /// on.
  bool exceeds_loss = false;
  double left_gain = 0.0;  ///< true mean of the arm left in place, less the baseline's
  double regret = 0.0;     ///< per measurement, in the range of mean rewards
  double loss = 0.0;       ///< per measurement, against the baseline; negative: a gain
  double measurements = 0.0;
  bool fell_back = false;  ///< the study ended early because of failures or the floor
};

/// Runs the whole tuner on a trial, in virtual time. Deterministic.
[[nodiscard]] TrialOutcome run_trial(const Trial& trial);

}  // namespace canopy
