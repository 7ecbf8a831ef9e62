#include "journal/command_text.hpp"
#include "stores/memory_store.hpp"
#include "support/faulty_store.hpp"
#include "tuning/tuner.hpp"
#include "tuning/tuner_fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// A tuner with a long budget, and a user who watches it and sends commands.
class TunerCommandsTest : public TunerTest {
 protected:
  [[nodiscard]] static StudySpecification long_study(const std::string& system) {
    return file_of(system, "pulls = 5000");
  }

  /// The study exists, and no tuner is running.
  void create(const std::string& system) { (void)Study::open(store_, long_study(system), tuned()); }

  void want(RunnerCommand command, std::uint64_t pulls = 0) {
    const StudyId study = find_study(store_, "a").id;
    store_.post_command(study, now(), command_text({command, "alice", pulls}));
  }

  /// Tunes until the command makes it wait, then kills it.
  void wait_and_be_killed(const StudySpecification& file, RunnerCommand command) {
    const Watch watch = [&, wanted = false](const TuneProgress& progress) mutable {
      if (progress.phase == Phase::paused) throw Killed();
      if (progress.pulls >= 5 && !std::exchange(wanted, true)) want(command);
    };
    EXPECT_THROW((void)tune(file, watch), TuneError);
  }
};

TEST_F(TunerCommandsTest, WhoIsPausedWaitsAtTheBestKnownSettingAndGoesOnWhenResumed) {
  int step = 0;
  double during = 0.0;
  double paused_at = 0.0;
  double seconds_then = 0.0;
  std::uint64_t pulls_then = 0;
  const TuneEnd end = tune(long_study("on_exit = \"leave\""), [&](const TuneProgress& progress) {
    if (step == 0 && progress.pulls >= 12) {
      want(RunnerCommand::pause);
      ++step;
    } else if (step == 1 && progress.phase == Phase::paused) {
      EXPECT_EQ(progress.order, RunnerCommand::pause);
      EXPECT_EQ(progress.ordered_by, "alice");
      during = system_.applied.back();
      paused_at = now();
      seconds_then = progress.seconds;
      pulls_then = progress.pulls;
      ++step;
    } else if (step == 2 && now() > paused_at + 600.0) {
      EXPECT_EQ(progress.phase, Phase::paused);
      EXPECT_EQ(system_.applied.back(), during);
      want(RunnerCommand::resume);
      ++step;
    } else if (step == 3 && progress.phase == Phase::searching) {
      EXPECT_FALSE(progress.order);
      EXPECT_EQ(progress.pulls, pulls_then) << "nothing was tried meanwhile";
      EXPECT_NEAR(progress.seconds, seconds_then, 1.0) << "which was no time of tuning";
      ++step;
    } else if (step == 4) {
      stop_ = progress.pulls > pulls_then + 3;
    }
  });
  EXPECT_EQ(end.why, TuneEnd::Why::interrupted);
  EXPECT_EQ(step, 4);
  EXPECT_GT(during, 0.8) << "x itself is the reward";
  const std::vector<Event> taken = events<CommandAccepted>();
  EXPECT_EQ(taken, (std::vector<Event>{CommandAccepted{1, RunnerCommand::pause, 0, "alice"},
                                       CommandAccepted{2, RunnerCommand::resume, 0, "alice"}}));
}

TEST_F(TunerCommandsTest, WhoIsHeldChangesNothing) {
  int step = 0;
  std::size_t settings = 0;
  (void)tune(long_study("on_exit = \"leave\"\nmin_pulls_per_change = 1000000"),
             [&](const TuneProgress& progress) {
               if (step == 0 && progress.pulls >= 5) {
                 want(RunnerCommand::hold);
                 ++step;
               } else if (step == 1 && progress.phase == Phase::paused) {
                 settings = system_.applied.size();
                 want(RunnerCommand::resume);
                 ++step;
               } else if (step == 2 && progress.phase == Phase::searching) {
                 stop_ = true;
               }
             });
  EXPECT_EQ(step, 2);
  EXPECT_EQ(settings, 1U);
  EXPECT_EQ(system_.applied.size(), 1U) << "nor does it set again what it has";
}

TEST_F(TunerCommandsTest, WhoIsHeldStaysAtAWorseSettingToo) {
  double best = 0.0;
  double held_at = -1.0;
  system_.on_measure = [&](double x) {
    if (system_.measurements > 30 && x < best - 0.1 && held_at < 0.0) {
      want(RunnerCommand::hold);
      held_at = x;
    }
    best = std::max(best, x);
    return Reading{x};
  };
  bool was_held = false;
  (void)tune(long_study("on_exit = \"leave\""), [&](const TuneProgress& progress) {
    if (progress.phase != Phase::paused) return;
    was_held = true;
    EXPECT_EQ(system_.applied.back(), held_at);
    stop_ = true;
  });
  EXPECT_TRUE(was_held);
}

