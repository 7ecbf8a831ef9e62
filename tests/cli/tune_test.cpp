// `canopy tune`, and the commands that view its studies.

#include "canopy/random.hpp"

#include "support/process.hpp"
#include "support/temporary_folder.hpp"
#include "systems/command_line.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using testing::Process;
using testing::run_tool;
using testing::TemporaryFolder;

class TuneCommand : public ::testing::Test {
 protected:
  /// A study whose rewards depend only on the arm.
  [[nodiscard]] std::string study(const std::string& name, const std::string& pulls,
                                  const std::string& system = "") const {
    folder_.write(name + ".toml",
                  "name = \"" + name +
                      "\"\n[[space]]\nname = \"x\"\n"
                      "low = 0.0\nhigh = 1.0\n[system]\n"
                      "measure = \"awk -v x={x} 'BEGIN {{ print 1 - (x - 0.3)^2 }}'\"\n" +
                      system + "\n[budget]\npulls = " + pulls + "\n");
    return folder_.path(name + ".toml");
  }

  [[nodiscard]] std::string store() const { return " --store " + folder_.path("s.db"); }

  [[nodiscard]] json show(const std::string& name) const {
    return json::parse(run_tool("studies show " + name + " --json" + store()).out);
  }

  [[nodiscard]] std::string tree(const std::string& name) const {
    return run_tool("tree " + name + " --json" + store()).out;
  }

  /// Checks a condition repeatedly, for a limited time.
  template <class Condition>
  static void wait_for(Condition&& condition) {
    for (int tries = 0; tries < 1000; ++tries) {
      if (condition()) return;
      usleep(10'000);
    }
    FAIL() << "waited in vain";
  }

  TemporaryFolder folder_;
};

TEST_F(TuneCommand, TunesAndTellsTheBest) {
  const auto result =
      run_tool("tune " + study("a", "200", "[baseline]\nsetting = { x = 0.9 }") + store());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.find("a: the budget of 200 pulls is used, after 200 pulls\nbest     x = 0."),
            0U)
      << result.out;
  EXPECT_NE(result.out.find("uplift   +0.3"), std::string::npos) << result.out;
  const auto best = run_tool("best a" + store());
  EXPECT_EQ(best.status, 0);
  EXPECT_NE(best.out.find(" pairs: better (95 %)"), std::string::npos) << best.out;
  const json parsed = json::parse(run_tool("best a --json" + store()).out);
  EXPECT_NEAR(parsed["arm"]["x"].get<double>(), 0.3, 0.1);
  EXPECT_NEAR(parsed["uplift"]["mean"].get<double>(), 0.36, 0.02);
}

TEST_F(TuneCommand, ExplainsWhatItHasLearnt) {
  ASSERT_EQ(run_tool("tune " + study("a", "100") + store()).status, 0);
  const auto words = run_tool("explain a" + store());
  ASSERT_EQ(words.status, 0) << words.err;
  for (const char* part :
       {"mean reward  about ",
        "noise        rewards of the same setting have a standard deviation of", "smoothness   ",
        "knobs        x 100 % of the variation of the mean reward", "exploring    ",
        "next         x = 0.", "best         x = 0."}) {
    EXPECT_NE(words.out.find(part), std::string::npos) << part << "\n" << words.out;
  }
  const json learnt = json::parse(run_tool("explain a --json" + store()).out);
  EXPECT_EQ(learnt["shares"]["x"], 1.0);
  EXPECT_NEAR(learnt["highest"].get<double>(), 1.0, 0.05);
  EXPECT_EQ(run_tool("explain a" + store()).out, words.out) << "looking changes nothing";

  folder_.write("h.toml",
                "[optimizer]\nname = \"hct\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n"
                "[system]\nmeasure = \"echo {x}\"\n[budget]\npulls = 5\n");
  ASSERT_EQ(run_tool("tune " + folder_.path("h.toml") + store()).status, 0);
  EXPECT_EQ(
      run_tool("explain h" + store()).err,
      "canopy explain: hct learns no model of the reward; `canopy best` and `canopy tree` show "
      "what it has learnt\n");
}

