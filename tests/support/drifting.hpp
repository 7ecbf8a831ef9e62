#pragma once

#include "canopy/environment.hpp"
#include "canopy/options.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace canopy::testing {

struct DriftingOptions {
  double speed = 0.001;
};

template <class Visit>
void visit_fields(DriftingOptions& options, Visit&& visit) {
  visit(Field{"speed", "speed of the best arm, in its range per step", kUnit}, options.speed);
}

/// A hill that moves back and forth over [0, 1] and changes its height. Records the arms played, so
/// that tests can compute regret; not thread-safe.
class Drifting final : public KnownEnvironment {
 public:
  explicit Drifting(const DriftingOptions& options = {}) : speed_(options.speed) {}

  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] double mean_reward_at(Arm arm, std::uint64_t t) const override {
    return height(t) - 0.5 * std::abs(arm[0] - place(t));
  }
  [[nodiscard]] Optimum optimum_at(std::uint64_t t) const override {
    return {{place(t)}, height(t)};
  }

  void start(RandomStream& /*random*/) override {
    t_ = 0;
    notes().clear();
  }
  double pull(Arm arm, RandomStream& random) override {
    const double reward = mean_reward_at(arm, ++t_) + 0.1 * (random.uniform() - 0.5);
    notes().push_back({arm[0], reward});
    return reward;
  }

  struct Note {
    double arm;
    double reward;
  };

  /// The records of the last run.
  static std::vector<Note>& notes() {
    static std::vector<Note> all;
    return all;
  }

 private:
  [[nodiscard]] double place(std::uint64_t t) const {
    const double way = std::fmod(speed_ * static_cast<double>(t), 2.0);
    return way <= 1.0 ? way : 2.0 - way;
  }
  [[nodiscard]] static double height(std::uint64_t t) {
    return 0.5 + 0.1 * static_cast<double>(t % 5);
  }

  Space space_{{"x", Real{0.0, 1.0}}};
  double speed_;
  std::uint64_t t_ = 0;
};

}  // namespace canopy::testing
