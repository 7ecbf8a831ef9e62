#include "studies/tuner.hpp"

#include "canopy/stores.hpp"

#include "studies/act_text.hpp"
#include "studies/tuner_state.hpp"
#include "support/faulty_store.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::TemporaryFolder;

/// A system of shell scripts: `log` holds the settings that were applied.
class TunerTest : public ::testing::Test {
 protected:
  TunerTest() {
    script("apply.sh", "echo \"$1\" >> " + folder_.path("log"));
    script("measure.sh", "echo \"$1\"");
  }

  void script(const std::string& name, const std::string& text) const {
    folder_.write(name, "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(folder_.path(name), std::filesystem::perms::owner_all);
  }

  [[nodiscard]] StudySpecification file_of(const std::string& system,
                                           const std::string& budget = "pulls = 20",
                                           const std::string& more = "") const {
    const std::string source = more + "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\n" +
                               "apply = \"" + folder_.path("apply.sh") + " {x}\"\nmeasure = \"" +
                               folder_.path("measure.sh") + " {x}\"\n" + system + "\n[budget]\n" +
                               budget + "\n";
    return parse_study(source, "study.toml");
  }

  TuneEnd tune(const StudySpecification& file) {
    Study study = Study::open(*store_, file, {"a", {}});
    return Tuner(study, {stop_}, {}).run();
  }

  /// All events of these kinds, in order.
  template <class... Kinds>
  [[nodiscard]] std::vector<Event> events() {
    std::vector<Event> found;
    store_->read(find_study(*store_, "a").id, 0, [&](const JournalEntry& entry) {
      if ((std::holds_alternative<Kinds>(entry.event) || ...)) found.push_back(entry.event);
    });
    return found;
  }

  [[nodiscard]] std::uint64_t pulls() { return find_study(*store_, "a").pulls; }

  [[nodiscard]] std::vector<std::string> applied() const {
    std::vector<std::string> lines;
    std::istringstream log(folder_.content("log"));
    for (std::string line; std::getline(log, line);) lines.push_back(line);
    return lines;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_ = open_store(folder_.path("s.db"), Store::Mode::create);
  std::atomic<bool> stop_{false};
};

TEST_F(TunerTest, TunesUntilTheBudgetIsUsedAndLeavesTheBest) {
  const TuneEnd end = tune(file_of(""));
  EXPECT_EQ(end.why, TuneEnd::Why::budget);
  EXPECT_EQ(end.text, "the budget of 20 pulls is used");
  EXPECT_EQ(pulls(), 20U);
  const Study study = Study::reopen(*store_, {"a", {}});
  EXPECT_EQ(std::stod(applied().back()), study.best()->arm[0]);
}

TEST_F(TunerTest, WarmUpsAreMeasuredAndNotLearnt) {
  (void)tune(file_of("warmup_pulls = 2"));
  std::size_t changes = 0;
  for (const Event& event : events<Applied>()) {
    if (std::get<Applied>(event).ticket != 0) ++changes;  // not the exit's
  }
  EXPECT_EQ(events<WarmedUp>().size(), 2 * changes);
  EXPECT_EQ(pulls(), 20U);
}

TEST_F(TunerTest, ADeclaredSettlingTimeTakesThePlaceOfWarmUps) {
  (void)tune(file_of("baseline = { x = 0.9 }\nbaseline_every = 3\nbaseline_pulls = 4", "pulls = 60",
                     "[optimizer]\nsettle = 5\n"));
  EXPECT_EQ(pulls(), 60U) << "passed over or not";
  const std::vector<Event> passed = events<PassedOver>();
  EXPECT_GE(passed.size(), 10U);
  EXPECT_EQ(passed.size() + events<Told>().size(), 60U);
  // The optimizer does not know where the system comes from after the baseline, nor at the start.
  const std::vector<double> baseline{0.9};
  std::vector<double> setting = baseline;
  std::size_t detours = 0;
  std::vector<Event> changes = events<Applied>();
  changes.pop_back();  // the exit's
  for (const Event& event : changes) {
    const std::vector<double>& next = std::get<Applied>(event).arm;
    if (setting == baseline || next == baseline) ++detours;
    setting = next;
  }
  EXPECT_GE(detours, 3U);
  EXPECT_EQ(events<WarmedUp>().size(), 5 * detours);
  // Replay passes over the same.
  EXPECT_EQ(Study::reopen(*store_, {"a", {}}).summary().passed_over, passed.size());
}

TEST_F(TunerTest, TheBaselineIsMeasuredFirstAndThenEverySoManyChanges) {
  (void)tune(file_of("baseline = { x = 0.9 }\nbaseline_every = 3\nbaseline_pulls = 4"));
  const std::vector<Event> all = events<Applied, BaselineMeasured>();
  EXPECT_EQ(std::get<Applied>(all.at(0)).arm, std::vector{0.9});
  int changes = 0;
  for (const Event& event : all) {
    if (!std::holds_alternative<Applied>(event)) continue;
    changes = std::get<Applied>(event).arm == std::vector{0.9} ? 0 : changes + 1;
    EXPECT_LE(changes, 4) << "three, and the exit";
  }
  EXPECT_EQ(events<BaselineMeasured>().size() % 4, 0U);
  EXPECT_GE(events<BaselineMeasured>().size(), 8U);
}

TEST_F(TunerTest, OnExitItLeavesWhatItWasAskedTo) {
  EXPECT_EQ(tune(file_of("baseline = { x = 0.75 }\non_exit = \"baseline\"")).setting,
            "{\"x\":0.75}");
  EXPECT_EQ(applied().back(), "0.75");
}

TEST_F(TunerTest, AFailedApplyIsNoPullAndIsTriedAgain) {
  script("apply.sh", "echo \"$1\" >> " + folder_.path("log") + "; [ $(wc -l < " +
                         folder_.path("log") + ") -ne 2 ]");
  (void)tune(file_of(""));
  ASSERT_EQ(events<Failed>().size(), 1U);
  EXPECT_EQ(std::get<Failed>(events<Failed>()[0]).what, "apply: ended with status 1");
  EXPECT_EQ(pulls(), 20U);
  EXPECT_EQ(applied()[1], applied()[2]);
}

TEST_F(TunerTest, ASystemThatStaysDownStopsItWithTheBaselineRestored) {
  script("measure.sh", "echo oops");
  const TuneEnd end =
      tune(file_of("baseline = { x = 0.75 }\non_failure = \"skip\"\noutage_seconds = 0.3"));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  EXPECT_EQ(
      end.text,
      "the system is down: {\"x\":0.75} no longer works either, for 0.3 s by now: measure: did "
      "not print a number or a JSON object: \"oops\"");
  EXPECT_EQ(end.setting, "{\"x\":0.75}");
  EXPECT_EQ(applied().back(), "0.75");
  EXPECT_EQ(pulls(), 0U);
  EXPECT_TRUE(events<Penalized>().empty());
}

TEST_F(TunerTest, ASettingThatFailsIsPenalizedAndNeverLeftOn) {
  for (const char* baseline : {"", "baseline = { x = 0.3 }\n"}) {
    folder_.write("log", "");
    script("measure.sh", "case $1 in 0.[89]*) exit 137;; esac; echo $1");
    const TuneEnd end =
        tune(file_of(baseline + std::string("on_failure = \"skip\""), "pulls = 60"));
    EXPECT_EQ(end.why, TuneEnd::Why::budget);
    EXPECT_EQ(pulls(), 60U) << "a failure is a pull";
    EXPECT_GE(events<Penalized>().size(), 2U);
    EXPECT_EQ(events<Penalized>().size() + events<Told>().size(), 60U);
    const std::vector<std::string> settings = applied();
    for (std::size_t i = 0; i + 1 < settings.size(); ++i) {
      if (std::stod(settings[i]) < 0.8) continue;
      EXPECT_LT(std::stod(settings[i + 1]), 0.8) << "it goes back to one that works";
      if (*baseline != '\0') {
        EXPECT_EQ(settings[i + 1], "0.3");
      }
    }
    EXPECT_LT(std::stod(settings.back()), 0.8);
    store_->erase(find_study(*store_, "a").id);
  }
}

TEST_F(TunerTest, APenaltyIsWorseThanTheWorstRewardByATenthOfTheSpread) {
  script("measure.sh", "case $1 in 0.[89]*) exit 137;; esac; echo $1");
  (void)tune(file_of("on_failure = \"skip\"", "pulls = 40"));
  double low = 1e9;
  double high = -1e9;
  int checked = 0;
  for (const Event& event : events<Told, Penalized>()) {
    if (const auto* told = std::get_if<Told>(&event)) {
      low = std::min(low, told->reward);
      high = std::max(high, told->reward);
    } else if (low < high) {
      EXPECT_DOUBLE_EQ(std::get<Penalized>(event).reward, low - 0.1 * (high - low));
      ++checked;
    }
  }
  EXPECT_GE(checked, 2);
}

TEST_F(TunerTest, WhatAFailureIsWorthMayBeSaid) {
  script("measure.sh", "case $1 in 0.[89]*) exit 137;; esac; echo $1");
  (void)tune(file_of("on_failure = \"skip\"\nfailure_reward = -3", "pulls = 40"));
  ASSERT_FALSE(events<Penalized>().empty());
  for (const Event& event : events<Penalized>()) EXPECT_EQ(std::get<Penalized>(event).reward, -3.0);
}

TEST_F(TunerTest, AFailureBeforeTheFirstRewardIsPutOffUntilThere) {
  script("measure.sh", "echo x >> " + folder_.path("count") + "; [ $(wc -l < " +
                           folder_.path("count") + ") -gt 2 ] && echo $1");
  EXPECT_EQ(tune(file_of("on_failure = \"skip\"")).why, TuneEnd::Why::budget);
  EXPECT_EQ(events<PutOff>().size(), 2U);
  const std::vector<Event> all = events<PutOff, Told, Penalized>();
  EXPECT_TRUE(std::holds_alternative<Told>(all.at(2)));
  EXPECT_TRUE(std::holds_alternative<Penalized>(all.at(3)));
  EXPECT_TRUE(std::holds_alternative<Penalized>(all.at(4)));
  EXPECT_EQ(pulls(), 20U);
}

TEST_F(TunerTest, AnOutageTeachesNothing) {
  script("measure.sh", "[ ! -e " + folder_.path("down") + " ] && echo $1");
  const StudySpecification file =
      file_of("on_failure = \"skip\"\nbaseline = { x = 0.3 }\noutage_seconds = 60");
  Study study = Study::open(*store_, file, {"a", {}});
  bool went_down = false;
  bool was_seen = false;
  Tuner tuner(study, {stop_}, [&](const TuneProgress& progress) {
    if (progress.pulls == 7 && !went_down) {
      folder_.write("down", "");
      went_down = true;
    }
    if (progress.phase != TuneProgress::Phase::down) return;
    was_seen = true;
    std::filesystem::remove(folder_.path("down"));
  });
  EXPECT_EQ(tuner.run().why, TuneEnd::Why::budget);
  EXPECT_TRUE(was_seen);
  EXPECT_TRUE(events<Penalized>().empty());
  EXPECT_EQ(events<Told>().size(), 20U);
}

TEST_F(TunerTest, AnArmThatTakesTheSystemDownTwiceIsToBlame) {
  // It is down for a while after a setting of 0.8 and more.
  script("measure.sh", "case $1 in 0.[89]*) echo 3 > " + folder_.path("down") +
                           "; exit 1;; esac\n[ -e " + folder_.path("down") +
                           " ] || { echo $1; exit 0; }\nn=$(cat " + folder_.path("down") +
                           ")\n[ $n -gt 1 ] && echo $((n - 1)) > " + folder_.path("down") +
                           " || rm " + folder_.path("down") + "\nexit 1");
  const TuneEnd end = tune(
      file_of("on_failure = \"skip\"\nbaseline = { x = 0.3 }\nmax_failures = 50", "pulls = 12"));
  EXPECT_EQ(end.why, TuneEnd::Why::budget);
  EXPECT_GE(events<Penalized>().size(), 1U);
}

TEST_F(TunerTest, TooManyFailuresStopItAndTheNextTunerGetsAChance) {
  script("measure.sh", "[ $1 = 0.3 ] && echo $1");
  const std::string system =
      "on_failure = \"skip\"\nbaseline = { x = 0.3 }\nbaseline_every = 9\nbaseline_pulls = 1\n";
  const TuneEnd end = tune(file_of(system, "pulls = 200"));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  EXPECT_EQ(
      end.text,
      "50 of the last 50 pulls failed, the last one because of: measure: ended with status 1");
  EXPECT_EQ(pulls(), 50U);
  EXPECT_EQ(applied().back(), "0.3");
  script("measure.sh", "echo $1");
  EXPECT_EQ(tune(file_of(system, "pulls = 70")).why, TuneEnd::Why::budget);
}

TEST_F(TunerTest, WhatApplyLeavesRunningIsEndedUnlessItIsToBeKept) {
  const std::string pid = folder_.path("pid");
  script("apply.sh", "rm -f " + pid + "; setsid sh -c 'echo $$ > " + pid +
                         "; exec sleep 1000' > /dev/null 2>&1 &\nwhile [ ! -s " + pid +
                         " ]; do :; done");
  const auto is_running = [&] {
    const std::string process =
        "/proc/" + std::to_string(std::stoi(folder_.content("pid"))) + "/stat";
    std::ifstream file(process);
    std::string word;
    file >> word >> word >> word;
    return !word.empty() && word != "Z";
  };
  (void)tune(file_of("on_exit = \"leave\"", "pulls = 1"));
  EXPECT_FALSE(is_running());
  (void)tune(file_of("on_exit = \"leave\"\nkeep_background = true", "pulls = 2"));
  EXPECT_TRUE(is_running());
  kill(std::stoi(folder_.content("pid")), SIGKILL);
}

TEST_F(TunerTest, OnFailureItMayStopAtOnce) {
  script("measure.sh", "exit 7");
  const TuneEnd end = tune(file_of("on_failure = \"stop\"\nbaseline = { x = 0.3 }"));
  EXPECT_EQ(end.text, "measure: ended with status 7");
  EXPECT_EQ(applied().back(), "0.3");
}

// --- other numbers ------------------------------------------------------------------------------

/// A reward of x, and a p99 of 100 x with some noise.
constexpr const char* kMeasureBoth =
    "awk -v x=$1 -v n=$(date +%N) 'BEGIN { srand(n); "
    "printf \"{\\\"reward\\\": %f, \\\"p99_ms\\\": %f}\", x + 0.02 * rand(), 100 * x + rand() }'";

TEST_F(TunerTest, AnArmThatBreaksALimitBeyondDoubtIsBarred) {
  script("measure.sh", kMeasureBoth);
  StudySpecification file = file_of("on_failure = \"skip\"\nmax_failures = 50", "pulls = 150");
  file.system->limits = {{.metric = "p99_ms", .max = 60.0, .factor = 3.0}};
  EXPECT_EQ(tune(file).why, TuneEnd::Why::budget);
  EXPECT_GE(events<Barred>().size(), 1U);
  for (const Event& event : events<Barred>()) EXPECT_GT(std::get<Barred>(event).arm[0], 0.59);
  const Study study = Study::reopen(*store_, {"a", {}});
  EXPECT_LE(study.best()->arm[0], 0.61);
  EXPECT_GE(study.best()->arm[0], 0.4);
  EXPECT_LE(std::stod(applied().back()), 0.61);
  EXPECT_TRUE(study.tuner_state().metrics().contains("p99_ms"));
}

TEST_F(TunerTest, ALimitThatIsBrokenByFarEndsTheVisitAtOnce) {
  script("measure.sh", kMeasureBoth);
  StudySpecification file =
      file_of("on_failure = \"skip\"\nmax_failures = 50\nbaseline = { x = 0.1 }", "pulls = 30");
  file.system->limits = {{.metric = "p99_ms", .max = 20.0}};
  EXPECT_EQ(tune(file).why, TuneEnd::Why::budget);
  EXPECT_GE(events<Penalized>().size(), 3U);
  const std::vector<std::string> settings = applied();
  for (std::size_t i = 0; i + 1 < settings.size(); ++i) {
    if (std::stod(settings[i]) > 0.41) {
      EXPECT_EQ(settings[i + 1], "0.1");
    }
  }
}

TEST_F(TunerTest, AMetricWithALimitThatIsNotPrintedIsAFailure) {
  script("measure.sh", "echo '{\"reward\": 1}'");
  StudySpecification file = file_of("on_failure = \"stop\"");
  file.system->limits = {{.metric = "p99_ms", .max = 20.0}};
  EXPECT_EQ(tune(file).text,
            "measure: did not print p99_ms, which has a limit: \"{\"reward\": 1}\"");
}

// --- leaving
// --------------------------------------------------------------------------------------

TEST_F(TunerTest, ABestArmThatIsNotSurelyBetterIsNotApplied) {
  script("measure.sh", "date +%N");
  const TuneEnd end =
      tune(file_of("baseline = { x = 0.3 }\nbaseline_every = 2\nbaseline_pulls = 2", "pulls = 11"));
  EXPECT_EQ(end.setting, "{\"x\":0.3}");
  EXPECT_TRUE(end.left_at.starts_with("the baseline: ")) << end.left_at;
}

TEST_F(TunerTest, ABestArmThatIsSurelyBetterIsApplied) {
  script("measure.sh", kMeasureBoth);
  const TuneEnd end = tune(
      file_of("baseline = { x = 0.1 }\nbaseline_every = 20\nbaseline_pulls = 20", "pulls = 200"));
  EXPECT_TRUE(end.left_at.starts_with("the best arm: it differs from the baseline by "))
      << end.left_at;
  EXPECT_GT(std::stod(applied().back()), 0.8);
}

TEST_F(TunerTest, WithoutMeasurementsOfTheBaselineNothingIsKnownToBeBetter) {
  const TuneEnd end = tune(file_of("baseline = { x = 0.3 }"));
  EXPECT_EQ(applied().back(), "0.3");
  EXPECT_TRUE(end.left_at.starts_with("the baseline: it was never measured")) << end.left_at;
}

TEST_F(TunerTest, TheBestArmIsConfirmedByPullsOfItsOwn) {
  script("measure.sh", kMeasureBoth);
  const TuneEnd end = tune(
      file_of("baseline = { x = 0.1 }\non_exit = \"confirmed\"", "pulls = 30\nconfirm_pulls = 60"));
  EXPECT_TRUE(end.verdict.starts_with("better than the baseline after ")) << end.verdict;
  EXPECT_GT(std::stod(applied().back()), 0.5);
  EXPECT_EQ(events<ComparisonBegun>().size(), 1U);
  const std::vector<Event> compared = events<Compared>();
  EXPECT_LT(compared.size(), 60U) << "it stops when it is certain";
  EXPECT_EQ(compared.size() % 2, 0U);
  EXPECT_EQ(pulls(), 30U) << "these are not pulls of the search";
  const std::uint64_t events_before = find_study(*store_, "a").events;
  (void)tune(
      file_of("baseline = { x = 0.1 }\non_exit = \"confirmed\"", "pulls = 30\nconfirm_pulls = 60"));
  EXPECT_EQ(events<Compared>().size(), compared.size()) << "nothing to confirm any more";
  EXPECT_GT(find_study(*store_, "a").events, events_before);
}

TEST_F(TunerTest, WhatCannotBeConfirmedIsNotApplied) {
  script("measure.sh", "date +%N");
  const TuneEnd end = tune(
      file_of("baseline = { x = 0.1 }\non_exit = \"confirmed\"", "pulls = 15\nconfirm_pulls = 24"));
  EXPECT_TRUE(end.verdict.starts_with("neither better nor worse than the baseline after 24 pulls"))
      << end.verdict;
  EXPECT_EQ(applied().back(), "0.1");
}

TEST_F(TunerTest, AnArmThatFailsIsNotConfirmed) {
  const std::string system =
      "baseline = { x = 0.1 }\non_exit = \"confirmed\"\non_failure = \"skip\"";
  (void)tune(file_of(system, "pulls = 20"));
  script("measure.sh", "[ $1 = 0.1 ] && echo 0.1");
  const TuneEnd end = tune(file_of(system, "pulls = 20\nconfirm_pulls = 24"));
  EXPECT_EQ(end.verdict, "the best arm failed: measure: ended with status 1");
  EXPECT_EQ(end.why, TuneEnd::Why::budget);
  EXPECT_EQ(applied().back(), "0.1");
}

TEST_F(TunerTest, APauseLeavesTheSystemAtTheBestKnownSetting) {
  const StudySpecification file = file_of("on_exit = \"leave\"");
  Study study = Study::open(*store_, file, {"a", {}});
  std::atomic<bool> pause{false};
  std::string during;
  Tuner tuner(study, {stop_, &pause}, [&](const TuneProgress& progress) {
    if (progress.phase == TuneProgress::Phase::paused) {
      during = applied().back();
      pause = false;
    } else if (progress.pulls == 12 && during.empty()) {
      pause = true;
    }
  });
  EXPECT_EQ(tuner.run().why, TuneEnd::Why::budget);
  EXPECT_GT(std::stod(during), 0.8) << "x itself is the reward";
  EXPECT_EQ(pulls(), 20U);
}

TEST_F(TunerTest, WhenTheRewardsFallBelowTheFloorTheBaselineIsPutBack) {
  script("measure.sh", "echo 0.3");
  const TuneEnd end = tune(file_of("baseline = { x = 0.75 }\nfloor = 0.4\nfloor_window = 5"));
  EXPECT_EQ(end.why, TuneEnd::Why::floor);
  EXPECT_EQ(end.text, "the last 5 rewards are 0.3 on average, below the floor of 0.4");
  EXPECT_EQ(applied().back(), "0.75");
  EXPECT_EQ(pulls(), 5U);
}

TEST_F(TunerTest, TheFloorOfCostsIsACeiling) {
  script("measure.sh", "echo 0.5");
  const TuneEnd end = tune(file_of("baseline = { x = 0.75 }\nfloor = 0.4\nfloor_window = 5",
                                   "pulls = 20", "direction = \"minimize\"\n"));
  EXPECT_EQ(end.text, "the last 5 rewards are 0.5 on average, above the floor of 0.4");
}

/// The numbers of pulls between two changes.
std::vector<int> runs_between_changes(const std::vector<Event>& events) {
  std::vector<int> runs;
  for (const Event& event : events) {
    if (std::holds_alternative<Applied>(event)) {
      runs.push_back(0);
    } else {
      ++runs.back();
    }
  }
  return runs;
}

TEST_F(TunerTest, AnArmIsHeldForAsManyPullsAsAsked) {
  (void)tune(file_of("min_pulls_per_change = 3\non_exit = \"leave\"", "pulls = 30"));
  std::vector<int> runs;  // a held pull is noted when it is measured, and told later
  for (const Event& event : events<Applied, Held, Told>()) {
    if (std::holds_alternative<Applied>(event)) runs.push_back(0);
    if (std::holds_alternative<Told>(event)) ++runs.back();
  }
  ASSERT_GE(runs.size(), 5U);
  runs.pop_back();  // the budget may have ended it
  for (const int run : runs) EXPECT_GE(run, 3);
  EXPECT_GE(pulls(), 28U) << "the last ones may be held back";
}

TEST_F(TunerTest, ChangesBeyondTheHourlyNumberArePutOffAlsoByTheNextTuner) {
  for (const int pulls : {5, 6, 20, 30}) {
    const TuneEnd end = tune(file_of("max_changes_per_hour = 2\non_exit = \"leave\"",
                                     "pulls = " + std::to_string(pulls)));
    EXPECT_EQ(end.pulls, static_cast<std::uint64_t>(pulls)) << "over-runs are pulls as well";
  }
  const std::vector<Event> all = events<Applied>();
  EXPECT_TRUE(std::all_of(all.begin() + 1, all.end(), [&](const Event& event) {
    return std::get<Applied>(event).arm == std::get<Applied>(all[1]).arm;
  })) << "two settings, the second of which is only put back";
}

TEST_F(TunerTest, TheWayToTheBaselineAndBackIsTwoChanges) {
  (void)tune(
      file_of("max_changes_per_hour = 3\nbaseline = { x = 0.9 }\nbaseline_every = 1\n"
              "baseline_pulls = 1\non_exit = \"leave\""));
  EXPECT_LE(events<Applied>().size(), 3U);
}

TEST_F(TunerTest, ARestartDoesNotShortenTheTimeOfAnArm) {
  for (const int pulls : {4, 5, 6, 7, 30}) {
    (void)tune(file_of("min_pulls_per_change = 6\non_exit = \"leave\"",
                       "pulls = " + std::to_string(pulls)));
  }
  std::vector<double> setting;
  int run = 6;
  for (const Event& event : events<Applied, Held, Told>()) {
    const auto* change = std::get_if<Applied>(&event);
    if (change != nullptr && change->arm != setting) {
      EXPECT_GE(run, 6);
      setting = change->arm;
      run = 0;
    }
    run += std::holds_alternative<Told>(event) ? 1 : 0;
  }
}

TEST_F(TunerTest, AnUnusableRewardIsAFailureAndNotLearnt) {
  script("measure.sh", "echo 1e200");
  const TuneEnd end = tune(file_of("min_pulls_per_change = 3\non_failure = \"stop\""));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  script("measure.sh", "echo 0.5");
  EXPECT_EQ(tune(file_of("min_pulls_per_change = 3\non_failure = \"stop\"")).why,
            TuneEnd::Why::budget);
}

TEST_F(TunerTest, TheFloorRemembersWhatItSawBeforeARestart) {
  script("measure.sh", "echo 0.3");
  const std::string system = "baseline = { x = 0.75 }\nfloor = 0.4\nfloor_window = 6";
  EXPECT_EQ(tune(file_of(system, "pulls = 4")).why, TuneEnd::Why::budget);
  EXPECT_EQ(tune(file_of(system, "pulls = 20")).why, TuneEnd::Why::floor);
  EXPECT_EQ(pulls(), 6U);
  EXPECT_EQ(tune(file_of(system, "pulls = 9")).why, TuneEnd::Why::budget) << "a new chance";
}

TEST_F(TunerTest, AProcessIsToldWhatItIsLeftWith) {
  script("process.sh",
         "while read -r line; do echo \"$line\" >> " + folder_.path("lines") + "; echo 0.5; done");
  const std::string source =
      "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nprocess = \"" +
      folder_.path("process.sh") +
      "\"\nbaseline = { x = 0.9 }\non_exit = \"baseline\"\n[budget]\n"
      "pulls = 10\n";
  EXPECT_EQ(tune(parse_study(source, "study.toml")).setting, "{\"x\":0.9}");
  EXPECT_TRUE(folder_.content("lines").ends_with("{\"arm\": {\"x\":0.9}}\n"));
}

TEST_F(TunerTest, WhenTheJournalCannotBeWrittenTheBaselineIsPutBack) {
  const StudySpecification file = file_of("baseline = { x = 0.75 }");
  Study study = Study::open(*store_, file, {"a", {}});
  int reports = 0;
  Tuner tuner(study, {stop_}, [&](const TuneProgress&) {
    if (++reports == 5) throw StoreError(StoreError::Fault::full, "s.db: database or disk is full");
  });
  try {
    (void)tuner.run();
    FAIL();
  } catch (const TuneError& error) {
    EXPECT_STREQ(error.what(), "s.db: database or disk is full; the baseline was restored");
  }
  EXPECT_EQ(applied().back(), "0.75");
}

TEST_F(TunerTest, WhenSomebodyElseHasTakenTheStudyOverTheSystemIsLeftToThem) {
  const StudySpecification file = file_of("baseline = { x = 0.75 }");
  Study study = Study::open(*store_, file, {"a", {}});
  int reports = 0;
  Tuner tuner(study, {stop_}, [&](const TuneProgress&) {
    if (++reports == 5) throw StoreError(StoreError::Fault::taken_over, "s.db: is not ours");
  });
  try {
    (void)tuner.run();
    FAIL();
  } catch (const TuneError& error) {
    EXPECT_STREQ(error.what(), "s.db: is not ours; the system is theirs");
  }
  EXPECT_NE(applied().back(), "0.75");
}

TEST_F(TunerTest, GoesOnWhereItWas) {
  const auto state = [&] { return Study::reopen(*store_, {"a", {}}).save(); };
  (void)tune(file_of("on_exit = \"leave\"", "pulls = 30"));
  const std::string whole = state();
  store_->erase(find_study(*store_, "a").id);
  for (const int pulls : {7, 8, 19, 30}) {
    (void)tune(file_of("on_exit = \"leave\"", "pulls = " + std::to_string(pulls)));
  }
  EXPECT_EQ(state(), whole);
}

TEST_F(TunerTest, HeldRewardsSurviveTheTuner) {
  const StudySpecification file =
      file_of("min_pulls_per_change = 5\non_exit = \"leave\"", "pulls = 40");
  {
    Study study = Study::open(*store_, file, {"a", {}});
    int reports = 0;
    Tuner tuner(study, {stop_}, [&](const TuneProgress& progress) {
      if (progress.pulls == 3 && ++reports == 1)
        throw StudyError(StudyError::Fault::other, "killed");
    });
    EXPECT_THROW((void)tuner.run(), TuneError);
  }
  ASSERT_EQ(events<Held>().size(), 3U);
  (void)tune(file);
  EXPECT_EQ(pulls(), 40U);
  EXPECT_EQ(runs_between_changes(events<Applied, Told>()).front(), 0)
      << "the same setting was only put back";
}

TEST_F(TunerTest, StopsAtOnceWhenAskedTo) {
  script("measure.sh", "touch " + folder_.path("measuring") + "; exec sleep 1000");
  std::jthread stopper([&] {
    while (!std::filesystem::exists(folder_.path("measuring"))) std::this_thread::yield();
    stop_ = true;
  });
  const TuneEnd end = tune(file_of("baseline = { x = 0.75 }\non_exit = \"baseline\""));
  EXPECT_EQ(end.why, TuneEnd::Why::interrupted);
  EXPECT_EQ(applied().back(), "0.75");
  EXPECT_TRUE(events<Failed>().empty());
}

TEST_F(TunerTest, SecondsAreCountedOverAllRuns) {
  script("measure.sh", "echo 0.5");
  (void)tune(file_of("on_exit = \"leave\"", "seconds = 0.3"));
  const std::uint64_t before = pulls();
  (void)tune(file_of("on_exit = \"leave\"", "seconds = 0.3"));
  EXPECT_LE(pulls(), before + 1) << "they are used";
}

TEST_F(TunerTest, ItsStateIsThatOfTheWholeJournalAfterARestartToo) {
  const StudySpecification file = file_of(
      "warmup_pulls = 1\nbaseline = { x = 0.9 }\nbaseline_every = 3\nbaseline_pulls = "
      "2\nmin_pulls_per_change = 2\nfloor = -1\non_exit = \"leave\"");
  (void)tune(file);  // which leaves a snapshot
  Study study = Study::open(*store_, file, {"a", {}});
  TunerState whole(study.specification());
  store_->read(study.record().id, 0, [&](const JournalEntry& entry) { whole.apply(entry); });
  TunerState kept = study.tuner_state();
  EXPECT_EQ(kept.save(), whole.save());
  EXPECT_GT(kept.changes(), 3U);
  EXPECT_TRUE(kept.baseline_is_known());
}

TEST_F(TunerTest, ChangedSettingsOfTheTunerAreAppliedToThePast) {
  (void)tune(file_of("baseline = { x = 0.9 }\non_exit = \"leave\"", "pulls = 10"));
  // The snapshot knows of no window; the next tuner wants one.
  Study study = Study::open(
      *store_, file_of("baseline = { x = 0.9 }\nfloor = -1\nfloor_window = 4"), {"a", {}});
  EXPECT_EQ(study.tuner_state().window().size(), 4U);
}

// --- what people want ---------------------------------------------------------------------------

/// A tuner that would go on for ever, and somebody who watches it and wants things of it.
class TunerActsTest : public TunerTest {
 protected:
  using Phase = TuneProgress::Phase;
  using Watch = std::function<void(const TuneProgress&)>;

  [[nodiscard]] StudySpecification endless(const std::string& system) const {
    return file_of(system, "pulls = 1000000");
  }

  void want(Act act, std::uint64_t pulls = 0) {
    const StudyId study = find_study(*store_, "a").id;
    store_->post_act(study, 1.0, act_text({act, "alice", pulls}));
  }

  TuneEnd tune_and_watch(const StudySpecification& file, const Watch& watch) {
    Study study = Study::open(*store_, file, {"a", {}});
    return Tuner(study, {stop_}, watch).run();
  }

  /// The process is gone: nothing more is written.
  struct Killed : std::runtime_error {
    Killed() : std::runtime_error("killed") {}
  };

  /// Tunes until it waits as it is told to, and kills it then.
  void wait_and_be_killed(const StudySpecification& file, Act act) {
    const Watch watch = [&, wanted = false](const TuneProgress& progress) mutable {
      if (progress.phase == Phase::paused) throw Killed();
      if (progress.pulls >= 5 && !std::exchange(wanted, true)) want(act);
    };
    EXPECT_THROW((void)tune_and_watch(file, watch), TuneError);
  }
};

TEST_F(TunerActsTest, WhoIsPausedWaitsAtTheBestKnownSettingAndGoesOnWhenResumed) {
  int step = 0;
  std::string during;
  std::uint64_t pulls_then = 0;
  const TuneEnd end = tune_and_watch(endless("on_exit = \"leave\""), [&](const auto& progress) {
    if (step == 0 && progress.pulls >= 12) {
      want(Act::pause);
      ++step;
    } else if (step == 1 && progress.phase == Phase::paused) {
      EXPECT_EQ(progress.order, Act::pause);
      EXPECT_EQ(progress.ordered_by, "alice");
      during = applied().back();
      pulls_then = progress.pulls;
      want(Act::resume);
      ++step;
    } else if (step == 2 && progress.phase == Phase::searching) {
      EXPECT_FALSE(progress.order);
      EXPECT_EQ(progress.pulls, pulls_then) << "nothing was tried meanwhile";
      ++step;
    } else if (step == 3) {
      stop_ = progress.pulls > pulls_then + 3;
    }
  });
  EXPECT_EQ(end.why, TuneEnd::Why::interrupted);
  EXPECT_EQ(step, 3);
  EXPECT_GT(std::stod(during), 0.8) << "x itself is the reward";
  const std::vector<Event> taken = events<ActTaken>();
  EXPECT_EQ(taken, (std::vector<Event>{ActTaken{1, Act::pause, 0, "alice"},
                                       ActTaken{2, Act::resume, 0, "alice"}}));
}

TEST_F(TunerActsTest, WhoIsHeldChangesNothing) {
  int step = 0;
  std::size_t settings = 0;
  (void)tune_and_watch(endless("on_exit = \"leave\"\nmin_pulls_per_change = 1000000"),
                       [&](const auto& progress) {
                         if (step == 0 && progress.pulls >= 5) {
                           want(Act::hold);
                           ++step;
                         } else if (step == 1 && progress.phase == Phase::paused) {
                           settings = applied().size();
                           want(Act::resume);
                           ++step;
                         } else if (step == 2 && progress.phase == Phase::searching) {
                           stop_ = true;
                         }
                       });
  EXPECT_EQ(step, 2);
  EXPECT_EQ(settings, 1U);
  EXPECT_EQ(applied().size(), 1U) << "nor does it set again what it has";
}

TEST_F(TunerActsTest, WhoIsSentToTheBaselineWaitsThere) {
  int step = 0;
  std::string during;
  (void)tune_and_watch(endless("on_exit = \"leave\"\nbaseline = { x = 0.1 }"),
                       [&](const auto& progress) {
                         if (step == 0 && progress.pulls >= 5) {
                           want(Act::baseline);
                           ++step;
                         } else if (step == 1 && progress.phase == Phase::paused) {
                           during = applied().back();
                           stop_ = true;
                         }
                       });
  EXPECT_EQ(during, "0.1");
}

TEST_F(TunerActsTest, WhatNeedsABaselineIsNotedAndIgnoredWhereThereIsNone) {
  (void)Study::open(*store_, endless(""), {"a", {}});
  want(Act::baseline);
  want(Act::confirm, 10);
  EXPECT_EQ(tune(file_of("")).why, TuneEnd::Why::budget);
  EXPECT_EQ(events<ActTaken>().size(), 2U);
  EXPECT_EQ(events<Failed>(),
            (std::vector<Event>{Failed{0, "baseline, as alice wants: the study has no baseline"},
                                Failed{0, "confirm, as alice wants: the study has no baseline"}}));
}

TEST_F(TunerActsTest, WhoIsToldToConfirmComparesAndGoesOnWithTheSearch) {
  (void)Study::open(*store_, endless("baseline = { x = 0.1 }"), {"a", {}});
  want(Act::confirm, 24);  // as soon as there is something to compare
  bool confirmed = false;
  std::uint64_t pulls_then = 0;
  const TuneEnd end =
      tune_and_watch(endless("baseline = { x = 0.1 }"), [&](const TuneProgress& progress) {
        if (progress.phase == Phase::confirming) {
          confirmed = true;
          pulls_then = progress.pulls;
        } else if (confirmed) {
          stop_ = progress.pulls > pulls_then + 3;
        }
      });
  EXPECT_TRUE(confirmed);
  ASSERT_EQ(events<ComparisonBegun>().size(), 1U);
  EXPECT_EQ(std::get<ComparisonBegun>(events<ComparisonBegun>().front()).pulls, 24U);
  EXPECT_EQ(events<ComparisonEnded>().size(), 1U);
  EXPECT_FALSE(end.verdict.empty());
}

TEST_F(TunerActsTest, AComparisonThatSomebodyWantsHasTheUsualNumberOfPulls) {
  const std::string system = "baseline = { x = 0.1 }";
  (void)Study::open(*store_, endless(system), {"a", {}});
  want(Act::confirm);
  (void)tune(file_of(system, "pulls = 3"));
  EXPECT_EQ(std::get<ComparisonBegun>(events<ComparisonBegun>().at(0)).pulls, kConfirmPulls);
}

TEST_F(TunerActsTest, WhoIsToldToEndEndsAsIfTheBudgetWereUsed) {
  bool wanted = false;
  const std::string system = "baseline = { x = 0.75 }\non_exit = \"baseline\"";
  const TuneEnd end = tune_and_watch(file_of(system, "pulls = 1000000\nconfirm_pulls = 20"),
                                     [&](const TuneProgress& progress) {
                                       if (progress.pulls >= 5 && !std::exchange(wanted, true))
                                         want(Act::end);
                                     });
  EXPECT_EQ(end.why, TuneEnd::Why::budget);
  EXPECT_EQ(end.text, "ended by alice");
  EXPECT_EQ(end.left_at, "the baseline, as on_exit says");
  EXPECT_TRUE(events<ComparisonBegun>().empty()) << "nothing more is tried";
  const std::uint64_t before = pulls();
  EXPECT_EQ(tune(file_of(system, "pulls = " + std::to_string(before + 5))).text,
            "the budget of " + std::to_string(before + 5) + " pulls is used")
      << "somebody has begun anew";
}

TEST_F(TunerActsTest, AnEndThatWasWantedWhileNobodyWasAtWorkIsNoEndOfWhatBegins) {
  (void)Study::open(*store_, endless(""), {"a", {}});
  want(Act::end);
  EXPECT_EQ(tune(file_of("")).text, "the budget of 20 pulls is used");
}

TEST_F(TunerActsTest, WhoIsPausedIsStillPausedAfterAKill) {
  for (const Act act : {Act::pause, Act::hold, Act::baseline}) {
    const StudySpecification file = endless("on_exit = \"leave\"\nbaseline = { x = 0.1 }");
    wait_and_be_killed(file, act);
    const std::uint64_t before = pulls();
    TuneProgress first;
    (void)tune_and_watch(file, [&](const TuneProgress& progress) {
      if (!stop_) first = progress;
      stop_ = true;
    });
    stop_ = false;
    EXPECT_EQ(first.phase, Phase::paused);
    EXPECT_EQ(first.order, act);
    EXPECT_EQ(first.ordered_by, "alice");
    EXPECT_EQ(pulls(), before);
    store_->erase(find_study(*store_, "a").id);
  }
}

TEST_F(TunerActsTest, AnEndThatWasWantedInAPauseHoldsAfterAKill) {
  wait_and_be_killed(endless(""), Act::pause);
  want(Act::end);
  EXPECT_EQ(tune(endless("")).text, "ended by alice");
}

TEST_F(TunerActsTest, AComparisonThatSomebodyWantsIsFinishedAfterAKill) {
  const std::string system = "baseline = { x = 0.1 }";
  (void)Study::open(*store_, endless(system), {"a", {}});
  want(Act::confirm, 24);
  EXPECT_THROW((void)tune_and_watch(endless(system),
                                    [&](const TuneProgress& progress) {
                                      const bool half = events<Compared>().size() > 5;
                                      if (progress.phase == Phase::confirming && half) {
                                        throw Killed();
                                      }
                                    }),
               TuneError);
  (void)tune(file_of(system));
  EXPECT_EQ(events<ComparisonBegun>().size(), 1U);
  EXPECT_EQ(events<ComparisonEnded>().size(), 1U);
  EXPECT_EQ(pulls(), 20U);
}

TEST_F(TunerActsTest, WhatCannotBeUnderstoodIsNotedAndIgnored) {
  (void)Study::open(*store_, endless(""), {"a", {}});
  const StudyId study = find_study(*store_, "a").id;
  store_->post_act(study, 1.0, "dance");
  store_->post_act(study, 1.0, R"({"act":"dance"})");
  EXPECT_EQ(tune(file_of("")).why, TuneEnd::Why::budget);
  EXPECT_TRUE(events<ActTaken>().empty());
  const std::vector<Event> notes = events<Failed>();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(std::get<Failed>(notes[1]).what.find(
                "act 2, which somebody posted, cannot be understood: act: act = 'dance': must be "),
            0U)
      << std::get<Failed>(notes[1]).what;
}

TEST_F(TunerActsTest, AStoreThatCannotTellThemDoesNotEndTheTuning) {
  testing::FaultyStore store(std::move(store_), [](std::string_view operation) {
    if (operation == "acts") testing::fail_as_if_full();
  });
  Study study = Study::open(store, file_of(""), {"a", {}});
  EXPECT_EQ(Tuner(study, {stop_}, {}).run().why, TuneEnd::Why::budget);
}

TEST_F(TunerActsTest, AreTakenWhileTheSystemIsDownToo) {
  script("measure.sh", "[ ! -e " + folder_.path("down") + " ] && echo $1");
  bool wanted = false;
  const TuneEnd end = tune_and_watch(
      endless("on_failure = \"skip\"\nbaseline = { x = 0.3 }\noutage_seconds = 3600"),
      [&](const TuneProgress& progress) {
        if (progress.pulls == 7) folder_.write("down", "");
        if (progress.phase == Phase::down && !std::exchange(wanted, true)) want(Act::end);
      });
  EXPECT_EQ(end.text, "ended by alice");
}

TEST_F(TunerActsTest, AreTakenWhileItWaitsUntilItMayChangeToo) {
  script("measure.sh", "[ $1 = 0.3 ] && echo 1");  // there and back: no more changes for an hour
  bool wanted = false;
  const TuneEnd end = tune_and_watch(
      endless("on_failure = \"skip\"\nmax_changes_per_hour = 2\nbaseline = { x = 0.3 }"),
      [&](const TuneProgress& progress) {
        if (progress.phase == Phase::waiting && !std::exchange(wanted, true)) want(Act::end);
      });
  EXPECT_TRUE(wanted);
  EXPECT_EQ(end.text, "ended by alice");
}

}  // namespace
}  // namespace canopy