TEST_F(TuneCommand, KilledTwoHundredTimesItEndsWithTheTreeOfAnUndisturbedRun) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  RandomStream random({.seed = seed});
  ASSERT_EQ(run_tool("tune " + study("whole", "700", "max_crashes = 0") + store()).status, 0);
  const auto started = std::chrono::steady_clock::now();
  (void)tree("whole");
  const std::chrono::duration<double, std::micro> start_up =
      std::chrono::steady_clock::now() - started;
  const std::string file = study("killed", "700", "max_crashes = 0");
  std::uint64_t events = 0;
  std::uint64_t pulls = 0;
  int kills = 0;
  for (; kills < 200; ++kills) {
    Process process({"tune", file, "--store", folder_.path("s.db")});
    usleep(static_cast<useconds_t>((2.0 * start_up.count() + 20'000.0) * random.uniform()));
    process.signal(SIGKILL);
    if (process.finish().status == 0) break;  // it had ended before
    if (kills % 10 != 9 || run_tool("studies show killed" + store()).status != 0) continue;
    const json now = show("killed");
    EXPECT_GE(now["events"].get<std::uint64_t>(), events) << "after kill " << kills;
    EXPECT_GE(now["pulls"].get<std::uint64_t>(), pulls) << "after kill " << kills;
    events = now["events"];
    pulls = now["pulls"];
  }
  std::cout << kills << " kills, " << pulls << " pulls by then\n";
  EXPECT_GE(kills, 50);
  const auto last = run_tool("tune " + file + store());
  ASSERT_EQ(last.status, 0) << last.err;
  EXPECT_EQ(tree("killed"), tree("whole"));
  EXPECT_EQ(show("killed")["pulls"], 700);
}

/// The facts that must be equal in an undisturbed run and in one that was killed.
struct Story {
  std::vector<std::string> told;      ///< rewards and penalties, in order
  std::vector<std::string> settings;  ///< settings in order

  friend bool operator==(const Story&, const Story&) = default;
};

Story story_of(const std::string& jsonl) {
  Story story;
  std::istringstream lines(jsonl);
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    const std::string kind = event["kind"];
    if (kind == "apply") {
      const std::string setting = event["arm"].dump();
      if (story.settings.empty() || story.settings.back() != setting) {
        story.settings.push_back(setting);
      }
    } else if (kind == "tell" || kind == "penalize") {
      story.told.push_back(kind + " " + event["arm"].dump() + " " +
                           event.value("reward", json()).dump());
    }
  }
  return story;
}

TEST_F(TuneCommand, KillsMeanNothingWhateverTheOptionsOfTheTunerAre) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  RandomStream random({.seed = seed});
  int kills = 0;
  // All 64 combinations take minutes, so each run of the test tries a quarter of them.
  const bool are_all_wanted = std::getenv("CANOPY_ALL_COMBINATIONS") != nullptr;
  const auto quarter = static_cast<unsigned>(4.0 * random.uniform());
  for (unsigned options = 0; options < 64; ++options) {
    if (!are_all_wanted && (options ^ (options >> 2) ^ (options >> 4)) % 4 != quarter) continue;
    const auto has = [options](unsigned bit) { return (options & (1U << bit)) != 0; };
    const bool fails = has(0);
    std::string system = "max_crashes = 0\non_failure = \"skip\"\non_exit = \"leave\"\n";
    if (has(1)) system += "min_pulls_per_change = 3\n";
    if (has(3)) system += "floor = -5\nfloor_window = 4\n";
    if (has(4)) system += "warmup_pulls = 2\n";
    if (has(5) && !fails) system += "max_changes_per_hour = 13\n";
    system += "[baseline]\nsetting = { x = 0.4 }\nseed = 7\npulls = 3\n";
    system += has(2) ? "every = 4\n" : "every = 0\n";
    const std::string optimizer = has(5) && fails && !has(4) ? "[optimizer]\nsettle = 3\n" : "";
    const auto file = [&](const std::string& name) {
      folder_.write(name + ".toml",
                    "name = \"" + name + "\"\n" + optimizer +
                        "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\napply = \"true "
                        "{x}\"\nmeasure = \"awk -v x={x} 'BEGIN {{ if (x > " +
                        (fails ? "0.8" : "2") + ") exit 3; print 1 - (x - 0.3)^2 }}'\"\n" + system +
                        "[budget]\npulls = 36\n");
      return folder_.path(name + ".toml");
    };
    const std::string whole = "whole" + std::to_string(options);
    const std::string killed = "killed" + std::to_string(options);
    const auto undisturbed = run_tool("tune " + file(whole) + store());
    ASSERT_EQ(undisturbed.status, 0) << system << undisturbed.err;
    int kills_here = 0;
    for (int tries = 0; tries < 8; ++tries) {
      Process process({"tune", file(killed), "--store", folder_.path("s.db")});
      usleep(static_cast<useconds_t>(90'000.0 * random.uniform()));
      process.signal(SIGKILL);
      if (process.finish().status == 0) break;
      ++kills_here;
    }
    kills += kills_here;
    ASSERT_EQ(run_tool("tune " + file(killed) + store()).status, 0) << system;
    EXPECT_EQ(tree(killed), tree(whole)) << system;
    const auto story = [&](const std::string& name) {
      return story_of(run_tool("studies export " + name + " --format jsonl" + store()).out);
    };
    const Story expected = story(whole);
    const Story found = story(killed);
    EXPECT_EQ(found.told, expected.told) << system;
    EXPECT_EQ(found.settings, expected.settings) << system;
    if (has(5) && !fails) {
      EXPECT_LE(found.settings.size(), 13U) << system;
    }
  }
  std::cout << kills << " kills\n";
  EXPECT_GE(kills, 30);
}

TEST_F(TuneCommand, AnArmThatTakesTheTunerDownIsBlamedInTheEnd) {
  // The parent of a program is its guardian, whose parent is the tuner.
  folder_.write("m.sh",
                "#!/bin/sh\ncase $1 in 0.[789]*) kill -9 $(awk '{ print $4 }' /proc/$PPID/stat); "
                "sleep 5;; esac\necho $1\n");
  std::filesystem::permissions(folder_.path("m.sh"), std::filesystem::perms::owner_all);
  folder_.write(
      "a.toml",
      "name = \"a\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\napply = \"true "
      "{x}\"\nmeasure = \"" +
          folder_.path("m.sh") + " {x}\"\nmax_crashes = 2\n[budget]\npulls = 30\n");
  int crashes = 0;
  for (int status = 1; status != 0 && crashes < 60; ++crashes) {
    status = run_tool("tune " + folder_.path("a.toml") + store()).status;
  }
  EXPECT_GE(crashes, 3);
  EXPECT_LT(crashes, 60);
  EXPECT_EQ(show("a")["pulls"], 30);
  EXPECT_LT(json::parse(run_tool("best a --json" + store()).out)["arm"]["x"].get<double>(), 0.7);
}

TEST_F(TuneCommand, ADryRunShowsCommandsAndWarningsAndRunsNothing) {
  folder_.write("a.toml",
                "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[[space]]\nname = \"y\"\nlow = "
                "0.0\nhigh = 1.0\n[system]\napply = \"touch " +
                    folder_.path("ran") +
                    "\"\nmeasure = \"echo {x}\"\n[baseline]\nsetting = { x = 0.5, y = 0.5 }\nevery "
                    "= 0\n[budget]\npulls = 9\n");
  const auto dry = run_tool("tune " + folder_.path("a.toml") + " --dry-run" + store());
  EXPECT_EQ(dry.status, 0) << dry.err;
  for (const std::string part :
       {"study a: dry run; nothing is run or stored\nbaseline: x = 0.5, y = 0.5\n",
        "  measure  echo 0.5\n", "setting 1: x = 0.", "budget: 9 pulls\n",
        "system left at: the setting that is better than the baseline at the 95 % level, otherwise",
        "warning: no command uses y: write {y} where its value is needed. If a program reads",
        "warning: a budget of 9 pulls is small for this space",
        "warning: the baseline is never measured, so the system will be left at the baseline"}) {
    EXPECT_NE(dry.out.find(part), std::string::npos) << part << "\n" << dry.out;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path("ran")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("s.db")));

  const auto tried = run_tool("tune " + folder_.path("a.toml") + " --dry-run --measure" + store());
  EXPECT_EQ(tried.status, 0);
  EXPECT_NE(tried.out.find("measured 3 times at x = 0.5, y = 0.5: 0.5, 0.5, 0.5\n"),
            std::string::npos);
  EXPECT_NE(tried.out.find("warning: three measurements gave exactly the same reward"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_.path("ran")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("s.db")));
}

TEST_F(TuneCommand, ABudgetInWhichNothingCanBeProvenIsWarnedOf) {
  const auto said = [&](const std::string& more, const std::string& budget) {
    folder_.write("a.toml",
                  more +
                      "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nmeasure = "
                      "\"echo {x}\"\n[baseline]\nsetting = { x = 0.5 }\n[budget]\n" +
                      budget + "\n");
    return run_tool("tune " + folder_.path("a.toml") + " --dry-run" + store()).out;
  };
  const std::string settles = "[optimizer]\nname = \"adaptive\"\nsettle = 5\n";
  EXPECT_NE(said(settles, "pulls = 400")
                .find("warning: a budget of 400 pulls allows about 4 pairs with the baseline, but "
                      "at least 9 are needed to prove that a setting is better: give more pulls"),
            std::string::npos)
      << said(settles, "pulls = 400");
  EXPECT_EQ(said(settles, "pulls = 400\nconfirm_pulls = 40").find("pairs"), std::string::npos);
  EXPECT_EQ(said("", "pulls = 400").find("pairs"), std::string::npos);
}

TEST_F(TuneCommand, WhatCannotWorkIsRefusedBeforeAnythingIsRun) {
  const auto complaint = [&](const std::string& system) {
    folder_.write("a.toml", "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\n" + system +
                                "\n[budget]\npulls = 30\n");
    const auto result = run_tool("tune " + folder_.path("a.toml") + store());
    EXPECT_EQ(result.status, 2) << result.out;
    return result.err;
  };
  EXPECT_EQ(complaint("measure = \"no-such-program {x}\""),
            "canopy tune: system.measure: there is no program no-such-program in PATH\n");
  EXPECT_EQ(complaint("apply = \"./nothing.sh {x}\"\nmeasure = \"echo 1\""),
            "canopy tune: system.apply: there is no program ./nothing.sh in " +
                std::filesystem::path(folder_.path("a.toml")).parent_path().string() + "\n");
  folder_.write("my measure.sh", "#!/bin/sh\necho 1\n");
  EXPECT_EQ(complaint("measure = \"./my measure.sh {x}\""),
            "canopy tune: system.measure: there is no program ./my; to run ./my measure.sh, quote "
            "it: \"'./my measure.sh' ...\"\n");
  EXPECT_EQ(complaint("measure = \"'./my measure.sh' {x}\""),
            "canopy tune: system.measure: ./my measure.sh is not executable: chmod +x " +
                folder_.path("my measure.sh") + "\n");
  EXPECT_EQ(
      complaint("measure = \"echo 1\""),
      "canopy tune: no command uses x: write {x} where its value is needed. If a program reads it "
      "from CANOPY_ARM, set system.reads_arm = true\n");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("s.db")));
}

