#include "canopy/experiment.hpp"

#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/version.hpp"

#include "experiments/runner.hpp"
#include "support/drifting.hpp"
#include "support/round_robin.hpp"
#include "support/temporary_folder.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

constexpr const char* kSmall = R"(name = "small"
steps = 2000
runs = 4
tuning_runs = 2
checkpoints = 6
[[comparison]]
name = "mdp"
title = "A title with <brackets>"
regret = "realised"
environment = { name = "garland-mdp" }
[[comparison.algorithm]]
label = "HCT"
name = "hct"
feedback = "correlated"
[comparison.algorithm.grid]
confidence_scale = [0.01, 1]
[[comparison.algorithm]]
name = "thoo"
)";

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class ExperimentFolder : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }

  std::vector<ComparisonResult> run(const std::string& name, Executor& executor,
                                    const Watch& watch = {}) {
    UnitLog log(path(name), fingerprint(experiment_), false);
    return run_experiment(experiment_, log, executor, watch);
  }

  ExperimentSpecification experiment_ = parse_experiment(kSmall, "small.toml");

 private:
  testing::TemporaryFolder folder_;
};

/// Compares everything except times.
void expect_same(const std::vector<ComparisonResult>& a, const std::vector<ComparisonResult>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t c = 0; c < a.size(); ++c) {
    ASSERT_EQ(a[c].algorithms.size(), b[c].algorithms.size());
    for (std::size_t i = 0; i < a[c].algorithms.size(); ++i) {
      const AlgorithmResult& one = a[c].algorithms[i];
      const AlgorithmResult& other = b[c].algorithms[i];
      EXPECT_EQ(one.tuning_regret, other.tuning_regret);
      EXPECT_EQ(one.per_step_regret.mean, other.per_step_regret.mean);
      EXPECT_EQ(one.simple_regret.interval->high, other.simple_regret.interval->high);
      for (std::size_t k = 0; k < one.curve.size(); ++k) {
        EXPECT_EQ(one.curve[k].regret.mean, other.curve[k].regret.mean);
        EXPECT_EQ(one.curve[k].nodes.mean, other.curve[k].nodes.mean);
        EXPECT_EQ(one.curve[k].switches.interval->low, other.curve[k].switches.interval->low);
      }
    }
  }
}

TEST_F(ExperimentFolder, GivesTheSameNumbersOnOneThreadAndOnMany) {
  ThreadExecutor one(1);
  ThreadExecutor many(4);
  expect_same(run("one.csv", one), run("many.csv", many));
}

TEST_F(ExperimentFolder, ChoosesTheBetterCandidateAndMeasuresWithFreshSeeds) {
  ThreadExecutor executor;
  const std::vector<ComparisonResult> results = run("units.csv", executor);
  const AlgorithmResult& hct = results[0].algorithms[0];
  EXPECT_EQ(*hct.chosen.options.find("confidence_scale"), OptionValue(0.01));
  EXPECT_EQ(hct.candidates, 2U);
  EXPECT_GT(hct.tuning_regret, 0.0);
  EXPECT_NE(hct.tuning_regret, hct.per_step_realised_regret.mean);
  EXPECT_EQ(hct.curve.back().steps, 2000U);
  EXPECT_EQ(hct.curve.back().regret.mean, hct.per_step_realised_regret.mean);
  EXPECT_EQ(results[0].algorithms[1].candidates, 1U);
}

/// Throws after some units.
class DyingExecutor final : public Executor {
 public:
  explicit DyingExecutor(int units) : units_(units) {}
  void run(const std::vector<std::string>& tasks, const Work& work, const Take& take) override {
    for (const std::string& task : tasks) {
      if (units_-- == 0) throw std::runtime_error("died");
      take(work(task));
    }
  }

 private:
  int units_;
};

TEST_F(ExperimentFolder, GoesOnWhereItWasInterrupted) {
  ThreadExecutor executor;
  const std::vector<ComparisonResult> whole = run("whole.csv", executor);
  for (const int units : {1, 3, 4, 7}) {
    const std::string name = "cut" + std::to_string(units) + ".csv";
    DyingExecutor dying(units);
    EXPECT_THROW((void)run(name, dying), std::runtime_error);
    expect_same(run(name, executor), whole);
  }
}

TEST_F(ExperimentFolder, DoesNothingTwice) {
  ThreadExecutor executor;
  const std::vector<ComparisonResult> first = run("units.csv", executor);
  DyingExecutor idle(0);
  expect_same(run("units.csv", idle), first);
}

