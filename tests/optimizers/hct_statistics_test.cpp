// The theory's predictions, with fixed seeds and generous tolerances.

#include "canopy/garland.hpp"
#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include "support/objectives.hpp"

#include <gtest/gtest.h>

namespace canopy {
namespace {

struct Outcome {
  double per_step_regret = 0.0;
  double nodes = 0.0;
};

/// The mean over ten runs; seeds 0 to 9.
template <class AnEnvironment>
Outcome play(const HctOptions& options, int steps) {
  constexpr int kRuns = 10;
  Outcome outcome;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    AnEnvironment environment;
    Hct hct(environment.space(), options, testing::unit_range());
    RandomStream random({.seed = seed});
    environment.start(random);
    double regret = 0.0;
    for (int i = 0; i < steps; ++i) {
      const Pull pull = hct.ask(1);
      regret += kGarlandMaximum - environment.mean_reward(pull.arm);
      EXPECT_EQ(hct.tell(pull.ticket, environment.pull(pull.arm, random)), Status::ok);
    }
    outcome.per_step_regret += regret / steps / kRuns;
    outcome.nodes += static_cast<double>(hct.summary().nodes) / kRuns;
  }
  return outcome;
}

TEST(HctStatistics, RegretFallsAndNodesGrowLikeLogNOnGarland) {
  const HctOptions options{.nu1 = 1.0, .rho = 0.7071, .confidence_scale = 0.05};
  const Outcome few = play<Garland>(options, 1'000);
  const Outcome some = play<Garland>(options, 10'000);
  const Outcome many = play<Garland>(options, 100'000);
  EXPECT_LT(some.per_step_regret, 0.7 * few.per_step_regret);
  EXPECT_LT(many.per_step_regret, 0.5 * some.per_step_regret);
  EXPECT_LT(many.per_step_regret, 0.03) << "about 0.02 is expected";
  // Ten times the steps add about as many nodes as the previous factor of ten did, not ten times as
  // many.
  EXPECT_LT(many.nodes - some.nodes, 3.0 * (some.nodes - few.nodes));
  EXPECT_LT(many.nodes, 300.0) << "about 160 are expected";
}

TEST(HctStatistics, CorrelatedFeedbackIsLearntOnTheGarlandMdp) {
  const HctOptions options{.feedback = Feedback::correlated,
                           .mixing_time = 1.0,
                           .nu1 = 1.0,
                           .rho = 0.7071,
                           .confidence_scale = 0.01};
  const Outcome few = play<GarlandMdp>(options, 1'000);
  const Outcome many = play<GarlandMdp>(options, 100'000);
  EXPECT_LT(many.per_step_regret, 0.3 * few.per_step_regret);
  EXPECT_LT(many.per_step_regret, 0.06);
}

TEST(HctStatistics, PresetsDifferAsTheirAuthorsSay) {
  const Outcome paper = play<Garland>({.preset = Preset::paper}, 100'000);
  const Outcome practical = play<Garland>({}, 100'000);
  EXPECT_NEAR(paper.per_step_regret, 0.19, 0.02) << "what the theorems are about is cautious";
  EXPECT_LT(practical.per_step_regret, 0.5 * paper.per_step_regret);
}

}  // namespace
}  // namespace canopy
