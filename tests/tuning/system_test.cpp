#include "tuning/system.hpp"

#include "canopy/clock.hpp"

#include "support/scripted_system.hpp"
#include "support/temporary_folder.hpp"
#include "systems/processes.hpp"

#include <atomic>
#include <csignal>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

StudySpecification study_with_system(const std::string& system) {
  return parse_study(
      "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nshell = true\n" + system + "\n",
      "study.toml");
}

const std::vector<double> kQuarter{0.25};

std::string failure_of(const std::variant<Reading, SystemFailure>& result) {
  const auto* failure = std::get_if<SystemFailure>(&result);
  return failure != nullptr ? failure->what : "";
}

TEST(CommandSystemOfAStudy, RunsItsCommands) {
  const testing::TemporaryFolder folder;
  const StudySpecification study = study_with_system(
      "apply = \"echo $CANOPY_x > " + folder.path("log") + "\"\nmeasure = \"echo $CANOPY_x\"");
  CommandSystem system = command_system_of(study, nullptr);
  EXPECT_FALSE(system.apply(kQuarter));
  EXPECT_EQ(folder.content("log"), "0.25\n");
  EXPECT_EQ(std::get<Reading>(system.measure(kQuarter)).reward, 0.25);
}

TEST(CommandSystemOfAStudy, AsksItsProcess) {
  const StudySpecification study =
      study_with_system("process = \"while read -r line; do echo 0.5; done\"");
  CommandSystem system = command_system_of(study, nullptr);
  EXPECT_EQ(std::get<Reading>(system.measure(kQuarter)).reward, 0.5);
}

TEST(CommandSystemOfAStudy, WaitsNoLongerThanItSaysAndNotWhenStopped) {
  const StudySpecification study =
      study_with_system("measure = \"exec sleep 1000\"\ntimeout_seconds = 0.1");
  std::atomic<bool> stop{false};
  CommandSystem system = command_system_of(study, &stop);
  EXPECT_EQ(failure_of(system.measure(kQuarter)), "measure: took longer than 0.1 s");
  stop = true;
  EXPECT_EQ(failure_of(system.measure(kQuarter)), "measure: was stopped");
}

TEST(CommandSystemOfAStudy, KeepsWhatRunsInTheBackgroundIfItSaysSo) {
  for (const bool keep : {false, true}) {
    const testing::TemporaryFolder folder;
    const std::string pid = folder.path("pid");
    const StudySpecification study =
        study_with_system("measure = \"setsid sh -c 'echo $$ > " + pid +
                          "; exec sleep 1000' > /dev/null 2>&1 & while [ ! -s " + pid +
                          " ]; do :; done; echo 1\"" + (keep ? "\nkeep_background = true" : ""));
    CommandSystem system = command_system_of(study, nullptr);
    ASSERT_EQ(failure_of(system.measure(kQuarter)), "");
    const pid_t left = std::stoi(folder.content("pid"));
    EXPECT_EQ(is_running(left), keep);
    if (keep) (void)kill(left, SIGKILL);
  }
}

TEST(Measurement, IsOneThatCanBeLearntFrom) {
  VirtualClock clock;
  testing::ScriptedSystem system(clock);
  const auto measured = [&](const Reading& reading) {
    system.on_measure = [&](double) { return reading; };
    return measure(system, kQuarter);
  };
  const auto good = measured({0.5, {{"p99_ms", 31.0}}});
  ASSERT_EQ(failure_of(good), "");
  EXPECT_EQ(std::get<Reading>(good).reward, 0.5);
  const auto too_large = measured({0.5, {{"load", 1e200}}});
  EXPECT_TRUE(std::get<Reading>(too_large).metrics.empty()) << "as if it were not there";
  const std::string unusable = failure_of(measured({1e200, {{"p99_ms", 31.0}}}));
  EXPECT_TRUE(unusable.starts_with("the reward 1e+200: ")) << unusable;
  system.on_measure = [](double) { return SystemFailure{"measure: ended with status 1"}; };
  EXPECT_EQ(failure_of(measure(system, kQuarter)), "measure: ended with status 1");
}

}  // namespace
}  // namespace canopy
