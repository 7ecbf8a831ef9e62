#pragma once

#include "canopy/environment.hpp"

#include <cmath>
#include <numbers>

namespace canopy {

/// f(x) = x (1 - x) (4 - sqrt|sin 60x|) on [0, 1]: many local maxima, and around the global one, at
/// x = pi/6, it falls as a square root (Azar, Lazaric, Brunskill, ICML 2014, Section 6).
[[nodiscard]] inline double garland(double x) {
  return x * (1.0 - x) * (4.0 - std::sqrt(std::abs(std::sin(60.0 * x))));
}

inline constexpr double kGarlandArgmax = std::numbers::pi / 6.0;
inline constexpr double kGarlandMaximum =
    2.0 * std::numbers::pi / 3.0 * (1.0 - std::numbers::pi / 6.0);

struct GarlandOptions {
  /// >= 0: noise is uniform in [-noise_width / 2, noise_width / 2]. The paper draws it from [0, 1];
  /// centred, it does the same and leaves the mean reward equal to f.
  double noise_width = 1.0;
};

/// Independent rewards: f(x) + noise.
class Garland final : public Environment {
 public:
  /// Throws ConfigurationError.
  explicit Garland(const GarlandOptions& options = {});

  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] double mean_reward(Arm arm) const override { return garland(arm[0]); }
  [[nodiscard]] Optimum optimum() const override { return {{kGarlandArgmax}, kGarlandMaximum}; }
  void start(RandomStream& /*random*/) override {}
  double pull(Arm arm, RandomStream& random) override {
    return garland(arm[0]) + noise_width_ * (random.uniform() - 0.5);
  }

 private:
  Space space_;
  double noise_width_;
};

struct GarlandMdpOptions {
  double noise_width = 1.0;  ///< As in GarlandOptions.
  /// In (0, 1]: how far the state moves towards the arm at each pull. 1 has no memory.
  double beta = 0.2;
};

/// A state that follows the arm, s' = (1 - beta) s + beta x, with the reward f(s') + noise: what an
/// arm earns depends on what was played before. Held for ever, arm x earns f(x).
class GarlandMdp final : public Environment {
 public:
  /// Throws ConfigurationError.
  explicit GarlandMdp(const GarlandMdpOptions& options = {});

  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] double mean_reward(Arm arm) const override { return garland(arm[0]); }
  [[nodiscard]] Optimum optimum() const override { return {{kGarlandArgmax}, kGarlandMaximum}; }
  void start(RandomStream& random) override { state_ = random.uniform(); }
  double pull(Arm arm, RandomStream& random) override {
    state_ = (1.0 - beta_) * state_ + beta_ * arm[0];
    return garland(state_) + noise_width_ * (random.uniform() - 0.5);
  }

  [[nodiscard]] double state() const { return state_; }

 private:
  Space space_;
  double noise_width_;
  double beta_;
  double state_ = 0.0;
};

}  // namespace canopy
