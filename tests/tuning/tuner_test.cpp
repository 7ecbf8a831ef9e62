#include "tuning/tuner.hpp"

#include "stores/memory_store.hpp"
#include "support/faulty_store.hpp"
#include "tuning/tuner_fixture.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::FaultyStore;

/// Settings of 0.8 and more cannot be measured.
Measured breaks_at_large_x(double x) {
  if (x >= 0.8) return measure_fails();
  return Reading{x};
}

TEST_F(TunerTest, TunesUntilTheBudgetIsUsedAndLeavesTheBest) {
  const TuneEnd end = tune(file_of(""));
  EXPECT_EQ(end.why, TuneEnd::Why::budget);
  EXPECT_EQ(end.text, "the budget of 20 pulls is used");
  EXPECT_EQ(pulls(), 20U);
  EXPECT_EQ(system_.measurements, 20U);
  const Study study = Study::reopen(store_, tuned());
  EXPECT_EQ(system_.applied.back(), study.best()->arm[0]);
}

TEST_F(TunerTest, WarmUpsAreMeasuredAndNotLearnt) {
  (void)tune(file_of("warmup_pulls = 2"));
  std::size_t changes = 0;
  for (const Event& event : events<Applied>()) {
    if (std::get<Applied>(event).ticket != 0) ++changes;  // not the exit setting
  }
  EXPECT_GE(changes, 3U);
  EXPECT_EQ(observed(Role::warm_up).size(), 2 * changes);
  EXPECT_EQ(pulls(), 20U);
  EXPECT_EQ(system_.measurements, 20 + 2 * changes);
}

TEST_F(TunerTest, ADeclaredSettlingTimeTakesThePlaceOfWarmUps) {
  (void)tune(file_of("[baseline]\nsetting = { x = 0.9 }\nevery = 3\npulls = 4", "pulls = 60",
                     "[optimizer]\nsettle = 5\n"));
  EXPECT_EQ(pulls(), 60U) << "passed over or not";
  const std::vector<Event> told = events<Told>();
  const auto skipped = static_cast<std::uint64_t>(std::count_if(
      told.begin(), told.end(), [](const Event& event) { return std::get<Told>(event).skipped; }));
  EXPECT_GE(skipped, 10U);
  // If the pull is not one of the search, the optimizer does not skip settling pulls itself.
  std::vector<Event> changes = events<Applied>();
  changes.pop_back();  // the exit setting
  const auto elsewhere = static_cast<std::size_t>(
      std::count_if(changes.begin(), changes.end(),
                    [](const Event& event) { return std::get<Applied>(event).ticket == 0; }));
  EXPECT_GE(elsewhere, 1U);
  EXPECT_EQ(observed(Role::warm_up).size(), 5 * elsewhere);
  // Replay skips the same pulls.
  EXPECT_EQ(Study::reopen(store_, tuned()).summary().passed_over, skipped);
}

TEST_F(TunerTest, TheBaselineIsMeasuredFirstAndThenBesideTheBestArm) {
  system_.on_measure = [](double x) { return Reading{1.0 - (x - 0.3) * (x - 0.3)}; };
  (void)tune(file_of("[baseline]\nsetting = { x = 0.9 }\nevery = 3\npulls = 4", "pulls = 120"));
  const std::vector<Event> all = events<Applied, Asked, Told>();
  EXPECT_EQ(std::get<Asked>(all.at(0)).purpose, Purpose::baseline);
  EXPECT_EQ(std::get<Applied>(all.at(1)).arm, std::vector{0.9});
  for (std::size_t i = 2; i < 6; ++i) EXPECT_TRUE(std::get<Told>(all.at(i)).is_baseline);
  // The two visits of a pair are adjacent: no other asks or rewards come between them.
  std::uint64_t duels = 0;
  std::uint64_t orders = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto* asked = std::get_if<Asked>(&all[i]);
    if (asked == nullptr || asked->purpose != Purpose::duel) continue;
    ++duels;
    if (asked->arm == std::vector{0.9}) ++orders;
    std::vector<Told> told;
    for (std::size_t j = i + 1; told.size() < 2 && j < all.size(); ++j) {
      EXPECT_FALSE(std::holds_alternative<Asked>(all[j])) << j;
      if (const auto* each = std::get_if<Told>(&all[j])) told.push_back(*each);
    }
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].is_baseline, asked->arm == std::vector{0.9});
    EXPECT_NE(told[0].is_baseline, told[1].is_baseline);
    EXPECT_EQ(told[0].ticket, asked->ticket);
  }
  EXPECT_GE(duels, 20U);
  EXPECT_GT(orders, 2U);
  EXPECT_LT(orders, duels - 2);
  EXPECT_EQ(pulls(), 120U) << "those of the challenger are some of them, those of the baseline not";
}

TEST_F(TunerTest, BeforeARoundThatBeginsAtTheChallengerComesAVisitThatDoesNotCount) {
  (void)tune(file_of("[baseline]\nsetting = { x = 0.1 }\nevery = 3\npulls = 2", "pulls = 200"));
  EXPECT_GE(observed(Role::warm_up).size(), 5U);
  EXPECT_LE(observed(Role::warm_up).size(), events<Asked>().size() / 2);
}

TEST_F(TunerTest, AChallengerThatBreaksLosesItsPair) {
  // Works until it is compared with the baseline.
  bool breaks = false;
  system_.on_measure = [&](double x) -> Measured {
    if (breaks && x > 0.5) return measure_fails();
    return Reading{x};
  };
  const TuneEnd end =
      tune(file_of("on_failure = \"skip\"\n[baseline]\nsetting = { x = 0.1 }\nevery = 3\npulls = 2",
                   "pulls = 60"),
           [&](const TuneProgress& progress) { breaks = progress.phase == Phase::baseline; });
  EXPECT_EQ(end.why, TuneEnd::Why::budget) << end.text;
  EXPECT_GE(events<Penalized>().size(), 1U);
  EXPECT_EQ(system_.applied.back(), 0.1);
}

