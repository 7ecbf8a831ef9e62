#pragma once

#include "canopy/clock.hpp"
#include "canopy/environment.hpp"
#include "canopy/random.hpp"

#include "systems/live_system.hpp"

#include <functional>
#include <string>
#include <vector>

namespace canopy {

/// A metric that a simulated system reports besides the reward, with a mean that depends on the
/// arm.
struct SimulatedMetric {
  std::string name;
  std::function<double(Arm)> mean;
  double spread = 0.0;  ///< standard deviation
};

/// The failures and delays of a simulated system.
struct SimulatedOptions {
  double observe_seconds = 0.0;
  double apply_seconds = 1.0;
  double measure_seconds = 1.0;
  double timeout_seconds = 30.0;  ///< duration of a hang

  /// The system settles slowly: the share of the difference from the previous setting that remains
  /// after each pull. In [0, 1).
  double fade = 0.0;
  /// The loss in the first pull after a change of setting; it decreases in the same way.
  double dip = 0.0;

  double blind_rate = 0.0;      ///< probability that a context cannot be observed
  double failure_rate = 0.0;    ///< probability that a measurement fails
  double hang_rate = 0.0;       ///< probability that a measurement hangs
  double outage_rate = 0.0;     ///< probability per measurement that the whole system goes down
  double outage_seconds = 0.0;  ///< duration of such an outage

  std::function<bool(Arm)> fails_at = {};  ///< settings that can never be measured
  std::vector<SimulatedMetric> metrics = {};
};

/// A simulated system made from an environment, in virtual time. Its context is that of the
/// environment's next step.
class SimulatedSystem final : public LiveSystem {
 public:
  /// All arguments except the options must outlive this object.
  SimulatedSystem(KnownEnvironment& environment, VirtualClock& clock, RandomStream& random,
                  SimulatedOptions options = {});

  [[nodiscard]] bool can_be_set() const override { return true; }
  [[nodiscard]] std::variant<std::vector<double>, SystemFailure> observe() override;
  [[nodiscard]] std::optional<SystemFailure> apply(Arm arm) override;
  [[nodiscard]] std::variant<Reading, SystemFailure> measure(Arm arm) override;
  [[nodiscard]] std::optional<SystemFailure> leave_at(Arm arm) override { return apply(arm); }

  /// The current setting (empty: none yet), and the number of measurements, including failed ones.
  [[nodiscard]] const std::vector<double>& setting() const { return setting_; }
  [[nodiscard]] std::uint64_t measurements() const { return measurements_; }

  /// The sum of the differences between the best mean reward and that of each measured setting.
  [[nodiscard]] double regret() const { return regret_; }

 private:
  /// The environment's next step; failed measurements do not count.
  [[nodiscard]] std::uint64_t step() const { return pulls_ + 1; }
  [[nodiscard]] bool is_down() const { return clock_.steady_time() < down_until_; }
  [[nodiscard]] bool happens(double rate) { return rate > 0.0 && random_.uniform() < rate; }

  KnownEnvironment& environment_;
  VirtualClock& clock_;
  RandomStream& random_;
  SimulatedOptions options_;
  std::vector<double> setting_;
  double lag_ = 0.0;  // remaining effect of earlier settings
  double down_until_ = 0.0;
  double regret_ = 0.0;
  std::uint64_t measurements_ = 0;
  std::uint64_t pulls_ = 0;  // successful measurements
};

}  // namespace canopy
