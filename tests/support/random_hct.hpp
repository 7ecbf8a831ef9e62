#pragma once

#include "canopy/hct.hpp"
#include "canopy/partition.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <rapidcheck.h>

namespace canopy::testing {

/// How the rewards of a random test are generated.
enum class RewardKind {
  noisy,      // uniform in [0, 1] plus the arm
  noiseless,  // a function of the arm: the arm may change at every pull
  tied,       // one of three values: bounds tie often
  constant,   // all the same: bounds tie all the time
  rare,       // all the same, except one in fifty
};

/// A random configuration of HCT, general enough for shallow and deep trees, inner nodes with later
/// pulls, ties, unsplittable cells, lists and mixed spaces, with a declared or a learnt range of
/// rewards.
struct RandomHct {
  HctOptions options;
  Objective objective{.reward_range = {{0.0, 1.0}}};
  std::shared_ptr<const Partition> partition;
  RewardKind rewards = RewardKind::noisy;
  int space = 0;

  static constexpr int kSpaces = 7;

  [[nodiscard]] static Space make_space(int which) {
    switch (which) {
      case 0:
        return {{"x", Real{0.0, 1.0}}};
      case 1:
        return {{"x", Real{-3.0, 5.0}}, {"y", Real{1e-3, 10.0, Scale::log}}};
      case 2:
        return {{"n", Integer{0, 6}}};
      case 3:
        return {{"n", Integer{1, 50, Scale::log}}, {"k", Integer{-1, 9, Scale::linear, 3}}};
      case 4:
        return {{"c", Choice{{"a", "b", "c", "d", "e"}}}};
      case 5:
        return {{"c", Choice{{"a", "b", "c"}}}, {"x", Real{0.0, 1.0}}};
      default:
        return {{"x", Real{0.0, 1.0}}, {"n", Integer{-2, 9}}, {"c", Choice{{"a", "b", "c"}}}};
    }
  }

  /// The reward of an arm, from one random number in [0, 1).
  [[nodiscard]] double reward(Arm arm, double uniform) const {
    double place = 0.0;
    for (const double coordinate : arm) place += coordinate;
    const double smooth = 1.0 / (1.0 + (place - 0.7) * (place - 0.7));
    switch (rewards) {
      case RewardKind::noisy:
        return 0.5 * smooth + 0.5 * uniform;
      case RewardKind::noiseless:
        return smooth;
      case RewardKind::tied:
        return uniform < 0.5 ? 0.25 : (uniform < 0.8 ? 0.5 : 0.75);
      case RewardKind::constant:
        return 0.5;
      case RewardKind::rare:
        return uniform < 0.98 ? 0.5 : 0.75;
    }
    return 0.0;
  }
};

inline std::ostream& operator<<(std::ostream& out, const RandomHct& hct) {
  return out << "feedback " << static_cast<int>(hct.options.feedback) << " nu1 " << *hct.options.nu1
             << " rho " << *hct.options.rho << " scale " << *hct.options.confidence_scale
             << " delta " << hct.options.delta << " rewards " << static_cast<int>(hct.rewards)
             << " space " << hct.space << " range "
             << (hct.objective.reward_range ? std::to_string((*hct.objective.reward_range)[1])
                                            : "auto")
             << (hct.objective.direction == Direction::minimize ? " minimize" : "");
}

}  // namespace canopy::testing

namespace rc {

template <>
struct Arbitrary<canopy::testing::RandomHct> {
  static Gen<canopy::testing::RandomHct> arbitrary() {
    return gen::exec([] {
      using canopy::testing::RewardKind;
      canopy::testing::RandomHct hct;
      hct.options.feedback = *gen::element(canopy::Feedback::iid, canopy::Feedback::correlated);
      hct.options.mixing_time = *gen::element(0.0, 0.3, 1.0);
      hct.options.nu1 = *gen::element(1e-3, 0.1, 0.5, 1.0, 4.0);
      hct.options.rho = *gen::element(0.3, 0.5, 0.7071, 0.9);
      hct.options.confidence_scale = *gen::element(0.001, 0.01, 0.05, 0.2);
      hct.options.delta = *gen::element(0.01, 0.05, 0.9);
      hct.rewards = *gen::element(RewardKind::noisy, RewardKind::noiseless, RewardKind::tied,
                                  RewardKind::constant, RewardKind::rare);
      using Range = std::optional<std::array<double, 2>>;
      hct.objective.reward_range = *gen::element<Range>(Range(), Range(), Range({0.0, 1.0}),
                                                        Range({0.0, 1.0}), Range({-1.0, 2.5}));
      hct.objective.direction =
          *gen::element(canopy::Direction::maximize, canopy::Direction::minimize);
      hct.space = *gen::inRange(0, canopy::testing::RandomHct::kSpaces);
      hct.partition = std::make_shared<canopy::BoxPartition>(
          canopy::testing::RandomHct::make_space(hct.space),
          *gen::element(canopy::SplitRule::cyclic, canopy::SplitRule::longest_side,
                        canopy::SplitRule::random_side, canopy::SplitRule::random_cut));
      return hct;
    });
  }
};

}  // namespace rc