TEST_F(TunerTest, OnExitItLeavesWhatItWasAskedTo) {
  EXPECT_EQ(tune(file_of("on_exit = \"baseline\"\n[baseline]\nsetting = { x = 0.75 }\nevery = 0"))
                .setting,
            "{\"x\":0.75}");
  EXPECT_EQ(system_.left_at, std::vector{0.75});
}

TEST_F(TunerTest, ASystemThatIsOnlyMeasuredIsLeftAsItIs) {
  system_.settable = false;
  const TuneEnd end =
      tune(file_of("on_exit = \"baseline\"\n[baseline]\nsetting = { x = 0.75 }\nevery = 0"));
  EXPECT_EQ(end.why, TuneEnd::Why::budget);
  EXPECT_EQ(end.setting, "");
  EXPECT_TRUE(system_.left_at.empty());
}

// --- failures -----------------------------------------------------------------------------------

TEST_F(TunerTest, AFailedApplyIsNoPullAndIsTriedAgain) {
  system_.on_apply = [&](double) {
    return system_.applied.size() == 2 ? std::optional(apply_fails()) : std::nullopt;
  };
  (void)tune(file_of(""));
  ASSERT_EQ(events<Failed>().size(), 1U);
  EXPECT_EQ(std::get<Failed>(events<Failed>()[0]).what, "apply: ended with status 1");
  EXPECT_EQ(pulls(), 20U);
  EXPECT_EQ(system_.applied[1], system_.applied[2]);
}

TEST_F(TunerTest, WhatFailsIsTriedThreeTimesAgainAfterLongerAndLongerPauses) {
  std::vector<double> attempts;
  system_.measure_seconds = 0.0;
  system_.on_measure = [&](double x) -> Measured {
    if (x == 0.3) return Reading{x};
    attempts.push_back(now());
    return measure_fails();
  };
  (void)tune(file_of("[baseline]\nsetting = { x = 0.3 }\nevery = 0", "pulls = 1"));
  ASSERT_EQ(attempts.size(), 4U);
  EXPECT_NEAR(attempts[1] - attempts[0], 0.25, 1e-9);
  EXPECT_NEAR(attempts[2] - attempts[1], 0.5, 1e-9);
  EXPECT_NEAR(attempts[3] - attempts[2], 1.0, 1e-9);
  EXPECT_EQ(system_.applied.back(), 0.3);
}

TEST_F(TunerTest, WhatTakesTooLongIsNotTriedAgain) {
  std::vector<double> attempts;
  system_.on_measure = [&](double x) -> Measured {
    if (x == 0.3) return Reading{x};
    attempts.push_back(x);
    return SystemFailure{"measure: took longer than 30 s", true};
  };
  (void)tune(file_of("[baseline]\nsetting = { x = 0.3 }\nevery = 0", "pulls = 2"));
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_NE(attempts[0], attempts[1]);
}

TEST_F(TunerTest, WhatHasNeverWorkedIsSaidSoon) {
  system_.on_measure = [](double) {
    return SystemFailure{"measure: ended with status 1: no module", false, "line 1\nno module\n"};
  };
  const TuneEnd end = tune(file_of("[baseline]\nsetting = { x = 0.75 }"));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  EXPECT_EQ(end.text,
            "nothing has been measured yet, and {\"x\":0.75} fails as well: measure: ended "
            "with status 1: no module");
  EXPECT_EQ(end.errors, "line 1\nno module\n");
  EXPECT_LE(now(), 60.0);
  EXPECT_EQ(std::get<Failed>(events<Failed>().front()).errors, "line 1\nno module\n");
}

TEST_F(TunerTest, AMeasurementThatAlwaysTakesTooLongEndsAfterThree) {
  system_.on_measure = [](double) { return SystemFailure{"measure: took longer than 30 s", true}; };
  const TuneEnd end = tune(file_of("on_exit = \"leave\""));
  EXPECT_EQ(end.text,
            "nothing could be measured: all of the first 3 pulls failed, the last one because of: "
            "measure: took longer than 30 s");
  EXPECT_EQ(system_.measurements, 3U);
}

TEST_F(TunerTest, ASystemThatStaysDownStopsItWithTheBaselineRestored) {
  system_.on_measure = [this](double x) -> Measured {
    if (system_.measurements == 1) return Reading{x};
    return SystemFailure{"measure: printed \"oops\""};
  };
  const TuneEnd end =
      tune(file_of("on_failure = \"skip\"\noutage_seconds = 3600\n[baseline]\nsetting = { x = 0.75 "
                   "}\nevery = 0"));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  EXPECT_EQ(
      end.text,
      "the system has been down for 3600 s: {\"x\":0.75}, which worked before, fails: measure: "
      "printed \"oops\"");
  EXPECT_EQ(end.setting, "{\"x\":0.75}");
  EXPECT_EQ(system_.applied.back(), 0.75);
  EXPECT_EQ(pulls(), 1U);
  EXPECT_TRUE(events<Penalized>().empty());
  EXPECT_GE(now(), 3600.0);
  EXPECT_LE(now(), 3610.0);
  EXPECT_GE(system_.measurements, 3600U / 32U)
      << "it looks every half minute, and earlier at first";
  EXPECT_LE(system_.measurements, 130U);
}

TEST_F(TunerTest, ASettingThatFailsIsPenalizedAndNeverLeftOn) {
  for (const char* baseline : {"", "[baseline]\nsetting = { x = 0.3 }\nevery = 0"}) {
    system_.applied.clear();
    system_.on_measure = breaks_at_large_x;
    const TuneEnd end =
        tune(file_of(std::string("on_failure = \"skip\"\n") + baseline, "pulls = 60"));
    EXPECT_EQ(end.why, TuneEnd::Why::budget);
    EXPECT_EQ(pulls(), 60U) << "a failure is a pull";
    EXPECT_GE(events<Penalized>().size(), 2U);
    EXPECT_EQ(events<Penalized>().size() + events<Told>().size(), 60U);
    const std::vector<double>& settings = system_.applied;
    for (std::size_t i = 0; i + 1 < settings.size(); ++i) {
      if (settings[i] < 0.8) continue;
      EXPECT_LT(settings[i + 1], 0.8) << "it goes back to one that works";
      if (*baseline != '\0') {
        EXPECT_EQ(settings[i + 1], 0.3);
      }
    }
    EXPECT_LT(settings.back(), 0.8);
    store_.erase(find_study(store_, "a").id);
  }
}

