#pragma once

#include "canopy/environment.hpp"

#include <cstdint>

namespace canopy::testing {

/// A linear function from 0 to 1, without noise.
class Slope final : public SteadyEnvironment {
 public:
  explicit Slope(double low = 0.0, double high = 1.0)
      : low_(low), high_(high), space_({{"x", Real{low, high}}}) {}

  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] double mean_reward(Arm arm) const override {
    return (arm[0] - low_) / (high_ - low_);
  }
  [[nodiscard]] Optimum optimum() const override { return {{high_}, 1.0}; }
  void start(RandomStream& /*random*/) override {}
  double pull(Arm arm, RandomStream& /*random*/) override { return mean_reward(arm); }

 private:
  double low_;
  double high_;
  Space space_;
};

}  // namespace canopy::testing