TEST_F(TuneCommand, WhatIsRelativeIsSeenFromTheStudyFile) {
  folder_.write("m.sh", "#!/bin/sh\necho \"$1\" > last\necho $1\n");
  std::filesystem::permissions(folder_.path("m.sh"), std::filesystem::perms::owner_all);
  folder_.write("a.toml",
                "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nmeasure = \"./m.sh {x}\""
                "\non_exit = \"leave\"\n[budget]\npulls = 3\n");
  const auto result = run_tool("tune " + folder_.path("a.toml") + store());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder_.path("last"))) << "the command runs there, too";
}

TEST_F(TuneCommand, WhatOnlyAShellUnderstandsIsWarnedOf) {
  folder_.write("a.toml",
                "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\n"
                "measure = \"echo {x} | cat\"\n[budget]\npulls = 30\n");
  const auto result = run_tool("tune --dry-run " + folder_.path("a.toml") + store());
  EXPECT_NE(result.out.find("warning: system.measure: | has no effect without a shell; the program "
                            "gets it as an argument. Set system.shell = true"),
            std::string::npos)
      << result.out;
}

TEST_F(TuneCommand, TheWholeStandardErrorOfAFailureIsShown) {
  folder_.write("a.toml",
                "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nshell = true\n"
                "measure = \"echo first >&2; echo $CANOPY_x second >&2; exit 3\"\n"
                "on_failure = \"stop\"\n[budget]\npulls = 30\n");
  const auto result = run_tool("tune " + folder_.path("a.toml") + store());
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.out.find("standard error of the command:\n  first\n  "), std::string::npos)
      << result.out;
}