TEST_F(TunerTest, APenaltyIsWorseThanTheWorstRewardByATenthOfTheSpread) {
  system_.on_measure = breaks_at_large_x;
  (void)tune(file_of("on_failure = \"skip\"", "pulls = 40"));
  double low = 1e9;
  double high = -1e9;
  int checked = 0;
  for (const Event& event : events<Told, Penalized>()) {
    if (const auto* told = std::get_if<Told>(&event)) {
      low = std::min(low, std::get<double>(told->rewards));
      high = std::max(high, std::get<double>(told->rewards));
    } else if (low < high) {
      EXPECT_DOUBLE_EQ(std::get<Penalized>(event).reward, low - 0.1 * (high - low));
      ++checked;
    }
  }
  EXPECT_GE(checked, 2);
}

TEST_F(TunerTest, WhatAFailureIsWorthMayBeSaid) {
  system_.on_measure = breaks_at_large_x;
  (void)tune(file_of("on_failure = \"skip\"\nfailure_reward = -3", "pulls = 40"));
  ASSERT_FALSE(events<Penalized>().empty());
  for (const Event& event : events<Penalized>()) EXPECT_EQ(std::get<Penalized>(event).reward, -3.0);
}

TEST_F(TunerTest, AFailureBeforeTheFirstRewardIsDeferredUntilThere) {
  system_.on_measure = [&](double x) -> Measured {
    if (system_.measurements <= 2) return measure_fails();
    return Reading{x};
  };
  EXPECT_EQ(tune(file_of("on_failure = \"skip\"")).why, TuneEnd::Why::budget);
  EXPECT_EQ(events<Deferred>().size(), 2U);
  const std::vector<Event> all = events<Deferred, Told, Penalized>();
  EXPECT_TRUE(std::holds_alternative<Told>(all.at(2)));
  EXPECT_TRUE(std::holds_alternative<Penalized>(all.at(3)));
  EXPECT_TRUE(std::holds_alternative<Penalized>(all.at(4)));
  EXPECT_EQ(pulls(), 20U);
}

TEST_F(TunerTest, AnOutageTeachesNothing) {
  double down_until = 0.0;
  system_.on_measure = [&](double x) -> Measured {
    if (system_.measurements == 8) down_until = now() + 3000.0;
    if (now() < down_until) return measure_fails();
    return Reading{x};
  };
  bool was_seen = false;
  const TuneEnd end = tune(file_of("on_failure = \"skip\"\noutage_seconds = "
                                   "3600\n[baseline]\nsetting = { x = 0.3 }\nevery = 0"),
                           [&](const TuneProgress& progress) {
                             if (progress.phase != Phase::down) return;
                             was_seen = true;
                             EXPECT_EQ(progress.failure, "measure: ended with status 1");
                           });
  EXPECT_EQ(end.why, TuneEnd::Why::budget);
  EXPECT_TRUE(was_seen);
  EXPECT_GE(now(), 3000.0);
  EXPECT_TRUE(events<Penalized>().empty());
  EXPECT_EQ(events<Told>().size(), 20U);
}

TEST_F(TunerTest, AnArmThatTakesTheSystemDownTwiceIsToBlame) {
  double down_until = 0.0;
  system_.on_measure = [&](double x) -> Measured {
    if (x >= 0.8) down_until = now() + 60.0;
    if (now() < down_until) return measure_fails();
    return Reading{x};
  };
  const TuneEnd end = tune(file_of(
      "on_failure = \"skip\"\nmax_failures = 50\n[baseline]\nsetting = { x = 0.3 }\nevery = 0",
      "pulls = 12"));
  EXPECT_EQ(end.why, TuneEnd::Why::budget);
  const std::vector<Event> penalized = events<Penalized>();
  EXPECT_GE(penalized.size(), 1U);
  const std::vector<Event> changes = events<Applied>();
  for (const Event& event : penalized) {
    const auto tries = std::count_if(changes.begin(), changes.end(), [&](const Event& change) {
      return std::get<Applied>(change).ticket == std::get<Penalized>(event).ticket;
    });
    EXPECT_EQ(tries, 2);
  }
}

TEST_F(TunerTest, TooManyFailuresStopItAndTheNextTunerGetsAChance) {
  system_.on_measure = [](double x) -> Measured {
    if (x != 0.3) return measure_fails();
    return Reading{x};
  };
  const std::string system =
      "on_failure = \"skip\"\n[baseline]\nsetting = { x = 0.3 }\nevery = 9\npulls = 1";
  const TuneEnd end = tune(file_of(system, "pulls = 200"));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  EXPECT_EQ(
      end.text,
      "10 of the last 10 pulls failed, the last one because of: measure: ended with status 1");
  EXPECT_EQ(pulls(), 10U);
  EXPECT_EQ(system_.applied.back(), 0.3);
  system_.on_measure = {};
  EXPECT_EQ(tune(file_of(system, "pulls = 70")).why, TuneEnd::Why::budget);
}

TEST_F(TunerTest, AnArmAtWhichTheTunerIsKilledAgainAndAgainHasFailed) {
  system_.on_measure = [](double x) -> Measured {
    if (x >= 0.8) throw Killed();
    return Reading{x};
  };
  const StudySpecification file = file_of("on_failure = \"skip\"\nmax_crashes = 3", "pulls = 10");
  int kills = 0;
  bool is_done = false;
  while (!is_done && kills < 100) {
    try {
      EXPECT_EQ(tune(file).why, TuneEnd::Why::budget);
      is_done = true;
    } catch (const TuneError& error) {
      EXPECT_STREQ(error.what(), "killed");
      ++kills;
    }
  }
  EXPECT_TRUE(is_done);
  const std::vector<Event> failures = events<Failed>();
  ASSERT_GE(failures.size(), 1U);
  EXPECT_EQ(static_cast<std::size_t>(kills), 3 * failures.size());
  for (const Event& failure : failures) {
    EXPECT_EQ(std::get<Failed>(failure).what,
              "canopy was killed 3 times in a row while the system had this setting, before it "
              "could be measured");
  }
  EXPECT_EQ(events<Penalized>().size(), failures.size());
}

