#pragma once

#include "trials/trial.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace canopy {

/// The trials to make: `studies` studies for every system, kind of noise and set of options.
struct Campaign {
  std::vector<const TrialSystem*> systems;
  std::vector<const TrialOptions*> options;
  std::vector<Disturbance> noises;
  std::uint64_t studies = 200;
  std::uint64_t pulls = 300;
  double size = 0.3;
  std::uint64_t seed = 1;
};

/// Every meaningful combination: `settle`, for example, is tried on systems that settle slowly.
[[nodiscard]] Campaign full_campaign();

/// The results of all studies of one system with the same noise and options, as fractions and
/// means.
struct TrialRow {
  const TrialSystem* system = nullptr;
  const TrialOptions* options = nullptr;
  Disturbance noise = Disturbance::gaussian;
  std::uint64_t studies = 0;
  double claims_better = 0.0;  ///< fraction of all studies
  double is_false = 0.0;
  double uplift_misses = 0.0;
  double best_misses = 0.0;
  double best_has_none = 0.0;  ///< fraction without an interval
  double left_breaks_limit = 0.0;
  double is_kept = 0.0;
  double kept_is_wrong = 0.0;
  double probably_is_wrong = 0.0;
  double beyond_limit = 0.0;
  double exceeds_loss = 0.0;
  double fell_back = 0.0;
  double left_gain = 0.0;  ///< mean over the studies
  double regret = 0.0;
  double loss = 0.0;
  double measurements = 0.0;
};

/// Makes the trials on all cores and calls `on_row` with every row, in order. The rows depend only
/// on the campaign, not on the number of cores.
void run_campaign(const Campaign& campaign, const std::function<void(const TrialRow&)>& on_row);

/// The heading of the printed table; `trial_line`: one of its rows.
[[nodiscard]] std::string trial_heading();
[[nodiscard]] std::string trial_line(const TrialRow& row);

}  // namespace canopy