TEST_F(TuneCommand, AProgramMayTakeTheArmFromItsEnvironment) {
  folder_.write("m.sh", "#!/bin/sh\necho \"$CANOPY_ARM\" | tr -dc '0-9.\\n'\n");
  std::filesystem::permissions(folder_.path("m.sh"), std::filesystem::perms::owner_all);
  folder_.write("a.toml", "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nmeasure = \"" +
                              folder_.path("m.sh") +
                              "\"\non_exit = \"leave\"\n[budget]\npulls = 60\n");
  const auto result = run_tool("tune " + folder_.path("a.toml") + store());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("best     x = 0.9"), std::string::npos) << result.out;
}

TEST_F(TuneCommand, SaysWhereItIsInFiles) {
  const auto result =
      run_tool("tune " + study("a", "60", "[baseline]\nsetting = { x = 0.9 }") + store() +
               " --status " + folder_.path("status.json") + " --metrics " + folder_.path("a.prom"));
  ASSERT_EQ(result.status, 0) << result.err;
  const json status = json::parse(folder_.content("status.json"));
  EXPECT_EQ(status["study"], "a");
  EXPECT_EQ(status["activity"], "ended");
  EXPECT_EQ(status["end_reason"], "the budget of 60 pulls is used");
  EXPECT_EQ(status["pulls"], 60);
  EXPECT_EQ(status["failures"], 0);
  EXPECT_NEAR(status["best"]["arm"]["x"].get<double>(), 0.3, 0.1);
  EXPECT_TRUE(status["best"].contains("uplift"));
  const std::string metrics = folder_.content("a.prom");
  EXPECT_NE(metrics.find("# TYPE canopy_pulls_total counter\ncanopy_pulls_total{study=\"a\"} 60\n"),
            std::string::npos)
      << metrics;
  EXPECT_NE(metrics.find("canopy_best_mean{study=\"a\"} "), std::string::npos);
  const auto elsewhere =
      run_tool("tune " + study("b", "20") + store() + " --status /nowhere/status.json");
  EXPECT_EQ(elsewhere.status, 0) << "tuning continues";
  EXPECT_NE(elsewhere.err.find("tuning continues"), std::string::npos) << elsewhere.err;
}