TEST_F(TunerTest, AChallengerAtWhichTheTunerIsKilledAgainAndAgainHasFailed) {
  bool is_duel = false;
  system_.on_measure = [&](double x) -> Measured {
    if (is_duel && x != 0.3) throw Killed();
    return Reading{x};
  };
  const StudySpecification file = file_of(
      "on_failure = \"skip\"\nmax_crashes = 3\n[baseline]\nsetting = { x = 0.3 }\nevery = 4",
      "pulls = 80");
  int kills = 0;
  bool is_done = false;
  while (!is_done && kills < 100) {
    try {
      is_done = tune(file, [&](const TuneProgress& progress) {
                  is_duel = progress.phase == TuneProgress::Phase::baseline;
                }).why == TuneEnd::Why::budget;
    } catch (const TuneError&) {
      ++kills;
    }
  }
  EXPECT_TRUE(is_done);
  EXPECT_GE(kills, 3);
  EXPECT_LT(kills, 60) << "every challenger three times and once more";
}

TEST_F(TunerTest, OnFailureItMayStopAtOnce) {
  system_.on_measure = [](double) { return SystemFailure{"measure: ended with status 7"}; };
  const TuneEnd end =
      tune(file_of("on_failure = \"stop\"\n[baseline]\nsetting = { x = 0.3 }\nevery = 0"));
  EXPECT_EQ(end.text, "measure: ended with status 7");
  EXPECT_EQ(system_.applied.back(), 0.3);
  EXPECT_EQ(system_.measurements, 1U);
}

TEST_F(TunerTest, WithoutABaselineItGoesBackToTheLastSettingThatWorked) {
  system_.on_measure = breaks_at_large_x;
  const TuneEnd end = tune(file_of("on_failure = \"stop\"\non_exit = \"leave\"", "pulls = 60"));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  EXPECT_EQ(end.left_at, "the last setting that worked");
  ASSERT_GE(system_.applied.size(), 3U);
  EXPECT_EQ(system_.applied.back(), system_.applied[system_.applied.size() - 3]);
}

TEST_F(TunerTest, AnUnusableRewardIsAFailureAndNotLearnt) {
  system_.on_measure = [](double) { return Reading{1e200}; };
  const TuneEnd end = tune(file_of("min_pulls_per_change = 3\non_failure = \"stop\""));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  EXPECT_TRUE(end.text.starts_with("the reward 1e+200: ")) << end.text;
  EXPECT_EQ(pulls(), 0U);
  system_.on_measure = [](double) { return Reading{0.5}; };
  EXPECT_EQ(tune(file_of("min_pulls_per_change = 3\non_failure = \"stop\"")).why,
            TuneEnd::Why::budget);
}

// --- metrics ------------------------------------------------------------------------------------

TEST_F(TunerTest, WhatBreaksALimitIsNoFailureAndIsNotLeftOn) {
  measure_both();
  StudySpecification file = file_of("on_failure = \"skip\"\nmax_failures = 5", "pulls = 150");
  file.objective.limits = {{.metric = "p99_ms", .max = 60.0}};
  EXPECT_EQ(tune(file).why, TuneEnd::Why::budget);
  EXPECT_TRUE(events<Failed>().empty());
  EXPECT_TRUE(events<Penalized>().empty());
  const Study study = Study::reopen(store_, tuned());
  const Best best = study.best().value();
  EXPECT_LE(best.arm[0], 0.6);
  EXPECT_GE(best.arm[0], 0.5);
  ASSERT_EQ(best.limits.size(), 1U);
  EXPECT_GE(best.limits[0].probability, 0.84);
  EXPECT_EQ(system_.applied.back(), best.arm[0]);
  EXPECT_TRUE(tuner_state_of(study).metrics().contains("p99_ms"));
}

TEST_F(TunerTest, AnAlgorithmWithoutAModelOfMetricsBarsWhatBreaksThem) {
  measure_both();
  StudySpecification file = file_of("on_failure = \"skip\"\nmax_failures = 5", "pulls = 300",
                                    "[optimizer]\nname = \"hct\"\nconfidence_scale = 0.01\n");
  file.objective.limits = {{.metric = "p99_ms", .max = 60.0}};
  EXPECT_EQ(tune(file).why, TuneEnd::Why::budget) << "nothing has failed";
  for (const Event& event : events<Penalized>()) {
    EXPECT_TRUE(std::get<Penalized>(event).barred);
  }
  const Study study = Study::reopen(store_, tuned());
  const std::vector<Event> measured = events<MetricsMeasured>();
  EXPECT_TRUE(std::any_of(measured.begin(), measured.end(), [&](const Event& event) {
    return study.is_barred(std::get<MetricsMeasured>(event).arm);
  }));
  EXPECT_LE(study.best()->arm[0], 0.6);
  EXPECT_LE(system_.applied.back(), 0.6);
}

TEST_F(TunerTest, AMetricWithoutNoiseIsDecidedAtOnce) {
  system_.on_measure = [this](double x) {
    return Reading{x + 0.3 * random_.uniform(), {{"size", 100.0 * x}}};
  };
  StudySpecification file = file_of("", "pulls = 100");
  file.objective.limits = {{.metric = "size", .max = 50.0}};
  (void)tune(file);
  EXPECT_LE(system_.applied.back(), 0.5);
  std::size_t beyond = 0;
  for (const Event& event : events<MetricsMeasured>()) {
    if (std::get<MetricsMeasured>(event).metrics.at("size") > 50.0) ++beyond;
  }
  EXPECT_LT(beyond, 25U) << "of 100";
}

TEST_F(TunerTest, FarBeyondALimitASettingIsNotHeldForSeveralPulls) {
  measure_both();
  StudySpecification file = file_of("min_pulls_per_change = 4", "pulls = 40");
  file.objective.limits = {{.metric = "p99_ms", .max = 20.0}};
  (void)tune(file);
  double setting = -1.0;
  std::uint64_t pulls = 0;
  for (const Event& event : events<Applied, MetricsMeasured>()) {
    if (const auto* change = std::get_if<Applied>(&event)) {
      setting = change->arm[0];
      pulls = 0;
    } else if (setting > 0.41) {
      EXPECT_EQ(++pulls, 1U) << setting;
    }
  }
}

