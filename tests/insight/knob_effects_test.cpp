#include "insight/knob_effects.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

StudySpecification study_of(const std::string& space, const std::string& optimizer) {
  return parse_study(space + "[optimizer]\nname = \"" + optimizer + "\"\n", "study");
}

std::string reals(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "[[space]]\nname = \"x" + std::to_string(i) + "\"\nlow = 0.0\nhigh = 1.0\n";
  }
  return text;
}

/// Plays pulls with rewards of f plus uniform noise.
std::unique_ptr<Optimizer> played(const StudySpecification& study, int pulls, double width,
                                  std::uint64_t seed, const std::function<double(Arm)>& f) {
  auto optimizer = make_optimizer(study);
  RandomStream random{{.seed = seed}};
  for (int i = 0; i < pulls; ++i) {
    const Pull pull = optimizer->ask(1);
    const double reward = f(pull.arm) + width * (random.uniform() - 0.5);
    EXPECT_EQ(optimizer->tell(pull.ticket, reward), Status::ok);
  }
  return optimizer;
}

const KnobEffect& effect_of(const KnobEffects& effects, std::size_t parameter) {
  for (const KnobEffect& knob : effects.knobs) {
    if (knob.parameter == parameter) return knob;
  }
  throw std::out_of_range("no such knob");
}

double hill(Arm arm) {
  return 1.0 - (arm[0] - 0.3) * (arm[0] - 0.3) / 0.49;
}

TEST(KnobEffects, AKnobWithoutEffectIsHardlyEverClearAndAStrongOneIs) {
  // Noise of 30 % of the range of f, which is [0, 1]: one knob matters, the others do not.
  constexpr int kRuns = 100;
  for (const std::string name : {"adaptive", "hct", "random"}) {
    SCOPED_TRACE(name);
    const StudySpecification study = study_of(reals(3), name);
    int strong_is_clear = 0;
    int another_is_clear = 0;
    int strong_is_first = 0;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
      const auto optimizer = played(study, 2000, 0.3 * std::sqrt(12.0), seed, hill);
      const KnobEffects effects = knob_effects(study, *optimizer);
      strong_is_first += effects.knobs.front().parameter == 0 ? 1 : 0;
      strong_is_clear += effect_of(effects, 0).clear ? 1 : 0;
      another_is_clear += effect_of(effects, 1).clear || effect_of(effects, 2).clear ? 1 : 0;
    }
    RecordProperty(name + "_first", strong_is_first);
    EXPECT_LE(another_is_clear, 5);
    if (name == "random") continue;  // plays no arm twice, so noise and f cannot be separated
    EXPECT_GE(strong_is_clear, 90);
    EXPECT_GE(strong_is_first, name == "adaptive" ? 95 : 60);
  }
}

TEST(KnobEffects, CellsOfThreePartsTellWhatMatters) {
  const StudySpecification study = study_of(reals(2), "soo");
  const auto f = [](Arm arm) { return arm[1] + 0.1 * arm[0]; };
  const auto optimizer = played(study, 300, 0.0, 1, f);
  const KnobEffects effects = knob_effects(study, *optimizer);
  EXPECT_GT(effect_of(effects, 1).share, 0.95) << "1 / 1.01 over the whole box";
  EXPECT_GT(effect_of(effects, 0).share, 0.002);
}

TEST(KnobEffects, WhereNothingMattersNothingIsClear) {
  const StudySpecification study = study_of(reals(4), "adaptive");
  int clear = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto optimizer = played(study, 500, 1.0, seed, [](Arm) { return 0.5; });
    for (const KnobEffect& knob : knob_effects(study, *optimizer).knobs)
      clear += knob.clear ? 1 : 0;
  }
  EXPECT_LE(clear, 5);
}

TEST(KnobEffects, DoNotDependOnTheUnitsOfRewards) {
  const StudySpecification study = study_of(reals(2), "hct");
  for (const double unit : {1e-9, 1.0, 1e12}) {
    const auto optimizer =
        played(study, 2000, 0.3 * unit, 7, [&](Arm arm) { return unit * hill(arm); });
    const KnobEffects effects = knob_effects(study, *optimizer);
    EXPECT_TRUE(effect_of(effects, 0).clear) << unit;
    EXPECT_FALSE(effect_of(effects, 1).clear) << unit;
  }
}

TEST(KnobEffects, AChoiceThatMattersIsClear) {
  const StudySpecification study = study_of(
      reals(1) + "[[space]]\nname = \"c\"\ntype = \"choice\"\nchoices = [\"a\", \"b\", \"c\"]\n",
      "adaptive");
  const auto optimizer =
      played(study, 1500, 0.5, 3, [](Arm arm) { return arm[1] == 1.0 ? 1.0 : 0.4; });
  const KnobEffects effects = knob_effects(study, *optimizer);
  EXPECT_EQ(effects.knobs.front().parameter, 1U);
  EXPECT_TRUE(effects.knobs.front().clear);
}

TEST(KnobEffects, BeforeTheFirstRewardThereAreNone) {
  const StudySpecification study = study_of(reals(2), "adaptive");
  const auto optimizer = make_optimizer(study);
  const KnobEffects effects = knob_effects(study, *optimizer);
  ASSERT_EQ(effects.knobs.size(), 2U);
  for (const KnobEffect& knob : effects.knobs) {
    EXPECT_EQ(knob.share, 0.0);
    EXPECT_FALSE(knob.clear);
  }
  EXPECT_EQ(effects.basis, "There are no rewards yet.");
}

TEST(KnobEffects, WithoutATreeTheMeansOfTheSettingsTriedTell) {
  const StudySpecification study = study_of(reals(2), "random");
  const auto optimizer = played(study, 400, 0.1, 5, hill);
  const KnobEffects effects = knob_effects(study, *optimizer);
  EXPECT_EQ(effects.knobs.front().parameter, 0U);
  EXPECT_GT(effects.knobs.front().share, 0.9);
}

}  // namespace
}  // namespace canopy