TEST_F(ExperimentFolder, ALineThatWasCutOffIsDroppedAndDoneAgain) {
  ThreadExecutor executor;
  const std::vector<ComparisonResult> whole = run("units.csv", executor);
  std::filesystem::resize_file(path("units.csv"),
                               std::filesystem::file_size(path("units.csv")) - 9);
  expect_same(run("units.csv", executor), whole);
}

TEST_F(ExperimentFolder, StopsWhenAskedAndKeepsWhatIsDone) {
  std::atomic<bool> stop{true};
  ThreadExecutor executor;
  experiment_.steps = 200'000;  // long enough to look at the watch
  EXPECT_THROW((void)run("units.csv", executor, {{}, &stop}), Stopped);
}

TEST_F(ExperimentFolder, RefusesTheResultsOfAnotherSpecification) {
  ThreadExecutor executor;
  (void)run("units.csv", executor);
  experiment_.seed = 2;
  try {
    (void)run("units.csv", executor);
    FAIL();
  } catch (const OutputError& error) {
    EXPECT_EQ(error.fault(), OutputError::Fault::other_results);
    EXPECT_NE(std::string(error.what()).find("another specification"), std::string::npos);
  }
  UnitLog log(path("units.csv"), fingerprint(experiment_), true);
  EXPECT_EQ(log.size(), 0U);
}

TEST_F(ExperimentFolder, OneProcessAtATimeHasTheUnits) {
  const UnitLog log(path("units.csv"), fingerprint(experiment_), false);
  for (const bool fresh : {false, true}) {
    try {
      const UnitLog second(path("units.csv"), fingerprint(experiment_), fresh);
      FAIL();
    } catch (const OutputError& error) {
      EXPECT_NE(std::string(error.what()).find("another process is running"), std::string::npos);
    }
  }
}

TEST_F(ExperimentFolder, AMissingColumnIsNamed) {
  ThreadExecutor executor;
  (void)run("whole.csv", executor);
  const std::string whole = content_of(path("whole.csv"));
  const std::size_t last_comma = whole.rfind(',');
  const std::size_t last_field = whole.rfind(':');
  const std::string header = "# canopy units 2: " + fingerprint(experiment_) + "\nphase\n";
  for (const std::string& damaged :
       {header + "tune,0,0,0,0,0.5\n",          // most columns
        whole.substr(0, last_comma) + "\n",     // all checkpoints
        whole.substr(0, last_comma) + ",\n",    //
        whole.substr(0, last_field) + "\n"}) {  // a field of a checkpoint
    std::ofstream(path("units.csv")) << damaged;
    try {
      (void)run("units.csv", executor);
      FAIL() << damaged;
    } catch (const OutputError& error) {
      EXPECT_NE(std::string(error.what()).find("a column is missing"), std::string::npos);
    }
  }
}

TEST_F(ExperimentFolder, ALabelMayHoldALineEnd) {
  experiment_.comparisons[0].algorithms[0].label = "two\nlines";
  ThreadExecutor executor;
  (void)run("units.csv", executor);
  EXPECT_GT(UnitLog(path("units.csv"), fingerprint(experiment_), false).size(), 0U);
}

/// The numbers of one algorithm, except times.
std::vector<double> numbers_of(const ComparisonResult& comparison, const std::string& label) {
  for (const AlgorithmResult& algorithm : comparison.algorithms) {
    if (algorithm.label != label) continue;
    std::vector<double> numbers{algorithm.tuning_regret, algorithm.per_step_regret.mean,
                                algorithm.per_step_realised_regret.mean,
                                algorithm.simple_regret.mean, algorithm.depth.mean};
    for (const CurvePoint& point : algorithm.curve) {
      numbers.insert(numbers.end(), {point.regret.mean, point.nodes.mean, point.switches.mean});
    }
    return numbers;
  }
  ADD_FAILURE() << "no " << label;
  return {};
}

