#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/environment.hpp"
#include "canopy/random.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace canopy {

/// The noise and drift of a live system on top of the arm's reward. With f the reward of the
/// environment, z standard normal, s the size:
enum class Disturbance {
  gaussian,     ///< f + s z
  uneven,       ///< f + s z (0.2 + 1.8 x), x the position of the first parameter in its range
  heavy_tails,  ///< f + s t, t Student-t with 3 degrees of freedom
  outliers,     ///< f + s (z - 0.1); one reward in 200 is larger by 20 s
  zero_one,     ///< 1 with probability f, else 0
  two_values,   ///< 100 with probability f, else 0
  ar_50,        ///< f + s a, a autocorrelated: a <- 0.5 a + sqrt(1 - 0.25) z
  ar_90,        ///< the same with 0.9
  ar_98,        ///< the same with 0.98
  day,          ///< f + s (z + 2 sin), a cycle of 288 pulls with random phase
  walk,         ///< f + s (z + w), w a random walk with steps of 0.2
  jumps,        ///< f + s (z + j), j jumps by 3 z once in 100 pulls
};

template <>
struct EnumNames<Disturbance> {
  static constexpr std::array<std::string_view, 12> names{
      "gaussian", "uneven", "heavy_tails", "outliers", "zero_one", "two_values",
      "ar_50",    "ar_90",  "ar_98",       "day",      "walk",     "jumps"};
};

/// An environment with disturbances. The mean rewards of its arms are known and do not change; the
/// level that all rewards share fluctuates around 0.
class Disturbed final : public KnownEnvironment {
 public:
  /// The environment should have no noise of its own.
  Disturbed(std::unique_ptr<KnownEnvironment> environment, Disturbance kind, double size);

  [[nodiscard]] const Space& space() const override { return environment_->space(); }
  [[nodiscard]] double mean_reward_at(Arm arm, std::uint64_t t) const override {
    return unit_ * environment_->mean_reward_at(arm, t);
  }
  [[nodiscard]] Optimum optimum_at(std::uint64_t t) const override;
  [[nodiscard]] bool drifts() const override { return environment_->drifts(); }
  [[nodiscard]] const ContextSpace& contexts() const override { return environment_->contexts(); }
  [[nodiscard]] std::vector<double> context_at(std::uint64_t t) const override {
    return environment_->context_at(t);
  }
  [[nodiscard]] std::array<double, 2> reward_range() const override;

  void start(RandomStream& random) override;
  double pull(Arm arm, RandomStream& random) override;

 private:
  [[nodiscard]] double noise_at(Arm arm, RandomStream& random);
  void move_level(RandomStream& random);

  std::unique_ptr<KnownEnvironment> environment_;
  Disturbance kind_;
  double size_;
  double unit_;         // factor of the environment's rewards
  double level_ = 0.0;  // common level, in units of the size
  double phase_ = 0.0;  // phase of the daily cycle
};

}  // namespace canopy