TEST_F(TuneCommand, SigusrPausesAndResumes) {
  const std::string status = folder_.path("status.json");
  folder_.write(
      "a.toml",
      "name = \"a\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\napply = \"true "
      "{x}\"\nmeasure = \"sh -c 'sleep 0.02; echo {x}'\"\n[budget]\npulls = 40\n");
  Process process(
      {"tune", folder_.path("a.toml"), "--store", folder_.path("s.db"), "--status", status});
  const auto activity = [&] {
    const json now = json::parse(folder_.content("status.json"), nullptr, false);
    return now.is_object() ? now.value("activity", "") : "";
  };
  wait_for([&] { return activity() == "searching"; });
  process.signal(SIGUSR1);
  wait_for([&] { return activity() == "paused"; });
  EXPECT_LT(show("a")["pulls"], 40);
  process.signal(SIGUSR1);
  EXPECT_EQ(process.finish().status, 0);
  EXPECT_EQ(show("a")["pulls"], 40);
}

TEST_F(TuneCommand, ObeysWhatPeopleWantOfItAlsoAfterAKill) {
  const std::string status = folder_.path("status.json");
  folder_.write(
      "a.toml",
      "name = \"a\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\napply = \"true "
      "{x}\"\nmeasure = \"sh -c 'sleep 0.02; echo {x}'\"\n[budget]\npulls = 100000\n");
  const std::vector<std::string> words{
      "tune", folder_.path("a.toml"), "--store", folder_.path("s.db"), "--status", status};
  const auto status_now = [&] {
    const json now = json::parse(folder_.content("status.json"), nullptr, false);
    return now.is_object() ? now : json::object();
  };
  const auto activity = [&] { return status_now().value("activity", ""); };
  {
    Process process(words);
    wait_for([&] { return activity() == "searching"; });
    const auto posted = run_tool("steer a pause --by alice" + store());
    EXPECT_EQ(posted.out, "a: pause was posted as command 1\n") << posted.err;
    wait_for([&] { return activity() == "paused"; });
    EXPECT_EQ(status_now()["stopped_by"], (json{{"command", "pause"}, {"by", "alice"}}));
    process.signal(SIGKILL);
  }
  folder_.write("status.json", "");
  const json before = show("a");
  Process process(words);
  wait_for([&] { return activity() == "paused"; });
  EXPECT_EQ(show("a")["pulls"], before["pulls"]);
  ASSERT_EQ(run_tool("steer a resume" + store()).status, 0);
  wait_for([&] { return activity() == "searching"; });
  ASSERT_EQ(run_tool("steer a end --by bob" + store()).status, 0);
  const auto result = process.finish();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.find("a: ended by bob, after "), 0U) << result.out;
  EXPECT_EQ(run_tool("steer a hold" + store()).out,
            "a: hold was posted as command 4; no tuner runs the study at present\n");
}