TEST_F(TunerTest, WhereNothingKeepsALimitItGoesToWhatIsNearest) {
  measure_both();
  StudySpecification file = file_of("on_exit = \"best\"", "pulls = 80");
  file.objective.limits = {{.metric = "p99_ms", .max = -10.0}};
  const TuneEnd end = tune(file);
  EXPECT_EQ(end.left_at, "the setting that exceeds the limits least: no setting keeps them");
  EXPECT_LT(system_.applied.back(), 0.15);
  const Study study = Study::reopen(store_, tuned());
  EXPECT_FALSE(study.best());
  EXPECT_LT(study.nearest()->arm[0], 0.15);
}

TEST_F(TunerTest, ABaselineThatBreaksALimitIsLeftForASettingThatKeepsItAndEarnsLess) {
  measure_both();
  StudySpecification file =
      file_of("[baseline]\nsetting = { x = 0.9 }\nevery = 5\npulls = 2", "pulls = 100");
  file.objective.limits = {{.metric = "p99_ms", .max = 60.0}};
  const TuneEnd end = tune(file);
  EXPECT_EQ(end.left_at,
            "the best setting, although it is not known to earn more: the baseline breaks a limit");
  EXPECT_LE(system_.applied.back(), 0.6);
}

TEST_F(TunerTest, AMetricWithALimitThatIsNeverPrintedLimitsNothing) {
  system_.on_measure = [](double x) { return Reading{x}; };
  StudySpecification file = file_of("on_failure = \"stop\"");
  file.objective.limits = {{.metric = "p99_ms", .max = 20.0}};
  EXPECT_EQ(tune(file).why, TuneEnd::Why::budget);
  const Study study = Study::reopen(store_, tuned());
  EXPECT_TRUE(study.best()->limits.empty());
}

// --- the exit setting ---------------------------------------------------------------------------

TEST_F(TunerTest, ABestArmThatIsNotSurelyBetterIsNotApplied) {
  measure_noise();
  const TuneEnd end =
      tune(file_of("[baseline]\nsetting = { x = 0.3 }\nevery = 2\npulls = 2", "pulls = 11"));
  EXPECT_EQ(end.setting, "{\"x\":0.3}");
  EXPECT_TRUE(end.left_at.starts_with("the baseline: ")) << end.left_at;
}

TEST_F(TunerTest, ABestArmThatIsSurelyBetterIsApplied) {
  measure_both();
  const TuneEnd end =
      tune(file_of("[baseline]\nsetting = { x = 0.1 }\nevery = 20\npulls = 20", "pulls = 200"));
  EXPECT_TRUE(end.left_at.starts_with("better than the baseline at 95 %, after ")) << end.left_at;
  EXPECT_GT(system_.applied.back(), 0.8);
}

TEST_F(TunerTest, WithoutMeasurementsOfTheBaselineNothingIsKnownToBeBetter) {
  const TuneEnd end = tune(file_of("[baseline]\nsetting = { x = 0.3 }\nevery = 0"));
  EXPECT_EQ(system_.applied.back(), 0.3);
  EXPECT_TRUE(end.left_at.starts_with("the baseline: it was never measured")) << end.left_at;
}

TEST_F(TunerTest, ASystemThatCannotBeLeftAsAskedToIsAFailure) {
  system_.on_leave = [](double) { return apply_fails(); };
  const TuneEnd end =
      tune(file_of("on_exit = \"baseline\"\n[baseline]\nsetting = { x = 0.75 }\nevery = 0"));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  EXPECT_EQ(end.text,
            "the budget of 20 pulls is used; the system could not be set to {\"x\":0.75}: apply: "
            "ended with status 1");
  EXPECT_EQ(end.setting, "");
}

TEST_F(TunerTest, TheBestArmIsConfirmedByPullsOfItsOwn) {
  measure_both();
  const StudySpecification file =
      file_of("on_exit = \"confirmed\"\n[baseline]\nsetting = { x = 0.1 }\nevery = 0",
              "pulls = 30\nconfirm_pulls = 60");
  const TuneEnd end = tune(file);
  EXPECT_TRUE(end.verdict.starts_with("better than the baseline after ")) << end.verdict;
  EXPECT_GT(system_.applied.back(), 0.5);
  EXPECT_EQ(events<ComparisonBegun>().size(), 1U);
  const std::vector<Event> compared = events<Compared>();
  EXPECT_LT(compared.size(), 60U) << "it stops when it is certain";
  EXPECT_EQ(compared.size() % 2, 0U);
  EXPECT_EQ(pulls(), 30U) << "these are not pulls of the search";
  const std::uint64_t events_before = find_study(store_, "a").events;
  (void)tune(file);
  EXPECT_EQ(events<Compared>().size(), compared.size()) << "nothing to confirm any more";
  EXPECT_GT(find_study(store_, "a").events, events_before);
}

TEST_F(TunerTest, WhatCannotBeConfirmedIsNotApplied) {
  measure_noise();
  const TuneEnd end =
      tune(file_of("on_exit = \"confirmed\"\n[baseline]\nsetting = { x = 0.1 }\nevery = 0",
                   "pulls = 15\nconfirm_pulls = 24"));
  EXPECT_TRUE(end.verdict.starts_with("neither better nor worse than the baseline after 24 pulls"))
      << end.verdict;
  EXPECT_EQ(system_.applied.back(), 0.1);
}

TEST_F(TunerTest, AnArmThatFailsIsNotConfirmed) {
  const std::string system =
      "on_exit = \"confirmed\"\non_failure = \"skip\"\n[baseline]\nsetting = { x = 0.1 }\nevery = "
      "0";
  (void)tune(file_of(system, "pulls = 20"));
  system_.on_measure = [](double x) -> Measured {
    if (x != 0.1) return measure_fails();
    return Reading{x};
  };
  const TuneEnd end = tune(file_of(system, "pulls = 20\nconfirm_pulls = 24"));
  EXPECT_EQ(end.verdict, "the best setting failed: measure: ended with status 1");
  EXPECT_EQ(end.why, TuneEnd::Why::budget);
  EXPECT_EQ(system_.applied.back(), 0.1);
}

