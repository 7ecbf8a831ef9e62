#include "experiments/experiment.hpp"

#include "experiments/report.hpp"
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

/// Everything but the times.
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
  EXPECT_EQ(std::get<HctOptions>(hct.chosen).confidence_scale, 0.01);
  EXPECT_EQ(hct.candidates, 2U);
  EXPECT_GT(hct.tuning_regret, 0.0);
  EXPECT_NE(hct.tuning_regret, hct.per_step_realised_regret.mean);
  EXPECT_EQ(hct.curve.back().steps, 2000U);
  EXPECT_EQ(hct.curve.back().regret.mean, hct.per_step_realised_regret.mean);
  EXPECT_EQ(results[0].algorithms[1].candidates, 1U);
}

/// Dies after some units.
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
    EXPECT_NE(std::string(error.what()).find("--fresh starts over"), std::string::npos);
  }
  UnitLog log(path("units.csv"), fingerprint(experiment_), true);
  EXPECT_EQ(log.size(), 0U);
}

TEST_F(ExperimentFolder, AMissingColumnIsNamed) {
  ThreadExecutor executor;
  (void)run("whole.csv", executor);
  const std::string whole = content_of(path("whole.csv"));
  const std::size_t last_comma = whole.rfind(',');
  const std::size_t last_field = whole.rfind(':');
  const std::string header = "# canopy units: " + fingerprint(experiment_) + "\nphase\n";
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

TEST_F(ExperimentFolder, TheReportHoldsTablesFiguresAndHowItCameAbout) {
  ThreadExecutor executor;
  const auto results = run("units.csv", executor);
  const Report report =
      write_report(experiment_, results, path(""), {"canopy experiment small.toml", "1.2.3"});
  EXPECT_EQ(report.figures_missing, "");
  for (const std::string& file : report.files)
    EXPECT_GT(std::filesystem::file_size(file), 0U) << file;
  const std::string html = content_of(path("report.html"));
  EXPECT_NE(html.find("A title with &lt;brackets>"), std::string::npos);
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("canopy experiment small.toml"), std::string::npos);
  EXPECT_NE(html.find("canopy 1.2.3"), std::string::npos);
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