TEST_F(TuneCommand, RefusesCommandsThatNoRunnerCanObey) {
  ASSERT_EQ(run_tool("tune " + study("a", "5") + store()).status, 0);
  for (const auto& [words, complaint] : std::vector<std::pair<std::string, std::string>>{
           {"", "NAME: is missing; `canopy studies list` shows the names"},
           {"a",
            "COMMAND: is missing; it must be \"pause\", \"resume\", \"hold\", \"baseline\", "
            "\"confirm\" or \"end\""},
           {"a dance",
            "dance: must be \"pause\", \"resume\", \"hold\", \"baseline\", \"confirm\" "
            "or \"end\""},
           {"a baseline", "baseline: a has no baseline"},
           {"a confirm", "confirm: a has no baseline"},
           {"a pause --pulls 4", "--pulls: is only for confirm"},
           {"a confirm --pulls 1", "--pulls = 1: must be a whole number, 2 or more"}}) {
    const auto result = run_tool("steer " + words + store());
    EXPECT_EQ(result.status, 2) << words;
    EXPECT_EQ(result.err, "canopy steer: " + complaint + "\n");
  }
  EXPECT_EQ(run_tool("steer b pause" + store()).status, 1);
}

TEST_F(TuneCommand, TheBestArmCanBeConfirmedLater) {
  const std::string file =
      study("a", "40", "apply = \"true {x}\"\n[baseline]\nsetting = { x = 0.9 }\nevery = 0");
  ASSERT_EQ(run_tool("tune " + file + store()).status, 0);
  const auto result = run_tool("confirm a --pulls 40" + store());
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string claim = " over the baseline, in all 8 pairs: confirmed to be better (95 %)\n";
  EXPECT_NE(result.out.find("uplift   +0.3"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(claim), std::string::npos) << result.out;
  EXPECT_NE(run_tool("best a" + store()).out.find(claim), std::string::npos);
  EXPECT_EQ(run_tool("confirm a --pulls 1" + store()).err,
            "canopy confirm: --pulls = 1: must be a whole number, 2 or more\n");
  EXPECT_EQ(run_tool("confirm" + store()).err,
            "canopy confirm: NAME: is missing; `canopy studies list` shows the names\n");
  ASSERT_EQ(run_tool("tune " + study("b", "10") + store()).status, 0);
  EXPECT_EQ(run_tool("confirm b" + store()).status, 2);
}

TEST_F(TuneCommand, CtrlCEndsItCleanlyAndTheSameCommandGoesOn) {
  const std::string file = study("a", "300");
  Process process({"tune", file, "--store", folder_.path("s.db")});
  wait_for([&] { return run_tool("best a" + store()).status == 0; });
  process.signal(SIGINT);
  const auto result = process.finish();
  if (result.status != 0) {  // it may have been done
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_EQ(result.out.find("a: interrupted, after "), 0U) << result.out;
  }
  const auto again = run_tool("tune " + file + store());
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.err.find("a: continuing after "), 0U) << again.err;
}

TEST_F(TuneCommand, EverySignalThatWouldEndItLeavesTheSystemAtTheBaseline) {
  for (const int signal : {SIGQUIT, SIGALRM, SIGUSR2, SIGXCPU}) {
    SCOPED_TRACE(signal);
    const std::string name = "s" + std::to_string(signal);
    const std::string applied = folder_.path(name);
    const std::string file = folder_.path(name + ".toml");
    folder_.write(name + ".toml",
                  "name = \"" + name +
                      "\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nshell = true\n"
                      "apply = 'echo \"$CANOPY_x\" > " +
                      applied +
                      "'\nmeasure = 'echo 1'\n[baseline]\nsetting = { x = 0.125 }\nevery = 0\n"
                      "[budget]\npulls = 100000\n");
    Process process({"tune", file, "--store", folder_.path("s.db")});
    wait_for([&] { return folder_.content(name) != "" && folder_.content(name) != "0.125\n"; });
    process.signal(signal);
    EXPECT_EQ(process.finish().status, 130);
    EXPECT_EQ(folder_.content(name), "0.125\n");
  }
}