TEST_F(TunerTest, AnArmThatBreaksALimitIsNotConfirmed) {
  StudySpecification file =
      file_of("on_exit = \"confirmed\"\n[baseline]\nsetting = { x = 0.1 }\nevery = 0",
              "pulls = 20\nconfirm_pulls = 100");
  file.objective.limits = {{.metric = "p99_ms", .max = 20.0}};
  const auto is_searching = [&] { return events<ComparisonBegun>().empty(); };
  system_.on_measure = [&](double x) {
    const double p99 = is_searching() || x == 0.1 ? 10.0 : 30.0;
    return Reading{x + 0.01 * random_.uniform(), {{"p99_ms", p99 + random_.uniform()}}};
  };
  const TuneEnd end = tune(file);
  EXPECT_TRUE(end.verdict.starts_with("better than the baseline after ")) << end.verdict;
  EXPECT_TRUE(end.verdict.ends_with("(at most 20): broken")) << end.verdict;
  EXPECT_EQ(system_.applied.back(), 0.1);
  EXPECT_TRUE(std::get<ComparisonEnded>(events<ComparisonEnded>().at(0)).refuted);
}

TEST_F(TunerTest, TheBestArmMayBeConfirmedWithoutASearch) {
  measure_both();
  const StudySpecification file =
      file_of("on_exit = \"confirmed\"\n[baseline]\nsetting = { x = 0.1 }\nevery = 0");
  const auto confirm = [&] {
    Study study = Study::open(store_, file, tuned());
    return Tuner(study, system_, {stop_}, {}).confirm(40);
  };
  EXPECT_EQ(confirm().text, "there is nothing to confirm: no setting has a reward");
  (void)tune(file);
  EXPECT_EQ(system_.applied.back(), 0.1) << "nothing was confirmed";
  const TuneEnd end = confirm();
  EXPECT_EQ(end.text, "compared with the baseline");
  EXPECT_TRUE(end.verdict.starts_with("better than the baseline after ")) << end.verdict;
  EXPECT_GT(system_.applied.back(), 0.5);
  EXPECT_EQ(pulls(), 20U);
}

TEST_F(TunerTest, APauseLeavesTheSystemAtTheBestKnownSetting) {
  Study study = Study::open(store_, file_of("on_exit = \"leave\""), tuned());
  std::atomic<bool> pause{false};
  double during = -1.0;
  Tuner tuner(study, system_, {stop_, &pause}, [&](const TuneProgress& progress) {
    if (progress.phase == Phase::paused) {
      during = system_.applied.back();
      pause = false;
    } else if (progress.pulls == 12 && during < 0.0) {
      pause = true;
    }
  });
  EXPECT_EQ(tuner.run().why, TuneEnd::Why::budget);
  EXPECT_GT(during, 0.8) << "x itself is the reward";
  EXPECT_EQ(pulls(), 20U);
}

TEST_F(TunerTest, WhenTheRewardsFallBelowTheFloorTheBaselineIsPutBack) {
  system_.on_measure = [](double) { return Reading{0.3}; };
  const TuneEnd end =
      tune(file_of("floor = 0.4\nfloor_window = 5\non_exit = \"leave\"\n[baseline]\nsetting = { x "
                   "= 0.75 }\nevery = 0"));
  EXPECT_EQ(end.why, TuneEnd::Why::floor);
  EXPECT_EQ(end.left_at, "the baseline, as a fallback");
  EXPECT_EQ(end.text, "the last 5 rewards are 0.3 on average, below the floor of 0.4");
  EXPECT_EQ(system_.applied.back(), 0.75);
  EXPECT_EQ(pulls(), 5U);
}

TEST_F(TunerTest, TheFloorOfCostsIsACeiling) {
  system_.on_measure = [](double) { return Reading{0.5}; };
  const TuneEnd end =
      tune(file_of("floor = 0.4\nfloor_window = 5\n[baseline]\nsetting = { x = 0.75 }\nevery = 0",
                   "pulls = 20", "direction = \"minimize\"\n"));
  EXPECT_EQ(end.text, "the last 5 rewards are 0.5 on average, above the floor of 0.4");
}

TEST_F(TunerTest, TheFloorRemembersWhatItSawBeforeARestart) {
  system_.on_measure = [](double) { return Reading{0.3}; };
  const std::string system =
      "floor = 0.4\nfloor_window = 6\n[baseline]\nsetting = { x = 0.75 }\nevery = 0";
  EXPECT_EQ(tune(file_of(system, "pulls = 4")).why, TuneEnd::Why::budget);
  EXPECT_EQ(tune(file_of(system, "pulls = 20")).why, TuneEnd::Why::floor);
  EXPECT_EQ(pulls(), 6U);
  EXPECT_EQ(tune(file_of(system, "pulls = 9")).why, TuneEnd::Why::budget) << "a new chance";
}

// --- limits on changes --------------------------------------------------------------------------

/// The numbers of pulls between changes of the setting.
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
  // A held-back reward is recorded when it is measured, and told later.
  std::vector<int> runs = runs_between_changes(events<Applied, Told>());
  ASSERT_GE(runs.size(), 5U);
  runs.pop_back();  // the budget may have ended this run
  for (const int run : runs) EXPECT_GE(run, 3);
  EXPECT_GE(pulls(), 28U) << "the last ones may be held back";
}

TEST_F(TunerTest, WhatIsHeldBackIsToldOnceTheArmMayChange) {
  const TuneEnd end = tune(file_of("min_pulls_per_change = 6\non_exit = \"leave\"", "pulls = 4"));
  EXPECT_EQ(end.pulls, 4U);
  EXPECT_EQ(events<Held>().size(), 4U);
  EXPECT_TRUE(events<Told>().empty());
  (void)tune(file_of("min_pulls_per_change = 4\non_exit = \"leave\"", "pulls = 4"));
  EXPECT_EQ(events<Told>().size(), 4U);
  EXPECT_EQ(system_.measurements, 4U);
}

