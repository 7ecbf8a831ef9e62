#include "canopy/experiment.hpp"

#include "experiments/runner.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

constexpr const char* kEveryKey = R"(name = "small"
title = "A small one"
steps = 1000
runs = 3
tuning_runs = 2
seed = 7
checkpoints = 5
[[comparison]]
name = "iid"
regret = "pseudo"
environment = { name = "garland", noise_width = 0.5 }
[[comparison.algorithm]]
label = "HCT"
name = "hct"
[comparison.algorithm.grid]
nu1 = [0.5, 1]
rho = [0.5, 0.6, 0.7]
[[comparison.algorithm]]
name = "thoo"
horizon = "doubling"
)";

/// The message of the error for a text; "accepted" if there is none.
std::string refusal(std::string toml, const std::string& replace = "", const std::string& by = "") {
  if (!replace.empty()) toml.replace(toml.find(replace), replace.size(), by);
  try {
    (void)parse_experiment(toml, "e.toml");
    return "accepted";
  } catch (const SpecificationError& error) {
    return error.what();
  }
}

TEST(ExperimentSpecification, ReadsEveryKey) {
  const ExperimentSpecification experiment = parse_experiment(kEveryKey, "e.toml");
  EXPECT_EQ(experiment.name, "small");
  EXPECT_EQ(experiment.title, "A small one");
  EXPECT_EQ(experiment.steps, 1000U);
  EXPECT_EQ(experiment.runs, 3U);
  EXPECT_EQ(experiment.tuning_runs, 2U);
  EXPECT_EQ(experiment.seed, 7U);
  EXPECT_EQ(experiment.checkpoints, 5U);
  ASSERT_EQ(experiment.comparisons.size(), 1U);
  const ComparisonSpecification& comparison = experiment.comparisons[0];
  EXPECT_EQ(comparison.environment.name, "garland");
  EXPECT_EQ(*comparison.environment.options.find("noise_width"), OptionValue(0.5));
  EXPECT_EQ(*comparison.environment.options.find("noise"), OptionValue("uniform"))
      << "every option has a value";
  ASSERT_EQ(comparison.algorithms.size(), 2U);
  EXPECT_EQ(comparison.algorithms[0].candidates.size(), 6U) << "two by three";
  EXPECT_EQ(comparison.algorithms[1].label, "thoo");
  std::vector<std::pair<double, double>> points;
  for (const Selection& candidate : comparison.algorithms[0].candidates) {
    EXPECT_EQ(candidate.name, "hct");
    points.emplace_back(std::get<double>(*candidate.options.find("nu1")),
                        std::get<double>(*candidate.options.find("rho")));
  }
  EXPECT_EQ(*comparison.algorithms[1].candidates[0].options.find("horizon"), OptionValue{});
  EXPECT_EQ(points, (std::vector<std::pair<double, double>>{
                        {0.5, 0.5}, {0.5, 0.6}, {0.5, 0.7}, {1, 0.5}, {1, 0.6}, {1, 0.7}}));
}

constexpr const char* kSuite = R"(name = "suite"
steps = 10000
[[environment]]
name = "garland"
[[environment]]
name = "rastrigin"
label = "rastrigin-3"
dimension = 3
[[noise]]
name = "quiet"
noise = "gaussian"
noise_width = 0.1
[[noise]]
name = "coins"
noise = "bernoulli"
[[algorithm]]
name = "hct"
[[algorithm]]
name = "hoo"
steps = 1000
)";

TEST(ExperimentSpecification, ASuiteIsEveryEnvironmentWithEveryNoise) {
  const ExperimentSpecification suite = parse_experiment(kSuite, "e.toml");
  EXPECT_TRUE(suite.is_suite);
  std::vector<std::string> names;
  for (const ComparisonSpecification& each : suite.comparisons) names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"garland-quiet", "garland-coins", "rastrigin-3-quiet",
                                             "rastrigin-3-coins"}));
  const ComparisonSpecification& last = suite.comparisons.back();
  EXPECT_EQ(last.title, "rastrigin-3, coins");
  EXPECT_EQ(*last.environment.options.find("dimension"), OptionValue(std::uint64_t{3}));
  EXPECT_EQ(*last.environment.options.find("noise"), OptionValue("bernoulli"));
  EXPECT_EQ(last.algorithms.size(), 2U);
}

