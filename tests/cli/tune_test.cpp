// `canopy tune` and what looks at its studies, as a user runs them.

#include "canopy/random.hpp"

#include "support/process.hpp"
#include "support/temporary_folder.hpp"

#include <chrono>
#include <csignal>
#include <iostream>
#include <random>
#include <string>
#include <unistd.h>

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
  /// A study whose rewards depend on the arm alone.
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

  /// Looks now and then, but not for ever.
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
  const auto result = run_tool(
      "tune " + study("a", "200", "baseline = { x = 0.9 }\nbaseline_every = 10") + store());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.find("a: the budget of 200 pulls is used, after 200 pulls\nbest     x = 0."),
            0U)
      << result.out;
  EXPECT_NE(result.out.find("uplift   +0.3"), std::string::npos) << result.out;
  const auto best = run_tool("best a" + store());
  EXPECT_EQ(best.status, 0);
  EXPECT_NE(best.out.find("over the baseline (rewards of an arm never differ; 1 against"),
            std::string::npos)
      << best.out;
  const json parsed = json::parse(run_tool("best a --json" + store()).out);
  EXPECT_NEAR(parsed["arm"]["x"].get<double>(), 0.3, 0.1);
  EXPECT_NEAR(parsed["uplift"]["mean"].get<double>(), 0.36, 0.02);
}

