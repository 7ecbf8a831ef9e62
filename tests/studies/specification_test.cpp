#include "studies/specification.hpp"

#include <gtest/gtest.h>

namespace canopy {
namespace {

constexpr std::string_view kSpace = "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n";

/// The message with which a study is refused.
std::string refusal(const std::string& toml) {
  try {
    const StudySpecification study = parse_study(toml, "s.toml");
    return "accepted, dimension " + std::to_string(study.space.dimension());
  } catch (const SpecificationError& error) {
    return error.what();
  }
}

std::string with_space(const std::string& toml) {
  return toml + std::string(kSpace);
}

TEST(Specification, ReadsEveryKey) {
  const StudySpecification study = parse_study(R"(
direction = "minimize"
reward_range = [-1, 3.5]
[optimizer]
name = "hct"
feedback = "correlated"
mixing_time = 2
preset = "paper"
nu1 = 4.0
rho = 0.5
confidence_scale = 0.025
delta = 0.01
constants = "supplement"
partition = "longest_side"
[[space]]
name = "x"
type = "real"
low = 0.1
high = 1
scale = "log"
[[space]]
name = "n"
type = "integer"
low = -2
high = 9
[[space]]
name = "mode"
type = "choice"
choices = ["a", "b"]
)",
                                               "s.toml");
  EXPECT_EQ(study.objective.direction, Direction::minimize);
  EXPECT_EQ(study.objective.reward_range[0], -1.0);
  EXPECT_EQ(study.objective.reward_range[1], 3.5);
  EXPECT_EQ(std::get<HctOptions>(study.optimizer).feedback, Feedback::correlated);
  EXPECT_EQ(std::get<HctOptions>(study.optimizer).mixing_time, 2.0);
  EXPECT_EQ(std::get<HctOptions>(study.optimizer).preset, Preset::paper);
  EXPECT_EQ(std::get<HctOptions>(study.optimizer).nu1, 4.0);
  EXPECT_EQ(std::get<HctOptions>(study.optimizer).rho, 0.5);
  EXPECT_EQ(std::get<HctOptions>(study.optimizer).confidence_scale, 0.025);
  EXPECT_EQ(std::get<HctOptions>(study.optimizer).delta, 0.01);
  EXPECT_EQ(std::get<HctOptions>(study.optimizer).constants, Constants::supplement);
  EXPECT_EQ(study.partition, SplitRule::longest_side);
  ASSERT_EQ(study.space.dimension(), 3U);
  EXPECT_EQ(std::get<Real>(study.space.parameters()[0].domain).scale, Scale::log);
  EXPECT_EQ(std::get<Real>(study.space.parameters()[0].domain).high, 1.0);
  EXPECT_EQ(std::get<Integer>(study.space.parameters()[1].domain).low, -2);
  EXPECT_EQ(std::get<Choice>(study.space.parameters()[2].domain).choices.size(), 2U);
}

TEST(Specification, DefaultsAreThoseOfTheLibrary) {
  const StudySpecification study = parse_study(kSpace, "s.toml");
  EXPECT_EQ(std::get<HctOptions>(study.optimizer).feedback, Feedback::iid);
  EXPECT_EQ(std::get<HctOptions>(study.optimizer).preset, Preset::practical);
  EXPECT_FALSE(std::get<HctOptions>(study.optimizer).nu1.has_value());
  EXPECT_EQ(study.partition, SplitRule::cyclic);
  EXPECT_EQ(study.objective.direction, Direction::maximize);
}

TEST(Specification, ReadsTheOptionsOfEveryOptimizer) {
  const auto optimizer = [](const std::string& lines) {
    return parse_study(with_space("[optimizer]\n" + lines), "s.toml").optimizer;
  };
  const auto thoo = std::get<ThooOptions>(
      optimizer("name = \"thoo\"\nhorizon = 5e3\nnu1 = 2\nseed = 9\npartition = \"cyclic\"\n"));
  EXPECT_EQ(thoo.horizon, 5000U);
  EXPECT_EQ(thoo.nu1, 2.0);
  EXPECT_EQ(thoo.seed, 9U);
  const auto doubling =
      std::get<ThooOptions>(optimizer("name = \"thoo\"\nhorizon = \"doubling\"\n"));
  EXPECT_FALSE(doubling.horizon.has_value());
  const auto power = std::get<PowerOptions>(
      optimizer("name = \"power\"\nsigma = 0.2\nwindow = 4\nrollout_length = 7\n"));
  EXPECT_EQ(power.sigma, 0.2);
  EXPECT_EQ(power.window, 4U);
  EXPECT_EQ(power.rollout_length, 7U);
  EXPECT_TRUE(std::holds_alternative<HooOptions>(optimizer("name = \"hoo\"\nrho = 0.3\n")));
  EXPECT_EQ(std::get<GridOptions>(optimizer("name = \"grid\"\npoints = 5\n")).points, 5U);
  EXPECT_TRUE(std::holds_alternative<RandomSearchOptions>(optimizer("name = \"random\"\n")));
}

TEST(Specification, RefusesOptionsOfAnotherOptimizerAndWrongOnesOfItsOwn) {
  const auto refused = [](const std::string& lines) {
    return refusal(with_space("[optimizer]\n" + lines));
  };
  EXPECT_EQ(refused("name = \"grid\"\nfeedback = \"iid\"\n"),
            "s.toml:3: optimizer.feedback = 'iid': unknown key; known: name points "
            "confidence_scale");
  EXPECT_EQ(refused("name = \"random\"\npartition = \"cyclic\"\n"),
            "s.toml:3: optimizer.partition = 'cyclic': unknown key; known: name seed");
  EXPECT_EQ(refused("name = \"thoo\"\nhorizon = \"dubling\"\n"),
            "s.toml:3: optimizer.horizon = 'dubling': must be a whole number from 1 to "
            "9007199254740992 or \"doubling\"");
  EXPECT_EQ(refused("name = \"thoo\"\nhorizon = 0\n"),
            "s.toml:3: optimizer.horizon = 0: must be a whole number from 1 to 9007199254740992 or "
            "\"doubling\"");
  EXPECT_EQ(refused("name = \"power\"\nwindow = -3\n"),
            "s.toml:3: optimizer.window = -3: must be a whole number from 1 to 1000000");
  EXPECT_EQ(refused("name = \"power\"\nwindow = 2.5\n"),
            "s.toml:3: optimizer.window = 2.5: must be a whole number from 1 to 1000000");
  EXPECT_EQ(refused("name = \"tho\"\n"),
            "s.toml:2: optimizer.name = 'tho': unknown optimizer, did you mean \"thoo\"?");
}

TEST(Specification, NamesLineKeyValueAndExpectation) {
  EXPECT_EQ(refusal(with_space("[optimizer]\nrho = 1.5\n")),
            "s.toml:2: optimizer.rho = 1.5: must be in (0, 1)");
  EXPECT_EQ(refusal(with_space("direction = \"up\"\n")),
            R"(s.toml:1: direction = 'up': must be "maximize" or "minimize")");
  EXPECT_EQ(refusal(with_space("[optimizer]\nnu1 = \"one\"\n")),
            "s.toml:2: optimizer.nu1 = 'one': must be a number from 1e-50 to 1e50");
  EXPECT_EQ(refusal(with_space("[optimizer]\nname = \"hcd\"\n")),
            R"(s.toml:2: optimizer.name = 'hcd': unknown optimizer, did you mean "hct"?)");
  EXPECT_EQ(refusal(with_space("reward_range = [1.0, 1.0]\n")),
            "s.toml:1: reward_range = [1, 1]: the first must be below the second");
  EXPECT_EQ(refusal(with_space("reward_range = [1.0]\n")),
            "s.toml:1: reward_range = [ 1.0 ]: must be a list of two numbers");
}

TEST(Specification, SuggestsTheNearestKnownKey) {
  EXPECT_EQ(refusal(with_space("[optimizer]\nmixingtime = 1\n")),
            R"(s.toml:2: optimizer.mixingtime = 1: unknown key, did you mean "mixing_time"?)");
  EXPECT_NE(refusal(with_space("rewardrange = [0, 1]\n")).find("did you mean \"reward_range\"?"),
            std::string::npos);
}

TEST(Specification, RefusesWrongSpaces) {
  const std::string x = "[[space]]\nname = \"x\"\n";
  EXPECT_EQ(refusal(""), "s.toml: space: must be one or more [[space]] tables");
  EXPECT_EQ(refusal(x + "low = 1.0\nhigh = 1.0\n"),
            "s.toml:3: space.x.low = 1: must be below high = 1");
  EXPECT_EQ(refusal(x + "low = 2\nhigh = 1\n"),
            "s.toml:3: space.x.low = 2: must be below high = 1");
  EXPECT_EQ(refusal(x + "low = 0.0\nhigh = 1.0\nscale = \"log\"\n"),
            "s.toml:3: space.x.low = 0: must be above 0 on a log scale");
  EXPECT_EQ(refusal(x + "low = 0.0\n"), "s.toml:1: space.x.high: is missing");
  EXPECT_EQ(refusal(x + "type = \"integer\"\nlow = 0.5\nhigh = 3\n"),
            "s.toml:4: space.x.low = 0.5: must be a whole number");
  EXPECT_EQ(refusal(x + "type = \"int\"\n"),
            R"(s.toml:3: space.x.type = 'int': must be "real", "integer" or "choice")");
  EXPECT_EQ(refusal(x + "type = \"choice\"\nchoices = [1, 2]\n"),
            "s.toml:4: space.x.choices = [ 1, 2 ]: must be a list of strings (quote numbers) "
            "without zero bytes");
  EXPECT_EQ(refusal(x + "type = \"choice\"\nchoices = []\n"),
            "s.toml:4: space.x.choices = []: must have at least one value");
  EXPECT_EQ(refusal("[[space]]\nlow = 0\nhigh = 1\n"), "s.toml:1: space[0].name: is missing");
  EXPECT_EQ(refusal("space = 3\n"), "s.toml:1: space = 3: must be one or more [[space]] tables");
}

TEST(Specification, ListsSeveralMistakesOnOneLine) {
  const std::string message = refusal(with_space("[optimizer]\nrho = 2\ndelta = 0\n"));
  EXPECT_NE(message.find("optimizer.rho = 2"), std::string::npos);
  EXPECT_NE(message.find("optimizer.delta = 0"), std::string::npos);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Specification, TellsLineAndColumnOfASyntaxError) {
  EXPECT_EQ(refusal("a = \n").substr(0, 28), "s.toml:1:5: no valid TOML: E");
}

TEST(Specification, RefusesFilesThatCannotBeRead) {
  EXPECT_THROW((void)load_study("no/such/file.toml"), SpecificationError);
  EXPECT_THROW((void)load_study("/"), SpecificationError);
}

TEST(Specification, MakesTheOptimizerItDescribes) {
  const StudySpecification study = parse_study(kSpace, "s.toml");
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(study);
  EXPECT_EQ(optimizer->ask().arm[0], 0.25);
}

}  // namespace
}  // namespace canopy