TEST_F(TunerCommandsTest, WhoIsSentToTheBaselineWaitsThere) {
  int step = 0;
  double in_pause = 0.0;
  double at_baseline = 0.0;
  const std::string system =
      "on_exit = \"leave\"\n[baseline]\nsetting = { x = 0.1 }\nevery = 3\npulls = 2";
  (void)tune(long_study(system), [&](const TuneProgress& progress) {
    if (step == 0 && progress.pulls >= 160) {
      want(RunnerCommand::pause);
      ++step;
    } else if (step == 1 && progress.phase == Phase::paused) {
      in_pause = system_.applied.back();
      want(RunnerCommand::baseline);
      ++step;
    } else if (step == 2 && progress.order == RunnerCommand::baseline) {
      at_baseline = system_.applied.back();
      stop_ = true;
    }
  });
  EXPECT_GT(in_pause, 0.8) << "better settings are known";
  EXPECT_EQ(at_baseline, 0.1);
}

TEST_F(TunerCommandsTest, WhatNeedsABaselineIsNotedAndIgnoredWhereThereIsNone) {
  create("");
  want(RunnerCommand::baseline);
  want(RunnerCommand::confirm, 10);
  EXPECT_EQ(tune(file_of("")).why, TuneEnd::Why::budget);
  EXPECT_EQ(events<CommandAccepted>().size(), 2U);
  EXPECT_EQ(events<Failed>(),
            (std::vector<Event>{Failed{0, "command baseline by alice: the study has no baseline"},
                                Failed{0, "command confirm by alice: the study has no baseline"}}));
}