TEST_F(TuneCommand, ASecondTunerIsRefusedByNameAndPid) {
  const std::string file = study("a", "100000");
  Process first({"tune", file, "--store", folder_.path("s.db")});
  wait_for([&] { return run_tool("best a" + store()).status == 0; });
  const json now = show("a");
  ASSERT_TRUE(now.contains("open_by")) << now;
  const auto second = run_tool("tune " + file + store());
  EXPECT_EQ(second.status, 1);
  EXPECT_EQ(second.err, "canopy tune: the study a is open elsewhere: " +
                            now["open_by"].get<std::string>() + "\n");
  EXPECT_EQ(second.err.find("canopy tune: the study a is open elsewhere: pid "), 0U);
  EXPECT_EQ(run_tool("best a" + store()).status, 0) << "readers are welcome";
  EXPECT_EQ(run_tool("studies delete a" + store()).status, 1);
  first.signal(SIGKILL);
  (void)first.finish();
  EXPECT_EQ(run_tool("studies delete a" + store()).status, 0);
}

TEST_F(TuneCommand, SaysWhenTheBudgetCannotGetBelowTheFirstLevel) {
  folder_.write("p.toml",
                "[optimizer]\nname = \"hct\"\npreset = \"paper\"\n[[space]]\nname = \"x\"\nlow = "
                "0.0\nhigh = 1.0\n"
                "[system]\nmeasure = \"echo 0.5\"\napply = \"true {x}\"\n[budget]\npulls = 20\n");
  const auto result = run_tool("tune " + folder_.path("p.toml") + store());
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("a budget of 20 pulls is too small to narrow the search"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("optimizer.confidence_scale"), std::string::npos);
}

TEST_F(TuneCommand, RefusesWhatIsWrongInTheFileWithEveryMistake) {
  folder_.write("w.toml",
                "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\n"
                "measure = \"./m {y}\"\non_failure = \"pray\"\nbaseline = { x = 2.0 }\n"
                "timeout_seconds = 0\nfloor_windw = 3\n[budget]\npulls = 0\n[baseline]\n"
                "setting = { x = 2.0 }\n");
  const auto result = run_tool("tune " + folder_.path("w.toml") + store());
  EXPECT_EQ(result.status, 2);
  for (const char* text :
       {":6: system.measure = './m {y}': {y} is not a parameter of the space",
        R"(:7: system.on_failure = 'pray': must be "retry", "skip" or "stop")",
        ":8: system.baseline = {...}: was moved: use `setting` in the table [baseline]",
        ":14: baseline.setting.x = 2.0: must be a number from 0 to 1",
        ":9: system.timeout_seconds = 0: must be a number of seconds from 0.001 to 1e6",
        ":10: system.floor_windw = 3: unknown key, did you mean \"floor_window\"?",
        ":12: budget.pulls = 0: must be a whole number from 1 to 9007199254740992"}) {
    EXPECT_NE(result.err.find(text), std::string::npos) << text << "\n" << result.err;
  }
  EXPECT_NE(run_tool("tune " + folder_.path("nowhere.toml") + store()).err.find("No such file"),
            std::string::npos);
}

TEST_F(TuneCommand, NothingInNamesOrValuesIsRunByAShell) {
  const std::string trap = folder_.path("trap");
  const std::string knob = "$(touch " + trap + ")";
  for (const std::string shell : {"true", "false"}) {
    folder_.write(
        "i.toml",
        "name = \"injection-" + shell + "\"\n[[space]]\nname = \"" + knob +
            "\"\ntype = \"choice\"\nchoices = [\"; touch " + trap + " #\", \"$(touch " + trap +
            ")\", \"`touch " + trap + "`\", \"' ; touch " + trap +
            " ; '\"]\n[system]\nshell = " + shell + "\napply = '" +
            (shell == "true" ? "echo \"$" + variable_of(knob) + "\"" : "echo {" + knob + "}") +
            "'\nmeasure = \"echo 0.5\"\n[budget]\npulls = 30\n");
    const auto result = run_tool("tune " + folder_.path("i.toml") + store());
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_FALSE(std::filesystem::exists(trap));
  }
}