TEST_F(ExperimentFolder, AnotherAlgorithmOrCandidateChangesNoNumbersOfTheOthers) {
  ThreadExecutor executor;
  const ComparisonResult alone = run("alone.csv", executor).front();
  const auto expect_same_as_alone = [&](const char* what) {
    const std::string name = std::string(what) + ".csv";
    const ComparisonResult result = run(name, executor).front();
    for (const char* label : {"HCT", "thoo"}) {
      EXPECT_EQ(numbers_of(result, label), numbers_of(alone, label)) << label << " with " << what;
    }
  };
  const ExperimentSpecification as_it_was = experiment_;
  std::vector<AlgorithmSpecification>& algorithms = experiment_.comparisons[0].algorithms;

  algorithms.insert(algorithms.begin(), {"a rival", {optimizers().completed({"random"})}});
  expect_same_as_alone("another algorithm in front");

  experiment_ = as_it_was;
  Selection hopeless = algorithms[0].candidates[0];
  hopeless.options.set("confidence_scale", 10.0);
  algorithms[0].candidates.insert(algorithms[0].candidates.begin(), hopeless);
  expect_same_as_alone("another candidate in front");

  experiment_ = as_it_was;
  Selection twin = algorithms[1].candidates[0];
  algorithms.push_back({"twin", {twin}});
  expect_same_as_alone("the same under another label");
  const ComparisonResult both = run("the same under another label.csv", executor).front();
  EXPECT_NE(numbers_of(both, "twin"), numbers_of(both, "thoo")) << "it has its own random numbers";

  experiment_ = as_it_was;
  experiment_.comparisons.push_back(experiment_.comparisons[0]);
  std::swap(experiment_.comparisons[0], experiment_.comparisons[1]);
  experiment_.comparisons[0].name = "first";
  experiment_.comparisons[0].environment = environments().completed({"garland"});
  const std::vector<ComparisonResult> two = run("another comparison.csv", executor);
  for (const char* label : {"HCT", "thoo"}) {
    EXPECT_EQ(numbers_of(two[1], label), numbers_of(alone, label)) << label;
    EXPECT_NE(numbers_of(two[0], label), numbers_of(alone, label)) << label;
  }
}

TEST_F(ExperimentFolder, TakesEnvironmentsAndAlgorithmsOfTheUsersOwn) {
  if (environments().find("drifting") == nullptr) {
    environments().add(
        environment_entry<testing::Drifting, testing::DriftingOptions>("drifting", "moves"));
  }
  if (optimizers().find("round-robin") == nullptr) {
    optimizers().add(optimizer_entry<testing::RoundRobin, testing::RoundRobinOptions>(
        "round-robin", "goes round"));
  }
  experiment_ = parse_experiment(R"(name = "own"
steps = 1000
runs = 2
tuning_runs = 2
checkpoints = 3
[[comparison]]
name = "drift"
environment = { name = "drifting", speed = 0 }
[[comparison.algorithm]]
name = "round-robin"
[comparison.algorithm.grid]
points = [2, 50, 3]
[[comparison.algorithm]]
name = "hct"
)",
                                 "own.toml");
  const Selection& environment = experiment_.comparisons[0].environment;
  EXPECT_EQ(*environment.options.find("speed"), OptionValue(0.0));
  ThreadExecutor one(1);
  const ComparisonResult result = run("own.csv", one).front();
  // The hill stays at 0 and falls by half over the line: playing n arms in turn loses 1/4.
  const AlgorithmResult& round_robin = result.algorithms[0];
  EXPECT_EQ(round_robin.candidates, 3U);
  EXPECT_NEAR(round_robin.per_step_regret.mean, 0.25, 1e-3);
  EXPECT_LT(result.algorithms[1].per_step_regret.mean, 0.15) << "HCT goes there";
  EXPECT_NE(table_of(result).find("round-robin"), std::string::npos);
  EXPECT_THROW((void)parse_experiment(R"(name = "own"
[[comparison]]
name = "drift"
environment = { name = "drifting", speed = 2 }
[[comparison.algorithm]]
name = "round-robin"
)",
                                      "own.toml"),
               SpecificationError);
}

TEST_F(ExperimentFolder, MoreRunsAreAddedToThoseThatAreThere) {
  ThreadExecutor executor;
  const AlgorithmResult few = run("units.csv", executor)[0].algorithms[0];
  experiment_.runs = 6;
  DyingExecutor four(4);  // two more runs of two algorithms
  const AlgorithmResult more = run("units.csv", four)[0].algorithms[0];
  ASSERT_EQ(few.runs.size(), 4U);
  ASSERT_EQ(more.runs.size(), 6U);
  for (std::size_t i = 0; i < few.runs.size(); ++i) {
    EXPECT_EQ(more.runs[i].per_step_regret, few.runs[i].per_step_regret);
  }
}

/// f(x) = 3 + x without noise, and nothing says that 4 is the largest.
class Slope final : public SteadyEnvironment {
 public:
  [[nodiscard]] const Space& space() const override { return space_; }
  void start(RandomStream& /*random*/) override {}
  double pull(Arm arm, RandomStream& /*random*/) override { return 3.0 + arm[0]; }
  [[nodiscard]] double mean_reward(Arm arm) const override { return 3.0 + arm[0]; }
  [[nodiscard]] Optimum optimum() const override { return {}; }