TEST_F(TunerTest, ChangesBeyondTheHourlyNumberAreDeferredAlsoByTheNextTuner) {
  system_.measure_seconds = 60.0;
  for (const int pulls : {5, 6, 20, 30, 300}) {
    const TuneEnd end = tune(file_of("max_changes_per_hour = 2\non_exit = \"leave\"",
                                     "pulls = " + std::to_string(pulls)),
                             [](const TuneProgress& progress) {
                               EXPECT_NE(progress.phase, Phase::holding) << "it goes on measuring";
                             });
    EXPECT_EQ(end.pulls, static_cast<std::uint64_t>(pulls)) << "over-runs are pulls as well";
  }
  const std::vector<double> changes = times_of_changes();
  ASSERT_GE(changes.size(), 6U) << "in five hours";
  for (std::size_t i = 0; i + 2 < changes.size(); ++i) {
    EXPECT_GE(changes[i + 2] - changes[i], 3600.0);
  }
}

TEST_F(TunerTest, ARoundBeginsWhenAllItsChangesAreAllowed) {
  system_.measure_seconds = 60.0;
  (void)tune(file_of("max_changes_per_hour = 7\non_exit = \"leave\"\n[baseline]\nsetting = { x = "
                     "0.9 }\nevery = 3\npulls = 4",
                     "pulls = 500"),
             [](const TuneProgress& progress) {
               EXPECT_NE(progress.phase, Phase::holding) << "in the middle of a pair, say";
             });
  const std::vector<double> changes = times_of_changes();
  ASSERT_GE(changes.size(), 20U);
  for (std::size_t i = 0; i + 7 < changes.size(); ++i) {
    EXPECT_GE(changes[i + 7] - changes[i], 3600.0);
  }
}

TEST_F(TunerTest, AfterAFailureItWaitsUntilItMayChangeAgain) {
  // One change in each direction uses up the hour's limit.
  system_.on_measure = [](double x) -> Measured {
    if (x != 0.3) return measure_fails();
    return Reading{x};
  };
  (void)tune(
      file_of("on_failure = \"skip\"\nmax_changes_per_hour = 2\n[baseline]\nsetting = { x = 0.3 "
              "}\nevery = 0",
              "pulls = 2"));
  const std::vector<double> changes = times_of_changes();
  ASSERT_GE(changes.size(), 3U);
  EXPECT_LE(changes[1] - changes[0], 5.0);
  EXPECT_GE(changes[2] - changes[0], 3600.0);
  EXPECT_LE(changes[2] - changes[0], 3605.0);
}

TEST_F(TunerTest, ARestartDoesNotShortenTheTimeOfAnArm) {
  for (const int pulls : {4, 5, 6, 7, 30}) {
    (void)tune(file_of("min_pulls_per_change = 6\non_exit = \"leave\"",
                       "pulls = " + std::to_string(pulls)));
  }
  std::vector<double> setting;
  int run = 6;
  int changes = 0;
  for (const Event& event : events<Applied, Told>()) {
    const auto* change = std::get_if<Applied>(&event);
    if (change != nullptr && change->arm != setting) {
      EXPECT_GE(run, 6);
      setting = change->arm;
      run = 0;
      ++changes;
    }
    run += std::holds_alternative<Told>(event) ? 1 : 0;
  }
  EXPECT_GE(changes, 3);
}

// --- stores, stops and restarts -----------------------------------------------------------------

/// A store that fails once, at the next write after `pulls` pulls.
class FailsOnce {
 public:
  FailsOnce(std::uint64_t pulls, std::function<void()> fail)
      : pulls_(pulls), fail_(std::move(fail)) {}

  [[nodiscard]] FaultyStore of(const std::shared_ptr<MemoryStudies>& studies) {
    return {std::make_unique<MemoryStore>(studies), [this](std::string_view operation) {
              if (operation == "append" && is_due_ && !std::exchange(has_failed_, true)) fail_();
            }};
  }

  [[nodiscard]] std::function<void(const TuneProgress&)> watch() {
    return [this](const TuneProgress& progress) { is_due_ = progress.pulls >= pulls_; };
  }

  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  std::uint64_t pulls_;
  std::function<void()> fail_;
  bool is_due_ = false;
  bool has_failed_ = false;
};

TEST_F(TunerTest, WhenTheJournalCannotBeWrittenTheBaselineIsPutBack) {
  FailsOnce fault(
      5, [] { throw StoreError(StoreError::Fault::full, "s.db: database or disk is full"); });
  FaultyStore store = fault.of(studies_);
  try {
    (void)tune(store, file_of("[baseline]\nsetting = { x = 0.75 }\nevery = 0"), fault.watch());
    FAIL();
  } catch (const TuneError& error) {
    EXPECT_STREQ(error.what(), "s.db: database or disk is full; the baseline was restored");
  }
  EXPECT_EQ(system_.applied.back(), 0.75);
}

TEST_F(TunerTest, ABaselineThatCannotBePutBackIsToldOf) {
  FailsOnce fault(5, [] { throw StoreError(StoreError::Fault::full, "s.db: is full"); });
  FaultyStore store = fault.of(studies_);
  system_.on_leave = [](double) { return apply_fails(); };
  try {
    (void)tune(store, file_of("[baseline]\nsetting = { x = 0.75 }\nevery = 0"), fault.watch());
    FAIL();
  } catch (const TuneError& error) {
    EXPECT_STREQ(error.what(),
                 "s.db: is full; the baseline could not be restored: apply: ended with status 1");
  }
}

TEST_F(TunerTest, LeavesTheSystemToAProcessThatHasTakenOverTheStudy) {
  FailsOnce fault(5, [] { throw StoreError(StoreError::Fault::taken_over, "s.db: is not ours"); });
  FaultyStore store = fault.of(studies_);
  try {
    (void)tune(store, file_of("[baseline]\nsetting = { x = 0.75 }\nevery = 0"), fault.watch());
    FAIL();
  } catch (const TuneError& error) {
    EXPECT_STREQ(error.what(), "s.db: is not ours; another process now controls the system");
  }
  EXPECT_NE(system_.applied.back(), 0.75);
  EXPECT_TRUE(system_.left_at.empty());
}

