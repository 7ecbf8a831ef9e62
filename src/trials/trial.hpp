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

/// A simulated system that a study can be tried on, with what is true of it.
struct TrialSystem {
  std::string name;
  std::string line;                                                ///< what it is, for people
  std::function<std::unique_ptr<KnownEnvironment>()> environment;  ///< rewards in [0, 1], no noise
  std::vector<double> baseline;
  SimulatedOptions troubles = {};
  std::vector<Limit> limits = {};
  double noise = 1.0;  ///< times the size that a trial has
};

/// What the study is told, beside the box.
struct TrialOptions {
  std::string name;
  std::string line;
  std::function<void(StudySpecification&)> set;
};

/// The systems and options that there are.
[[nodiscard]] const std::vector<TrialSystem>& trial_systems();
[[nodiscard]] const std::vector<TrialOptions>& trial_options();

/// One study of `pulls` pulls.
struct Trial {
  const TrialSystem* system = nullptr;
  const TrialOptions* options = nullptr;
  Disturbance noise = Disturbance::gaussian;
  double size = 0.3;  ///< of the noise; the range of mean rewards is 1
  std::uint64_t pulls = 300;
  std::uint64_t seed = 0;  ///< of the system
};

/// What a study claimed, and what was true.
struct TrialOutcome {
  bool claims_better = false;  ///< that its best arm is better than the baseline
  bool is_false = false;       ///< and it is not: at the end, or at any look before
  /// Whether the interval of the uplift, and that of the best arm's mean, have the truth; none:
  /// there was no interval.
  std::optional<bool> uplift_covers = std::nullopt;
  std::optional<bool> best_covers = std::nullopt;
  bool left_breaks_limit = false;
  bool is_kept = false;            ///< the best arm is said to keep all limits,
  bool kept_is_wrong = false;      ///< and does not
  bool probably_is_wrong = false;  ///< it is said to keep them probably, and does not
  double beyond_limit = 0.0;       ///< part of the measurements at settings that break a limit
  /// Whether the true loss was more than 2 % of what the baseline earns, at any measurement from
  /// the 20th on.
  bool exceeds_loss = false;
  double left_gain = 0.0;  ///< true mean of what the system was left with, less the baseline's
  double regret = 0.0;     ///< per measurement, in the range of mean rewards
  double loss = 0.0;       ///< the same against the baseline: negative where the search has gained
  double measurements = 0.0;
  bool in_need = false;  ///< the study was broken off
};

/// Runs the whole tuner on it, in virtual time. The same trial has the same outcome.
[[nodiscard]] TrialOutcome run_trial(const Trial& trial);

}  // namespace canopy