 private:
  Space space_{{"x", Real{0.0, 1.0}}};
};

/// Plays one arm.
class Fixed final : public Player {
 public:
  explicit Fixed(double x) : arm_{x} {}
  Pull ask(std::uint64_t pulls) override { return {1, arm_, pulls}; }
  Status tell(Ticket /*ticket*/, double /*reward*/) override {
    ++pulls_;
    return Status::ok;
  }
  [[nodiscard]] std::optional<Best> best() const override { return Best{.arm = arm_}; }
  [[nodiscard]] Summary summary() const override { return {.t = pulls_ + 1}; }

 private:
  std::vector<double> arm_;
  std::uint64_t pulls_ = 0;
};

TEST_F(ExperimentFolder, TakesWhatNoCatalogueHas) {
  AlgorithmSpecification fixed{.label = "fixed", .candidates = {{"at 0.25"}, {"at 0.75"}}};
  fixed.make_player = [](std::size_t candidate, std::uint64_t /*seed*/) {
    return std::make_unique<Fixed>(candidate == 0 ? 0.25 : 0.75);
  };
  ComparisonSpecification slope{
      .name = "slope", .title = "slope", .environment = {"slope"}, .algorithms = {fixed}};
  slope.own = OwnEnvironment{[] { return std::make_unique<Slope>(); }, "version 1", {}, false};
  experiment_.comparisons = {slope};
  ThreadExecutor executor(1);
  const ComparisonResult result = run("units.csv", executor).front();
  const AlgorithmResult& algorithm = result.algorithms[0];
  EXPECT_EQ(result.best_mean_seen, 3.75);
  EXPECT_EQ(algorithm.parameters, "at 0.75");
  EXPECT_NEAR(algorithm.per_step_regret.mean, 0.0, 1e-9);
  EXPECT_NEAR(algorithm.tuning[0][1].per_step_regret, 0.5, 1e-9);
  EXPECT_NEAR(algorithm.tuning[0][1].simple_regret, 0.5, 1e-9);
  EXPECT_NE(table_of(result).find("against 3.75"), std::string::npos);
  EXPECT_NE(write_report(experiment_, {result}, path(""), "a test").files.size(), 0U);

  experiment_.comparisons[0].own->text = "version 2";
  EXPECT_THROW((void)run("units.csv", executor), OutputError);
}

TEST_F(ExperimentFolder, RunsOnThreadsOfItsOwnInAFolderThatItMakes) {
  ThreadExecutor executor;
  const std::vector<ComparisonResult> expected = run("units.csv", executor);
  std::atomic<std::uint64_t> steps{0};
  const Watch watch{[&](std::uint64_t done) { steps += done; }, nullptr};
  expect_same(run_experiment(experiment_, path("a/new/folder"), 2, watch), expected);
  EXPECT_EQ(steps, total_steps(experiment_));
  EXPECT_TRUE(std::filesystem::exists(path("a/new/folder/units.csv")));
  steps = 0;
  expect_same(run_experiment(experiment_, path("a/new/folder"), 2, watch), expected);
  EXPECT_EQ(steps, total_steps(experiment_)) << "what is there already is told of as well";
}

TEST_F(ExperimentFolder, TheReportHoldsTablesFiguresAndHowItCameAbout) {
  ThreadExecutor executor;
  const auto results = run("units.csv", executor);
  const Report report =
      write_report(experiment_, results, path(""), "canopy experiment small.toml");
  EXPECT_EQ(report.figures_missing, "");
  for (const std::string& file : report.files)
    EXPECT_GT(std::filesystem::file_size(file), 0U) << file;
  const std::string html = content_of(path("report.html"));
  EXPECT_NE(html.find("A title with &lt;brackets>"), std::string::npos);
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("canopy experiment small.toml"), std::string::npos);
  EXPECT_NE(html.find("canopy " CANOPY_VERSION), std::string::npos);
  EXPECT_NE(html.find("confidence_scale 0.01"), std::string::npos);
  EXPECT_EQ(html.find("http-equiv"), std::string::npos);
  // The size of a PNG stands in bytes 16 to 23.
  const std::string png = content_of(path("mdp_regret.png"));
  const auto number_at = [&](std::size_t at) {
    return static_cast<unsigned char>(png[at + 2]) * 256 + static_cast<unsigned char>(png[at + 3]);
  };
  EXPECT_EQ(number_at(16), 800);
  EXPECT_EQ(number_at(20), 500);
  const std::string table = table_of(results[0]);
  EXPECT_NE(table.find("  HCT "), std::string::npos);
}

}  // namespace
}  // namespace canopy