TEST_F(TuneCommand, ExplainsWhatItHasLearnt) {
  ASSERT_EQ(run_tool("tune " + study("a", "100") + store()).status, 0);
  const auto words = run_tool("explain a" + store());
  ASSERT_EQ(words.status, 0) << words.err;
  for (const char* part :
       {"f            goes from about ", "noise        rewards of one setting vary by",
        "smoothness   ", "knobs        x 100 % of how f varies", "exploring    ",
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
      "canopy explain: hct learns no model of f; `canopy best` and `canopy tree` show what it "
      "knows\n");
}

TEST_F(TuneCommand, KilledTwoHundredTimesItEndsWithTheTreeOfAnUndisturbedRun) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  RandomStream random({.seed = seed});
  ASSERT_EQ(run_tool("tune " + study("whole", "700") + store()).status, 0);
  const auto started = std::chrono::steady_clock::now();
  (void)tree("whole");
  const std::chrono::duration<double, std::micro> start_up =
      std::chrono::steady_clock::now() - started;
  const std::string file = study("killed", "700");
  std::uint64_t events = 0;
  std::uint64_t pulls = 0;
  int kills = 0;
  for (; kills < 200; ++kills) {
    Process process({"tune", file, "--store", folder_.path("s.db")});
    usleep(static_cast<useconds_t>((2.0 * start_up.count() + 20'000.0) * random.uniform()));
    process.signal(SIGKILL);
    if (process.finish().status == 0) break;  // it was done before
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
  EXPECT_NE(result.err.find("a budget of 20 pulls cannot get below the first level"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("optimizer.confidence_scale"), std::string::npos);
}

TEST_F(TuneCommand, RefusesWhatIsWrongInTheFileWithEveryMistake) {
  folder_.write("w.toml",
                "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\n"
                "measure = \"./m {y}\"\non_failure = \"pray\"\nbaseline = { x = 2.0 }\n"
                "timeout_seconds = 0\nfloor_windw = 3\n[budget]\npulls = 0\n");
  const auto result = run_tool("tune " + folder_.path("w.toml") + store());
  EXPECT_EQ(result.status, 2);
  for (const char* text :
       {":6: system.measure = './m {y}': {y} is not a parameter of the space",
        R"(:7: system.on_failure = 'pray': must be "retry", "skip" or "stop")",
        ":8: system.baseline.x = 2.0: must be a value of the space",
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
  for (const std::string shell : {"true", "false"}) {
    folder_.write("i.toml", "name = \"injection-" + shell + "\"\n[[space]]\nname = \"$(touch " +
                                trap + ")\"\ntype = \"choice\"\nchoices = [\"; touch " + trap +
                                " #\", \"$(touch " + trap + ")\", \"`touch " + trap +
                                "`\", \"' ; touch " + trap + " ; '\"]\n[system]\nshell = " + shell +
                                "\napply = \"echo {$(touch " + trap +
                                ")}\"\nmeasure = \"echo 0.5\"\n[budget]\npulls = 30\n");
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
  EXPECT_EQ(json::parse(run_tool("studies list --json" + store()).out).size(), 2U);
  const auto csv = run_tool("studies export b" + store());
  EXPECT_EQ(csv.out.find("number,at,event,ticket,count,value,squared_deviations,text,\"x\"\n1,"),
            0U);
  const auto lines = run_tool("studies export b --format jsonl" + store());
  std::istringstream stream(lines.out);
  int tells = 0;
  for (std::string line; std::getline(stream, line);) {
    const json event = json::parse(line);
    if (event["event"] != "tell") continue;
    ++tells;
    const double x = event["arm"]["x"];
    EXPECT_NEAR(event["value"].get<double>(), 1.0 - (x - 0.3) * (x - 0.3), 1e-4);
  }
  EXPECT_EQ(tells, 5);
  EXPECT_NE(run_tool("tree a" + store()).out.find("root  x = 0.5"), std::string::npos);
  EXPECT_EQ(run_tool("tree a --svg " + folder_.path("tree.svg") + store()).status, 0);
  EXPECT_NE(folder_.content("tree.svg").find("not pulled"), std::string::npos);
  EXPECT_EQ(run_tool("report a --out " + folder_.path("a.html") + store()).status, 0);
  const std::string page = folder_.content("a.html");
  for (const char* text : {"<svg", "rewards over time", "Where pulls went", "The estimate of f",
                           "the tree", "canopy report a"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(run_tool("studies delete a" + store()).out.find("deleted a and its "), 0U);
  EXPECT_NE(run_tool("best a" + store()).err.find("unknown study"), std::string::npos);
}

TEST_F(TuneCommand, WhatIsSavedOfACostIsSaidAsSuch) {
  folder_.write("c.toml",
                "direction = \"minimize\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n"
                "[system]\nmeasure = \"awk -v x={x} 'BEGIN {{ print (x - 0.3)^2 }}'\"\n"
                "baseline = { x = 0.9 }\nbaseline_every = 20\n[budget]\npulls = 60\n");
  const auto result = run_tool("tune " + folder_.path("c.toml") + store());
  EXPECT_NE(result.out.find("uplift   0.3"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(" below the baseline (rewards of an arm never differ;"),
            std::string::npos);
}

TEST_F(TuneCommand, SaysHowSureItIsAndWhetherTheRangeFits) {
  // Throughput in MB/s, with noise from the number of the measurement.
  const std::string count = folder_.path("count");
  folder_.write("m.sh", "echo >> " + count + "\nawk -v n=$1 -v s=$(wc -l < " + count +
                            ") 'BEGIN { srand(s); print 1000 * n + 100 * rand() }'\n");
  const auto file = [&](const std::string& first) {
    folder_.write("n.toml",
                  first + "[[space]]\nname = \"n\"\ntype = \"integer\"\nlow = 1\nhigh = 4\n" +
                      "[system]\nmeasure = \"sh " + folder_.path("m.sh") + " {n}\"\n" +
                      "baseline = { n = 1 }\nbaseline_every = 10\n[budget]\npulls = 150\n");
    return folder_.path("n.toml");
  };
  const auto result = run_tool("tune " + file("reward_range = [0, 1]\n") + store());
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("reward_range = [0, 1] does not fit: the rewards so far are in ["),
            std::string::npos)
      << result.err;
  const auto best = run_tool("best n" + store());
  EXPECT_NE(best.err.find("does not fit"), std::string::npos) << best.err;
  EXPECT_EQ(best.out.find("n = 4: 40"), 0U) << best.out;
  EXPECT_NE(best.out.find(" at 95 %), "), std::string::npos) << best.out;
  EXPECT_NE(best.out.find("over the baseline (95 % interval +"), std::string::npos) << best.out;
  const auto again = run_tool("tune " + file("confidence = 0.9\n") + store());
  EXPECT_EQ(again.status, 0) << again.err << ": another range needs no fork";
  EXPECT_EQ(again.err.find("does not fit"), std::string::npos) << again.err;
  EXPECT_NE(run_tool("studies export n" + store()).out.find(",range,"), std::string::npos);
}

TEST_F(TuneCommand, WrongWordsAreNamed) {
  EXPECT_EQ(run_tool("best a --store /nowhere.db").err,
            "canopy best: /nowhere.db: there is no such store; --store FILE names another one\n");
  EXPECT_EQ(run_tool("studies lst").err,
            "canopy studies: lst: unknown action, did you mean \"list\"?\n");
  EXPECT_EQ(run_tool("best b").err,
            "canopy best: canopy.db: there is no such store; --store FILE names another one\n");
  EXPECT_EQ(run_tool("best").err,
            "canopy best: NAME: is missing; `canopy studies list` shows the names\n");
}

}  // namespace
}  // namespace canopy
