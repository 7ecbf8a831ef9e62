// `canopy pipe --study`: everything acknowledged is stored.

#include "canopy/random.hpp"

#include "support/process.hpp"
#include "support/sqlite.hpp"
#include "support/temporary_folder.hpp"

#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
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

class PipeStudy : public ::testing::Test {
 protected:
  PipeStudy() {
    (void)std::signal(SIGPIPE, SIG_IGN);
    folder_.write("s.toml",
                  "[optimizer]\nname = \"hct\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n");
  }

  [[nodiscard]] std::unique_ptr<Process> start(const std::string& name) const {
    return std::make_unique<Process>(std::vector<std::string>{
        "pipe", folder_.path("s.toml"), "--study", name, "--store", folder_.path("s.db")});
  }

  /// Returns none if the process has ended.
  static std::optional<json> request(Process& process, const json& line) {
    try {
      process.write(line.dump() + "\n");
    } catch (const std::runtime_error&) {
      return std::nullopt;
    }
    const std::string answer = process.read_line();
    if (answer.empty()) return std::nullopt;
    return json::parse(answer);
  }

  static double reward_of(const json& ask) {
    const double x = ask["arm"]["x"];
    return 1.0 - (x - 0.3) * (x - 0.3);
  }

  TemporaryFolder folder_;
};

TEST_F(PipeStudy, RemembersWhatFailedAndWhatIsBarred) {
  json summary;
  json next;
  {
    const auto process = start("a");
    EXPECT_EQ(request(*process, {{"op", "ask"}, {"pulls", 1}})->at("ticket"), 1);
    EXPECT_EQ(request(*process, {{"op", "fail"}, {"ticket", 1}})->at("error")["code"],
              "no_reward_yet");
    EXPECT_EQ(request(*process, {{"op", "tell"}, {"ticket", 1}, {"reward", 1.0}})->at("t"), 2);
    const json second = request(*process, {{"op", "ask"}, {"pulls", 1}}).value();
    EXPECT_EQ(request(*process, {{"op", "fail"}, {"ticket", 2}})->at("reward"), 0.9);
    EXPECT_EQ(request(*process, {{"op", "bar"}, {"arm", second["arm"]}})->at("ok"), true);
    summary = request(*process, {{"op", "summary"}}).value();
    next = request(*process, {{"op", "ask"}}).value();
    (void)process->finish();
  }
  EXPECT_EQ(summary["penalized"], 1);
  const auto process = start("a");
  const json again = request(*process, {{"op", "summary"}}).value();
  EXPECT_EQ(again["penalized"], summary["penalized"]);
  EXPECT_EQ(again["t"], summary["t"]);
  EXPECT_EQ(request(*process, {{"op", "in_flight"}})->at("tickets")[0]["arm"], next["arm"]);
  EXPECT_EQ(request(*process, {{"op", "fail"}, {"ticket", 3}})->at("t"), 4);
  (void)process->finish();
}

TEST_F(PipeStudy, GoesOnWithItsTicketsInAnotherProcess) {
  json ask;
  {
    const auto process = start("a");
    ask = request(*process, {{"op", "ask"}}).value();
    (void)process->finish();
  }
  const auto process = start("a");
  const json open = request(*process, {{"op", "in_flight"}}).value();
  EXPECT_EQ(open["tickets"][0]["ticket"], ask["ticket"]);
  EXPECT_EQ(open["tickets"][0]["arm"], ask["arm"]);
  EXPECT_EQ(request(*process, {{"op", "tell"}, {"ticket", 1}, {"reward", 0.5}})->at("t"), 2);
  EXPECT_EQ(request(*process, {{"op", "ask"}})->at("ticket"), 2);
  (void)process->finish();
  const auto reopened = run_tool("studies show a --store " + folder_.path("s.db"));
  EXPECT_EQ(reopened.out.find("a: 1 pulls, 3 events"), 0U) << reopened.out;
}

