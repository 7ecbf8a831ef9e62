#pragma once

#include "canopy/clock.hpp"
#include "canopy/environment.hpp"
#include "canopy/random.hpp"

#include "systems/live_system.hpp"

#include <functional>
#include <string>
#include <vector>

namespace canopy {

/// A number that a simulated system reports beside its reward: around a mean that the arm has.
struct SimulatedMetric {
  std::string name;
  std::function<double(Arm)> mean;
  double spread = 0.0;  ///< standard deviation
};

/// What can go wrong in a simulated system, and how long things take in it.
struct SimulatedOptions {
  double observe_seconds = 0.0;
  double apply_seconds = 1.0;
  double measure_seconds = 1.0;
  double timeout_seconds = 30.0;  ///< that a hang takes

  /// How much of the difference to the setting before is left after a pull: the system settles
  /// slowly. In [0, 1).
  double fade = 0.0;
  /// What a change of setting costs in the first pull after it, and less and less as it fades.
  double dip = 0.0;

  double blind_rate = 0.0;      ///< of contexts that cannot be read
  double failure_rate = 0.0;    ///< of measurements that fail
  double hang_rate = 0.0;       ///< of measurements that hang
  double outage_rate = 0.0;     ///< of measurements at which all of it goes down,
  double outage_seconds = 0.0;  ///< for so long

  std::function<bool(Arm)> fails_at = {};  ///< settings that cannot be measured at all
  std::vector<SimulatedMetric> metrics = {};
};

/// A system that is an environment, in the time of a virtual clock. Its context is that of the
/// environment's next step.
class SimulatedSystem final : public LiveSystem {
 public:
  /// All but the options must outlive it.
  SimulatedSystem(KnownEnvironment& environment, VirtualClock& clock, RandomStream& random,
                  SimulatedOptions options = {});

  [[nodiscard]] bool can_be_set() const override { return true; }
  [[nodiscard]] std::variant<std::vector<double>, SystemFailure> observe() override;
  [[nodiscard]] std::optional<SystemFailure> apply(Arm arm) override;
  [[nodiscard]] std::variant<Reading, SystemFailure> measure(Arm arm) override;
  [[nodiscard]] std::optional<SystemFailure> leave_at(Arm arm) override { return apply(arm); }

  /// The setting that it has; empty: none yet. What it was measured for so far, failures included.
  [[nodiscard]] const std::vector<double>& setting() const { return setting_; }
  [[nodiscard]] std::uint64_t measurements() const { return measurements_; }

  /// What the mean rewards of all settings that were measured lack to the best one, in sum.
  [[nodiscard]] double regret() const { return regret_; }

 private:
  /// The next step of the environment, which knows nothing of measurements that fail.
  [[nodiscard]] std::uint64_t step() const { return pulls_ + 1; }
  [[nodiscard]] bool is_down() const { return clock_.steady_time() < down_until_; }
  [[nodiscard]] bool happens(double rate) { return rate > 0.0 && random_.uniform() < rate; }

  KnownEnvironment& environment_;
  VirtualClock& clock_;
  RandomStream& random_;
  SimulatedOptions options_;
  std::vector<double> setting_;
  double lag_ = 0.0;  // what is left of settings before
  double down_until_ = 0.0;
  double regret_ = 0.0;
  std::uint64_t measurements_ = 0;
  std::uint64_t pulls_ = 0;  // measurements that did not fail
};

}  // namespace canopy