TEST_F(TunerCommandsTest, WhoIsToldToConfirmComparesAndGoesOnWithTheSearch) {
  create("[baseline]\nsetting = { x = 0.1 }\nevery = 0");
  want(RunnerCommand::confirm, 24);  // as soon as there is an arm to compare
  bool confirmed = false;
  std::uint64_t pulls_then = 0;
  const TuneEnd end = tune(long_study("[baseline]\nsetting = { x = 0.1 }\nevery = 0"),
                           [&](const TuneProgress& progress) {
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

TEST_F(TunerCommandsTest, ARequestedComparisonHasTheDefaultNumberOfPulls) {
  const std::string system = "[baseline]\nsetting = { x = 0.1 }\nevery = 0";
  create(system);
  want(RunnerCommand::confirm);
  (void)tune(file_of(system, "pulls = 3"));
  EXPECT_EQ(std::get<ComparisonBegun>(events<ComparisonBegun>().at(0)).pulls, kConfirmPulls);
}

TEST_F(TunerCommandsTest, WhoIsToldToEndEndsAsIfTheBudgetWereUsed) {
  bool wanted = false;
  const std::string system =
      "on_exit = \"baseline\"\n[baseline]\nsetting = { x = 0.75 }\nevery = 0";
  const TuneEnd end =
      tune(file_of(system, "pulls = 5000\nconfirm_pulls = 20"), [&](const TuneProgress& progress) {
        if (progress.pulls >= 5 && !std::exchange(wanted, true)) {
          want(RunnerCommand::end);
        }
      });
  EXPECT_EQ(end.why, TuneEnd::Why::budget);
  EXPECT_EQ(end.text, "ended by alice");
  EXPECT_EQ(end.left_at, "the baseline, according to on_exit");
  EXPECT_TRUE(events<ComparisonBegun>().empty()) << "nothing more is tried";
  const std::uint64_t before = pulls();
  EXPECT_EQ(tune(file_of(system, "pulls = " + std::to_string(before + 5))).text,
            "the budget of " + std::to_string(before + 5) + " pulls is used")
      << "a new run was started";
}

TEST_F(TunerCommandsTest, AnEarlierEndCommandDoesNotEndANewRun) {
  create("");
  want(RunnerCommand::end);
  EXPECT_EQ(tune(file_of("")).text, "the budget of 20 pulls is used");
}

TEST_F(TunerCommandsTest, WhoIsPausedIsStillPausedAfterAKill) {
  for (const RunnerCommand command :
       {RunnerCommand::pause, RunnerCommand::hold, RunnerCommand::baseline}) {
    const StudySpecification file =
        long_study("on_exit = \"leave\"\n[baseline]\nsetting = { x = 0.1 }\nevery = 0");
    wait_and_be_killed(file, command);
    const std::uint64_t before = pulls();
    TuneProgress first;
    (void)tune(file, [&](const TuneProgress& progress) {
      if (!stop_) first = progress;
      stop_ = true;
    });
    stop_ = false;
    EXPECT_EQ(first.phase, Phase::paused);
    EXPECT_EQ(first.order, command);
    EXPECT_EQ(first.ordered_by, "alice");
    EXPECT_EQ(pulls(), before);
    store_.erase(find_study(store_, "a").id);
  }
}

TEST_F(TunerCommandsTest, KillsInAPauseAreNotTheFaultOfTheSettingItWaitsAt) {
  for (const RunnerCommand command : {RunnerCommand::pause, RunnerCommand::baseline}) {
    const StudySpecification file =
        long_study("max_crashes = 2\n[baseline]\nsetting = { x = 0.1 }\nevery = 0");
    wait_and_be_killed(file, command);
    for (int kill = 0; kill < 5; ++kill) {
      const Watch killed = [](const TuneProgress& progress) {
        if (progress.phase == Phase::paused) throw Killed();
      };
      EXPECT_THROW((void)tune(file, killed), TuneError);
    }
    Study study = Study::open(store_, file, tuned());
    EXPECT_EQ(tuner_state_of(study).crashes(), 0U) << name_of(command);
    store_.erase(find_study(store_, "a").id);
  }
}

TEST_F(TunerCommandsTest, AnEndThatWasWantedInAPauseHoldsAfterAKill) {
  wait_and_be_killed(long_study(""), RunnerCommand::pause);
  want(RunnerCommand::end);
  EXPECT_EQ(tune(long_study("")).text, "ended by alice");
}

TEST_F(TunerCommandsTest, ARequestedComparisonIsFinishedAfterAKill) {
  const std::string system = "[baseline]\nsetting = { x = 0.1 }\nevery = 0";
  create(system);
  want(RunnerCommand::confirm, 24);
  const Watch kill_halfway = [&](const TuneProgress& progress) {
    if (progress.phase == Phase::confirming && events<Compared>().size() > 5) throw Killed();
  };
  EXPECT_THROW((void)tune(long_study(system), kill_halfway), TuneError);
  (void)tune(file_of(system));
  EXPECT_EQ(events<ComparisonBegun>().size(), 1U);
  EXPECT_EQ(events<ComparisonEnded>().size(), 1U);
  EXPECT_EQ(pulls(), 20U);
}

TEST_F(TunerCommandsTest, WhatCannotBeUnderstoodIsNotedAndIgnored) {
  create("");
  const StudyId study = find_study(store_, "a").id;
  store_.post_command(study, 1.0, "dance");
  store_.post_command(study, 1.0, R"({"command":"dance"})");
  EXPECT_EQ(tune(file_of("")).why, TuneEnd::Why::budget);
  EXPECT_TRUE(events<CommandAccepted>().empty());
  const std::vector<Event> notes = events<Failed>();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(std::get<Failed>(notes[1]).what.find(
                "command 2 is invalid: command: command = 'dance': must be "),
            0U)
      << std::get<Failed>(notes[1]).what;
}

TEST_F(TunerCommandsTest, AStoreThatCannotTellThemDoesNotEndTheTuning) {
  int failures = 0;
  testing::FaultyStore store(std::make_unique<MemoryStore>(studies_),
                             [&](std::string_view operation) {
                               if (operation != "commands") return;
                               ++failures;
                               testing::fail_as_if_full();
                             });
  EXPECT_EQ(tune(store, file_of("")).why, TuneEnd::Why::budget);
  EXPECT_GE(failures, 5);
}

TEST_F(TunerCommandsTest, AreTakenWhileTheSystemIsDownToo) {
  bool is_down = false;
  system_.on_measure = [&](double x) -> Measured {
    if (is_down) return measure_fails();
    return Reading{x};
  };
  bool wanted = false;
  double wanted_at = 0.0;
  const TuneEnd end = tune(long_study("on_failure = \"skip\"\noutage_seconds = "
                                      "3600\n[baseline]\nsetting = { x = 0.3 }\nevery = 0"),
                           [&](const TuneProgress& progress) {
                             if (progress.pulls == 7) is_down = true;
                             if (progress.phase != Phase::down || std::exchange(wanted, true))
                               return;
                             want(RunnerCommand::end);
                             wanted_at = now();
                           });
  EXPECT_EQ(end.text, "ended by alice");
  EXPECT_LE(now(), wanted_at + 10.0);
}

TEST_F(TunerCommandsTest, AreTakenWhileItWaitsUntilItMayChangeToo) {
  // One change in each direction uses up the hour's limit.
  system_.on_measure = [](double x) -> Measured {
    if (x != 0.3) return measure_fails();
    return Reading{1.0};
  };
  bool wanted = false;
  const TuneEnd end = tune(long_study("on_failure = \"skip\"\nmax_changes_per_hour = "
                                      "2\n[baseline]\nsetting = { x = 0.3 }\nevery = 0"),
                           [&](const TuneProgress& progress) {
                             if (progress.phase == Phase::holding && !std::exchange(wanted, true))
                               want(RunnerCommand::end);
                           });
  EXPECT_TRUE(wanted);
  EXPECT_EQ(end.text, "ended by alice");
  EXPECT_LE(now(), 60.0);
}

}  // namespace
}  // namespace canopy