TEST(ExperimentSpecification, AnAlgorithmMayBeRunLessFar) {
  const ExperimentSpecification suite = parse_experiment(kSuite, "e.toml");
  const std::vector<AlgorithmSpecification>& algorithms = suite.comparisons[0].algorithms;
  EXPECT_EQ(checkpoint_steps(suite, algorithms[0]).back(), 10'000U);
  EXPECT_EQ(checkpoint_steps(suite, algorithms[1]).back(), 1000U);
  EXPECT_EQ(total_steps(suite), 4 * 10 * 11'000U);
  EXPECT_NE(fingerprint(suite).find("hoo for 1000 steps"), std::string::npos);
}

TEST(ExperimentSpecification, ASuiteHasPointsWhereItsProfileWantsThem) {
  ExperimentSpecification suite = parse_experiment(kSuite, "e.toml");
  suite.steps = 5000;
  suite.checkpoints = 2;
  EXPECT_EQ(checkpoint_steps(suite, suite.comparisons[0].algorithms[0]),
            (std::vector<std::uint64_t>{10, 100, 1000, 5000}));
  EXPECT_EQ(checkpoint_steps(suite, suite.comparisons[0].algorithms[1]),
            (std::vector<std::uint64_t>{10, 100, 1000}));
  EXPECT_EQ(refusal(kSuite, "steps = 10000", "steps = 99"),
            "e.toml:2: steps = 99: must be at least 100 in a suite, unless profile lists the n to "
            "compare");
  EXPECT_EQ(refusal(kSuite, "steps = 10000", "regret = \"realised\""),
            "e.toml:2: regret = 'realised': must be \"pseudo\" in a suite, whose profile compares "
            "ratios: realised regrets can be below zero");
}

TEST(ExperimentSpecification, ASuiteMaySayAtWhichNItsProfileCompares) {
  const auto with_profile = [](const std::string& list) {
    return std::string("profile = ") + list + "\n" + kSuite;
  };
  ExperimentSpecification suite = parse_experiment(with_profile("[30, 300, 10000]"), "e.toml");
  EXPECT_EQ(suite.profile, (std::vector<std::uint64_t>{30, 300, 10'000}));
  suite.checkpoints = 1;
  EXPECT_EQ(checkpoint_steps(suite, suite.comparisons[0].algorithms[0]), suite.profile);
  EXPECT_NE(fingerprint(suite), fingerprint(parse_experiment(kSuite, "e.toml")));
  for (const char* wrong : {"[]", "[300, 30]", "[0]", "[20000]", "300", "[1.5]"}) {
    const std::string message = refusal(with_profile(wrong));
    EXPECT_NE(message.find("e.toml:1: profile = "), std::string::npos) << message;
    EXPECT_NE(message.find("must be a list of increasing whole numbers from 1 to steps"),
              std::string::npos)
        << message;
  }
}

TEST(ExperimentSpecification, AnAlgorithmMayIgnoreTheContext) {
  const std::string text = R"(name = "context"
steps = 500
[[comparison]]
name = "smooth"
environment = { name = "contextual", problem = "smooth" }
[[comparison.algorithm]]
name = "adaptive"
[[comparison.algorithm]]
label = "without"
name = "adaptive"
ignore_context = true
)";
  const ExperimentSpecification experiment = parse_experiment(text, "e.toml");
  const std::vector<AlgorithmSpecification>& algorithms = experiment.comparisons[0].algorithms;
  EXPECT_FALSE(algorithms[0].ignore_context);
  EXPECT_TRUE(algorithms[1].ignore_context);
  EXPECT_NE(fingerprint(experiment).find("without without context"), std::string::npos)
      << fingerprint(experiment);
  EXPECT_NE(refusal(text, "ignore_context = true", "ignore_context = 3").find("ignore_context"),
            std::string::npos);
}

TEST(ExperimentSpecification, WhatCannotBeCombinedWithContextsIsRefusedUnlessTheyAreIgnored) {
  const std::string text = R"(name = "context"
[[comparison]]
name = "smooth"
environment = { name = "contextual" }
[[comparison.algorithm]]
name = "grid"
recent = 100
)";
  EXPECT_NE(refusal(text).find("cannot be combined with contexts"), std::string::npos);
  EXPECT_EQ(refusal(text + "ignore_context = true\n"), "accepted");
}

TEST(ExperimentSpecification, ThePullsOfARunAreTheHorizonOfAnAlgorithmThatNeedsOne) {
  const ExperimentSpecification suite = parse_experiment(R"(name = "suite"
steps = 10000
[[environment]]
name = "garland"
[[noise]]
name = "quiet"
noise = "gaussian"
[[algorithm]]
name = "stroquool"
[[algorithm]]
name = "pct"
steps = 500
[[algorithm]]
name = "stosoo"
horizon = 700
[[algorithm]]
name = "thoo"
)",
                                                         "e.toml");
  std::vector<OptionValue> horizons;
  for (const AlgorithmSpecification& each : suite.comparisons[0].algorithms) {
    horizons.push_back(*each.candidates[0].options.find("horizon"));
  }
  EXPECT_EQ(horizons, (std::vector<OptionValue>{std::uint64_t{10'000}, std::uint64_t{500},
                                                std::uint64_t{700}, OptionValue{}}));
}

TEST(ExperimentSpecification, MistakesOfASuiteAreSaidOnce) {
  const std::string message = refusal(kSuite, "name = \"hoo\"", "name = \"hop\"");
  EXPECT_EQ(message,
            "e.toml:19: algorithm[1].name = 'hop': unknown optimizer, did you mean \"hoo\"?");
  EXPECT_NE(refusal(kSuite, "dimension = 3", "dimenson = 3")
                .find("e.toml:8: environment[1].dimenson = 3: unknown key"),
            std::string::npos);
  EXPECT_NE(refusal(kSuite, "[[noise]]\nname = \"quiet\"", "[[nose]]\nname = \"quiet\"")
                .find("unknown key, did you mean \"noise\"?"),
            std::string::npos);
}

TEST(ExperimentSpecification, ListsAllMistakesWithTheirLines) {
  const std::string message = refusal(R"(name = "a b"
steps = 0
rums = 3
[[comparison]]
name = "x"
environment = { name = "garlnd" }
[[comparison.algorithm]]
name = "hct"
rho = 2
[comparison.algorithm.grid]
nu1 = []
)");
  for (const char* part :
       {"e.toml:1: name = 'a b': must consist of letters, digits, - and _",
        "e.toml:2: steps = 0: must be a whole number from 1 to 1000000000000",
        "e.toml:3: rums = 3: unknown key, did you mean \"runs\"?",
        "e.toml:6: comparison[0].environment.name = 'garlnd': unknown environment, did you mean "
        "\"garland\"?",
        "e.toml:9: comparison[0].algorithm[0].rho = 2: must be in (0, 1)",
        "e.toml:11: comparison[0].algorithm[0].grid.nu1 = []: must be a list of one or more "
        "values"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << "\nis not in\n" << message;
  }
}

TEST(ExperimentSpecification, RefusesWhatCannotBeRun) {
  EXPECT_NE(refusal("name = \"x\"\n").find("comparison: must be one or more [[comparison]] tables"),
            std::string::npos);
  EXPECT_NE(refusal(kEveryKey, "nu1 = [0.5, 1]", "nu1 = [0.5, -1]")
                .find("e.toml:16: comparison[0].algorithm[0].nu1 = -1: must be a number from"),
            std::string::npos)
      << refusal(kEveryKey, "nu1 = [0.5, 1]", "nu1 = [0.5, -1]");
  EXPECT_NE(refusal(kEveryKey, "name = \"thoo\"", "name = \"too\"").find("did you mean \"thoo\"?"),
            std::string::npos);
  EXPECT_NE(refusal(kEveryKey, "name = \"thoo\"", "label = \"HCT\"\nname = \"thoo\"")
                .find("\"HCT\" is the label of two algorithms"),
            std::string::npos);
  EXPECT_NE(refusal(kEveryKey, "name = \"hct\"", "name = \"hct\"\nnu1 = 3")
                .find("grid.nu1: must not be set both in the grid and outside"),
            std::string::npos);
  EXPECT_EQ(refusal("name = \"x\"\nname = \"y\"\n").substr(0, 27), "e.toml:2:8: not valid TOML:");
}

TEST(ExperimentSpecification, CheckpointsGrowEvenlyInTheLogarithm) {
  EXPECT_EQ(checkpoint_steps(100'000, 5),
            (std::vector<std::uint64_t>{10, 100, 1000, 10'000, 100'000}));
  EXPECT_EQ(checkpoint_steps(3, 5), (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(checkpoint_steps(1, 1), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(checkpoint_steps(12, 30), (std::vector<std::uint64_t>{10, 11, 12}));
}

TEST(ExperimentSpecification, FingerprintsDifferExactlyWhenResultsDo) {
  const auto of = [](const std::string& toml) { return fingerprint(parse_experiment(toml, "e")); };
  EXPECT_EQ(of(kEveryKey), of("# a comment\n" + std::string(kEveryKey)));
  std::string other = kEveryKey;
  other.replace(other.find("seed = 7"), 8, "seed = 8");
  EXPECT_NE(of(kEveryKey), of(other));
  other = kEveryKey;
  other.replace(other.find("0.6"), 3, "0.8");
  EXPECT_NE(of(kEveryKey), of(other));
}

}  // namespace
}  // namespace canopy