TEST_F(TuneCommand, StudiesCanBeListedExportedDrawnAndDeleted) {
  ASSERT_EQ(run_tool("tune " + study("a", "60") + store()).status, 0);
  ASSERT_EQ(run_tool("tune " + study("b", "5") + store()).status, 0);
  const auto list = run_tool("studies list" + store());
  EXPECT_NE(list.out.find("\na "), std::string::npos) << list.out;
  EXPECT_NE(list.out.find("\nb "), std::string::npos) << list.out;
  EXPECT_EQ(json::parse(run_tool("studies list --json" + store()).out)["studies"].size(), 2U);
  const auto csv = run_tool("studies export b" + store());
  EXPECT_EQ(csv.out.find("number,at,kind,ticket,reward,\"x\",details\n1,"), 0U);
  const auto lines = run_tool("studies export b --format jsonl" + store());
  std::istringstream stream(lines.out);
  int tells = 0;
  for (std::string line; std::getline(stream, line);) {
    const json event = json::parse(line);
    if (event["kind"] != "tell") continue;
    ++tells;
    const double x = event["arm"]["x"];
    EXPECT_NEAR(event["reward"].get<double>(), 1.0 - (x - 0.3) * (x - 0.3), 1e-4);
  }
  EXPECT_EQ(tells, 5);
  EXPECT_NE(run_tool("tree a" + store()).out.find("root  x = 0.5"), std::string::npos);
  const auto report = run_tool("report a --out " + folder_.path("a.html") + store());
  if (report.status != 0) {
    EXPECT_NE(report.err.find("install Node.js"), std::string::npos) << report.err;
  } else {
    const std::string page = folder_.content("a.html");
    for (const char* text : {"<title>a", "\"/v1/studies/a/best\":{", "\"/v1/studies/a/tree?"}) {
      EXPECT_NE(page.find(text), std::string::npos) << text;
    }
  }
  EXPECT_EQ(run_tool("studies delete a" + store()).out.find("deleted a and its "), 0U);
  EXPECT_NE(run_tool("best a" + store()).err.find("unknown study"), std::string::npos);
}

TEST_F(TuneCommand, WhatIsSavedOfACostIsSaidAsSuch) {
  folder_.write("c.toml",
                "direction = \"minimize\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n"
                "[system]\nmeasure = \"awk -v x={x} 'BEGIN {{ print (x - 0.3)^2 }}'\"\n"
                "[baseline]\nsetting = { x = 0.9 }\nevery = 4\n[budget]\npulls = 80\n");
  const auto result = run_tool("tune " + folder_.path("c.toml") + store());
  EXPECT_NE(result.out.find("0.359"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(" below the baseline, in all "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("better"), std::string::npos) << result.out;
}

TEST_F(TuneCommand, SaysHowSureItIsAndWhetherTheRangeFits) {
  // Throughput in MB/s, with noise derived from the number of the measurement.
  const std::string count = folder_.path("count");
  folder_.write("m.sh", "echo >> " + count + "\nawk -v n=$1 -v s=$(wc -l < " + count +
                            ") 'BEGIN { srand(s); print 1000 * n + 100 * rand() }'\n");
  const auto file = [&](const std::string& first) {
    folder_.write("n.toml", first +
                                "[[space]]\nname = \"n\"\ntype = \"integer\"\nlow = 1\nhigh = 4\n" +
                                "[system]\nmeasure = \"sh " + folder_.path("m.sh") + " {n}\"\n" +
                                "[baseline]\nsetting = { n = 1 }\n[budget]\npulls = 150\n");
    return folder_.path("n.toml");
  };
  const auto result = run_tool("tune " + file("reward_range = [0, 1]\n") + store());
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("reward_range = [0, 1] does not fit: the rewards so far are in ["),
            std::string::npos)
      << result.err;
  const auto best = run_tool("best n" + store());
  EXPECT_NE(best.err.find("does not fit"), std::string::npos) << best.err;
  EXPECT_EQ(best.out.find("n = 4: earned 40"), 0U) << best.out;
  EXPECT_NE(best.out.find(" pairs): better (95 %)"), std::string::npos) << best.out;
  const auto again = run_tool("tune " + file("confidence = 0.9\n") + store());
  EXPECT_EQ(again.status, 0) << again.err << ": another range needs no fork";
  EXPECT_EQ(again.err.find("does not fit"), std::string::npos) << again.err;
  EXPECT_NE(run_tool("studies export n" + store()).out.find(",range,"), std::string::npos);
}

TEST_F(TuneCommand, WrongWordsAreNamed) {
  EXPECT_EQ(run_tool("best a --store /nowhere.db").err,
            "canopy best: /nowhere.db: there is no such store; give another one with --store\n");
  EXPECT_EQ(run_tool("studies lst").err,
            "canopy studies: lst: unknown action, did you mean \"list\"?\n");
  EXPECT_EQ(run_tool("best b").err,
            "canopy best: canopy.db: there is no such store; give another one with --store\n");
  EXPECT_EQ(run_tool("best").err,
            "canopy best: NAME: is missing; `canopy studies list` shows the names\n");
}

}  // namespace
}  // namespace canopy