TEST_F(PipeStudy, KilledTwoHundredTimesItKeepsWhatItAnsweredAndEndsWithTheSameTree) {
  constexpr std::uint64_t kPulls = 2000;
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  RandomStream random({.seed = seed});
  const auto whole = start("whole");
  for (std::uint64_t i = 0; i < kPulls; ++i) {
    const json ask = request(*whole, {{"op", "ask"}}).value();
    (void)request(*whole, {{"op", "tell"}, {"ticket", ask["ticket"]}, {"reward", reward_of(ask)}});
  }
  const json expected = request(*whole, {{"op", "tree"}}).value();
  (void)whole->finish();

  std::uint64_t t = 1;                 // acknowledged
  std::map<std::uint64_t, json> arms;  // by acknowledged ticket
  std::optional<json> unanswered;      // an ask whose answer was not acknowledged
  int kills = 0;
  auto process = start("killed");
  const auto kill_and_restart = [&] {
    process->signal(SIGKILL);
    (void)process->finish();
    ++kills;
    process = start("killed");
    const json summary = request(*process, {{"op", "summary"}}).value();
    ASSERT_GE(summary["t"].get<std::uint64_t>(), t) << "an acknowledged answer is gone";
    t = summary["t"];
    unanswered.reset();
    const json open_tickets = request(*process, {{"op", "in_flight"}}).value();
    for (const json& open : open_tickets["tickets"]) {
      const auto known = arms.find(open["ticket"]);
      ASSERT_TRUE(known == arms.end() || known->second == open["arm"])
          << "a ticket means two things";
      unanswered = open;
    }
  };
  while (t <= kPulls) {
    const bool kill_soon = kills < 200 && random.uniform() < 0.12;
    const bool kill_before = kill_soon && random.coin();
    if (kill_before) kill_and_restart();
    if (t > kPulls) break;
    if (!unanswered) {
      unanswered = request(*process, {{"op", "ask"}});
      ASSERT_TRUE(unanswered.has_value());
      ASSERT_FALSE(arms.contains((*unanswered)["ticket"])) << "a ticket was given twice";
      arms[(*unanswered)["ticket"]] = (*unanswered)["arm"];
    }
    const json tell{
        {"op", "tell"}, {"ticket", (*unanswered)["ticket"]}, {"reward", reward_of(*unanswered)}};
    if (kill_soon && !kill_before) {  // while an answer is on its way
      process->write(tell.dump() + "\n");
      usleep(static_cast<useconds_t>(3000.0 * random.uniform()));
      kill_and_restart();
      continue;
    }
    const json told = request(*process, tell).value();
    ASSERT_TRUE(told.contains("ok")) << told;
    t = told["t"];
    unanswered.reset();
  }
  std::cout << kills << " kills\n";
  EXPECT_GE(kills, 100);
  EXPECT_EQ(request(*process, {{"op", "tree"}}).value(), expected);
}

TEST_F(PipeStudy, RefusesAStudyThatIsOpenAndOneThatIsAnother) {
  const auto first = start("a");
  (void)request(*first, {{"op", "ask"}});
  const auto second = start("a")->finish();
  EXPECT_EQ(second.status, 1);
  EXPECT_EQ(second.err.find("canopy pipe: the study a is open elsewhere: pid "), 0U) << second.err;
  (void)first->finish();
  folder_.write("s.toml",
                "[optimizer]\nname = \"hct\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 2.0\n");
  const auto changed = start("a")->finish();
  EXPECT_EQ(changed.status, 1);
  EXPECT_NE(changed.err.find("continue in a new study with the rewards of this one: --fork NEW"),
            std::string::npos)
      << changed.err;
  const auto forked = run_tool("pipe " + folder_.path("s.toml") + " --study a --fork b --store " +
                               folder_.path("s.db"));
  EXPECT_EQ(forked.status, 0) << forked.err;
}

