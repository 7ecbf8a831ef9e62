#include "insight/estimate_picture.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"
#include "canopy/study_specification.hpp"

#include "files/json.hpp"

#include <cmath>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;

const std::string kKnobAndChoice =
    "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[[space]]\nname = \"c\"\ntype = "
    "\"choice\"\nchoices = [\"a\", \"b\"]\n";

double f(Arm arm) {
  return 1.0 - (arm[0] - 0.3) * (arm[0] - 0.3) - (arm[1] == 0.0 ? 0.0 : 0.3);
}

std::unique_ptr<Optimizer> played(const StudySpecification& study, int pulls) {
  auto optimizer = make_optimizer(study);
  RandomStream random{{.seed = 3}};
  for (int i = 0; i < pulls; ++i) {
    const Pull pull = optimizer->ask(1);
    const double reward = f(pull.arm) + random.uniform() - 0.5;
    EXPECT_EQ(optimizer->tell(pull.ticket, reward), Status::ok);
  }
  return optimizer;
}

json picture(const StudySpecification& study, Optimizer& optimizer, const std::string& x) {
  return json::parse(json_text(estimate_picture(study, optimizer, {.x = x})));
}

TEST(EstimatePicture, AtTheBestArmSaysWhatIsSaidOfTheBestArm) {
  for (const std::string name : {"adaptive", "hct"}) {
    const StudySpecification study =
        parse_study("[optimizer]\nname = \"" + name + "\"\n" + kKnobAndChoice, "study");
    const auto optimizer = played(study, 2000);
    const Best best = optimizer->best().value();
    const json along = picture(study, *optimizer, "c");
    const auto index = static_cast<std::size_t>(best.arm[1]);
    EXPECT_EQ(along["mean"][index], best.mean) << name;
    EXPECT_EQ(along["pulls"][index], best.pulls) << name;
  }
}

TEST(EstimatePicture, WithAModelIsNearerToTheTruthThanSingleArmsAre) {
  // Noise of 29 % of the range, and most arms with one pull or two.
  const StudySpecification study = parse_study(kKnobAndChoice, "study");
  const auto optimizer = played(study, 1000);
  const json along = picture(study, *optimizer, "x");
  EXPECT_EQ(along["by"], "model");
  double squares = 0.0;
  int inside = 0;
  const double choice = along["through"]["c"] == "a" ? 0.0 : 1.0;
  for (std::size_t i = 0; i < along["mean"].size(); ++i) {
    const double truth = f(std::vector{along["x"]["values"][i].get<double>(), choice});
    squares += std::pow(along["mean"][i].get<double>() - truth, 2.0);
    inside += along["lower"][i] <= truth && truth <= along["upper"][i] ? 1 : 0;
  }
  const auto points = static_cast<double>(along["mean"].size());
  EXPECT_LT(std::sqrt(squares / points), 0.12);
  EXPECT_GT(inside, 0.9 * points);
}

}  // namespace
}  // namespace canopy