TEST_F(TunerTest, AcceptsEventsWrittenByAnotherProcess) {
  FailsOnce fault(5, [&] {
    const StudyRecord record = find_study(store_, "a");
    const std::vector<JournalEntry> foreign{
        {record.events + 1, now(), CommandAccepted{1, RunnerCommand::end, 0, "alice"}}};
    store_.append({.study = record.id, .entries = foreign, .pulls = record.pulls, .answers = {}});
    throw StoreError(StoreError::Fault::moved_on, "s.db: another process has written to it");
  });
  FaultyStore store = fault.of(studies_);
  const TuneEnd end = tune(store, file_of("", "pulls = 1000"), fault.watch());
  EXPECT_TRUE(fault.has_failed());
  EXPECT_EQ(end.text, "ended by alice");
}

TEST_F(TunerTest, ContinuesAfterAnotherProcessHasWritten) {
  FailsOnce fault(5, [] { throw StoreError(StoreError::Fault::moved_on, "s.db: has moved on"); });
  FaultyStore store = fault.of(studies_);
  std::size_t settings_then = 0;
  const auto watch = [&, arm = fault.watch()](const TuneProgress& progress) {
    arm(progress);
    if (!fault.has_failed()) settings_then = system_.applied.size();
  };
  const TuneEnd end =
      tune(store, file_of("min_pulls_per_change = 100\non_exit = \"leave\"", "pulls = 20"), watch);
  EXPECT_TRUE(fault.has_failed());
  EXPECT_EQ(end.text, "the budget of 20 pulls is used");
  EXPECT_EQ(settings_then, 1U);
  EXPECT_EQ(system_.applied.size(), 2U) << "another process may have changed the setting";
  EXPECT_EQ(system_.applied[0], system_.applied[1]);
}

TEST_F(TunerTest, GoesOnWhereItWas) {
  const auto state = [&] { return Study::reopen(store_, tuned()).save(); };
  (void)tune(file_of("on_exit = \"leave\"", "pulls = 30"));
  const std::string whole = state();
  store_.erase(find_study(store_, "a").id);
  for (const int pulls : {7, 8, 19, 30}) {
    (void)tune(file_of("on_exit = \"leave\"", "pulls = " + std::to_string(pulls)));
  }
  EXPECT_EQ(state(), whole);
}

TEST_F(TunerTest, HeldRewardsSurviveTheTuner) {
  const StudySpecification file =
      file_of("min_pulls_per_change = 5\non_exit = \"leave\"", "pulls = 40");
  EXPECT_THROW((void)tune(file,
                          [](const TuneProgress& progress) {
                            if (progress.pulls == 3) throw Killed();
                          }),
               TuneError);
  ASSERT_EQ(events<Held>().size(), 3U);
  (void)tune(file);
  EXPECT_EQ(pulls(), 40U);
  EXPECT_EQ(runs_between_changes(events<Applied, Told>()).front(), 0)
      << "the same setting was only put back";
}

TEST_F(TunerTest, StopsAtOnceWhenAskedTo) {
  system_.on_measure = [&](double) {
    stop_ = true;
    return SystemFailure{"measure: was stopped"};
  };
  system_.on_apply = [&](double) {
    return stop_ ? std::optional(SystemFailure{"apply: was stopped"}) : std::nullopt;
  };
  const TuneEnd end =
      tune(file_of("on_exit = \"baseline\"\n[baseline]\nsetting = { x = 0.75 }\nevery = 0"));
  EXPECT_EQ(end.why, TuneEnd::Why::interrupted);
  EXPECT_EQ(system_.measurements, 1U);
  EXPECT_EQ(system_.left_at, std::vector{0.75});
  EXPECT_TRUE(events<Failed>().empty());
}

TEST_F(TunerTest, SecondsAreCountedOverAllRuns) {
  const auto tune_for = [&](int seconds) {
    const double before = now();
    const TuneEnd end =
        tune(file_of("on_exit = \"leave\"", "seconds = " + std::to_string(seconds)));
    EXPECT_EQ(end.text, "the budget of " + std::to_string(seconds) + " seconds is used");
    return now() - before;
  };
  EXPECT_NEAR(tune_for(600), 600.0, 3.0);
  const std::uint64_t pulls_then = pulls();
  clock_.sleep(3600.0);
  EXPECT_EQ(tune_for(600), 0.0);
  EXPECT_EQ(pulls(), pulls_then) << "they are used";
  clock_.sleep(3600.0);
  EXPECT_NEAR(tune_for(900), 300.0, 3.0);
}

TEST_F(TunerTest, ItsStateIsThatOfTheWholeJournalAfterARestartToo) {
  const StudySpecification file = file_of(
      "warmup_pulls = 1\nmin_pulls_per_change = 2\nfloor = -1\non_exit = "
      "\"leave\"\n[baseline]\nsetting = { x = 0.9 }\nevery = 3\npulls = 2");
  (void)tune(file);  // leaves a snapshot
  Study study = Study::open(store_, file, tuned());
  TunerState whole(study.specification());
  store_.read(study.record().id, {}, [&](const JournalEntry& entry) { whole.apply(entry); });
  TunerState kept = tuner_state_of(study);
  EXPECT_EQ(kept.save(), whole.save());
  EXPECT_GT(kept.changes(), 3U);
}

TEST_F(TunerTest, ChangedSettingsOfTheTunerAreAppliedToThePast) {
  (void)tune(
      file_of("on_exit = \"leave\"\n[baseline]\nsetting = { x = 0.9 }\nevery = 0", "pulls = 10"));
  // The snapshot has no window, but the next tuner needs one.
  Study study = Study::open(
      store_, file_of("floor = -1\nfloor_window = 4\n[baseline]\nsetting = { x = 0.9 }\nevery = 0"),
      tuned());
  EXPECT_EQ(tuner_state_of(study).window().size(), 4U);
}

}  // namespace
}  // namespace canopy