TEST_F(PipeStudy, AStudyThatWasDeletedMeanwhileAcknowledgesNothing) {
  const auto process = start("a");
  (void)request(*process, {{"op", "ask"}});
  testing::execute(folder_.path("s.db"), "DELETE FROM studies");
  const json told = request(*process, {{"op", "tell"}, {"ticket", 1}, {"reward", 0.5}}).value();
  EXPECT_EQ(told["error"]["code"], "not_stored");
  EXPECT_EQ(told["error"]["message"],
            "nothing has changed: " + folder_.path("s.db") + ": the study has been deleted");
  const auto end = process->finish();
  EXPECT_EQ(end.status, 1);
  EXPECT_NE(end.err.find("has no studies yet"), std::string::npos) << end.err;
}

TEST_F(PipeStudy, AStoreThatCannotBeReadAnyMoreIsAnErrorAtTheEndOfTheInput) {
  const auto process = start("a");
  (void)request(*process, {{"op", "ask"}});
  testing::execute(folder_.path("s.db"), "DROP TABLE studies");
  const json told = request(*process, {{"op", "tell"}, {"ticket", 1}, {"reward", 0.5}}).value();
  EXPECT_EQ(told["error"]["code"], "not_stored");
  const auto end = process->finish();
  EXPECT_EQ(end.status, 1);
  EXPECT_NE(end.err.find("no such table: studies"), std::string::npos) << end.err;
}

TEST_F(PipeStudy, AFullDiskIsAnErrorForEachRequestAndTheConversationGoesOn) {
  std::string requests;
  for (int i = 0; i < 10'000; ++i) requests += "{\"op\":\"ask\",\"pulls\":1}\n";
  folder_.write("requests", requests);
  folder_.write("run.sh", "trap '' XFSZ; ulimit -f 200; " CANOPY_BINARY_DIR "/canopy pipe " +
                              folder_.path("s.toml") + " --study a --store " +
                              folder_.path("s.db") + " < " + folder_.path("requests"));
  const std::string command =
      "bash " + folder_.path("run.sh") + " | cat > " + folder_.path("answers");
  ASSERT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c)
  std::istringstream answers(folder_.content("answers"));
  std::uint64_t kept = 0;
  int lost = 0;
  for (std::string line; std::getline(answers, line);) {
    const json answer = json::parse(line);
    if (answer.contains("ticket")) kept = std::max(kept, answer["ticket"].get<std::uint64_t>());
    if (answer.contains("error")) {
      ++lost;
      EXPECT_EQ(answer["error"]["code"], "not_stored");
    }
  }
  EXPECT_GT(kept, 0U);
  EXPECT_GT(lost, 0);
  const auto shown = run_tool("studies show a --json --store " + folder_.path("s.db"));
  EXPECT_EQ(json::parse(shown.out)["events"], kept) << "what was answered, and nothing else";
}

TEST_F(PipeStudy, WithoutARewardThereIsNoBestSettingAndTheExitStatusSaysSo) {
  auto process = start("a");
  ASSERT_TRUE(request(*process, {{"op", "ask"}}).has_value());
  process->signal(SIGKILL);
  (void)process->finish();
  const auto best = run_tool("best a --json --store " + folder_.path("s.db"));
  EXPECT_EQ(best.status, 1) << best.err;
  const json answer = json::parse(best.out);
  EXPECT_TRUE(answer["best"].is_null()) << best.out;
  EXPECT_FALSE(answer["why"].get<std::string>().empty()) << best.out;
  EXPECT_EQ(run_tool("best a --store " + folder_.path("s.db")).status, 1);
}

TEST_F(PipeStudy, ANameAloneMakesNoStore) {
  const auto refused = run_tool("pipe --study a --store " + folder_.path("s.db"));
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.err, "canopy pipe: " + folder_.path("s.db") +
                             ": there is no such store; give another one with --store\n");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("s.db")));
}

}  // namespace
}  // namespace canopy
