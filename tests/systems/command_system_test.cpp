#include "systems/command_system.hpp"

#include "support/values.hpp"
#include "systems/processes.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

Reading reading(const std::string& output) {
  const auto result = reading_in(output);
  const auto* failure = std::get_if<SystemFailure>(&result);
  EXPECT_EQ(failure, nullptr) << (failure != nullptr ? failure->what : "");
  return failure != nullptr ? Reading{} : std::get<Reading>(result);
}

std::string complaint(const std::string& output) {
  const auto result = reading_in(output);
  const auto* failure = std::get_if<SystemFailure>(&result);
  return failure != nullptr ? failure->what : "";
}

TEST(Reading, IsANumberOrAnObjectWithTheRewardAndOtherNumbers) {
  EXPECT_EQ(reading(" 12.5\n").reward, 12.5);
  EXPECT_TRUE(reading("1").metrics.empty());
  const Reading both = reading("\n {\"reward\": 812, \"p99_ms\": 31.5, \"errors\": 0}\n");
  EXPECT_EQ(both.reward, 812.0);
  EXPECT_EQ(both.metrics, (std::map<std::string, double>{{"errors", 0.0}, {"p99_ms", 31.5}}));
}

TEST(Reading, LeavesOutWhatIsNoNumber) {
  const Reading read =
      reading(R"({"reward": 1, "note": "fast", "p99": null, "ok": true, "l": [1]})");
  EXPECT_TRUE(read.metrics.empty());
}

TEST(Reading, RefusesAnythingElseInWords) {
  EXPECT_EQ(complaint("fast"), "did not print a number or a JSON object: \"fast\"");
  EXPECT_EQ(complaint(""), "did not print a number or a JSON object: \"\"");
  EXPECT_EQ(complaint("{\"reward\": }"), "printed an object that is not JSON: \"{\"reward\": }\"");
  EXPECT_EQ(complaint("{\"reward\": 1} trailing"),
            "printed an object that is not JSON: \"{\"reward\": 1} trailing\"");
  EXPECT_EQ(
      complaint("{\"reward\": 1, \"p99\": NaN}"),
      "printed an object with NaN or Infinity, which is not valid JSON: print null, or leave the "
      "metric out: \"{\"reward\": 1, \"p99\": NaN}\"");
  EXPECT_EQ(complaint("{\"p99\": 1}"),
            "printed an object without a number \"reward\": \"{\"p99\": 1}\"");
  EXPECT_EQ(complaint("{\"reward\": null}"),
            "printed an object without a number \"reward\": \"{\"reward\": null}\"");
  EXPECT_NE(complaint("{\"reward\": 1, \"a b\": 2}").find("printed the invalid name \"a b\""),
            std::string::npos);
  std::string many = "{\"reward\": 1";
  for (int i = 0; i < 33; ++i) many += ", \"m" + std::to_string(i) + "\": 1";
  EXPECT_NE(complaint(many + "}").find("more than 32 metrics"), std::string::npos);
}

// --- programs -----------------------------------------------------------------------------------

/// Programs that write files in a folder.
class CommandSystemInFolder : public WithFolder {
 protected:
  /// A shell command; <name> is replaced by the path of that file.
  [[nodiscard]] CommandSystem system_of(SystemCommands commands,
                                        const std::atomic<bool>* stop = nullptr) const {
    write_paths(commands);
    commands.shell = true;
    return {commands, space_, stop};
  }
  /// The same system with contexts.
  [[nodiscard]] CommandSystem in_contexts(SystemCommands commands) {
    write_paths(commands);
    return {commands, Names(space_, contexts_), nullptr, clock_};
  }

  void write_paths(SystemCommands& commands) const {
    if (commands.apply) commands.apply = with_paths(std::get<std::string>(*commands.apply));
    if (commands.measure) commands.measure = with_paths(std::get<std::string>(*commands.measure));
    if (commands.process) commands.process = with_paths(*commands.process);
  }
  [[nodiscard]] std::string with_paths(std::string text) const {
    for (std::size_t begin = text.find('<'); begin != std::string::npos; begin = text.find('<')) {
      const std::size_t end = text.find('>', begin);
      text.replace(begin, end - begin + 1, path(text.substr(begin + 1, end - begin - 1)));
    }
    return text;
  }

  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  /// The error message; empty if there is none.
  static std::string text_of(const std::optional<SystemFailure>& failure) {
    return failure ? failure->what : "";
  }
  static std::string text_of(const std::variant<Reading, SystemFailure>& result) {
    const auto* failure = std::get_if<SystemFailure>(&result);
    return failure != nullptr ? failure->what : "";
  }

  const Space space_ = testing::line();
  const std::vector<double> arm_{0.25};
  const ContextSpace contexts_{{{"load", Real{0.0, 1.0}}, {"tenant", Choice{{"a", "b"}}}}};
  VirtualClock clock_;
};

TEST_F(CommandSystemInFolder, IsSetByOneProgramAndMeasuredByAnother) {
  CommandSystem system = system_of({.apply = "echo $CANOPY_x >> <log>", .measure = "cat <log>"});
  EXPECT_TRUE(system.can_be_set());
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  const auto result = system.measure(arm_);
  ASSERT_EQ(text_of(result), "");
  EXPECT_EQ(std::get<Reading>(result).reward, 0.25);
  EXPECT_EQ(text_of(system.leave_at(std::vector{0.75})), "");
  EXPECT_EQ(content("log"), "0.25\n0.75\n");
}

TEST_F(CommandSystemInFolder, SaysWhichProgramFailed) {
  CommandSystem system = system_of({.apply = "exit 1", .measure = "echo oops"});
  EXPECT_EQ(text_of(system.apply(arm_)), "apply: ended with status 1");
  EXPECT_EQ(text_of(system.leave_at(arm_)), "apply: ended with status 1");
  EXPECT_EQ(text_of(system.measure(arm_)),
            "measure: did not print a number or a JSON object: \"oops\"");
}

TEST_F(CommandSystemInFolder, WhatIsOnlyMeasuredCannotBeSet) {
  CommandSystem system = system_of({.measure = "echo $CANOPY_x"});
  EXPECT_FALSE(system.can_be_set());
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  EXPECT_EQ(text_of(system.leave_at(arm_)), "");
  EXPECT_EQ(std::get<Reading>(system.measure(arm_)).reward, 0.25);
}

TEST_F(CommandSystemInFolder, TheArmIsInTheEnvironmentAsWell) {
  CommandSystem system = system_of({.apply = "echo \"$CANOPY_ARM\" > <applied>",
                                    .measure = "echo \"$CANOPY_ARM\" > <measured>; echo 1"});
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  EXPECT_EQ(text_of(system.measure(arm_)), "");
  EXPECT_EQ(content("applied"), "{\"x\":0.25}\n");
  EXPECT_EQ(content("measured"), "{\"x\":0.25}\n");
}

TEST_F(CommandSystemInFolder, CommandsGetTheContextAsTheyGetTheArm) {
  CommandSystem system = in_contexts(
      {.apply = "sh -c 'echo {x} {tenant} \"$CANOPY_load\" >> <log>'",
       .measure = "sh -c 'echo \"$CANOPY_CONTEXT\" \"$CANOPY_tenant\" >> <log>; echo {load}'"});
  EXPECT_TRUE(system.enter(std::vector{0.5, 1.0}));
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  const auto result = system.measure(arm_);
  ASSERT_EQ(text_of(result), "");
  EXPECT_EQ(std::get<Reading>(result).reward, 0.5);
  EXPECT_EQ(content("log"), "0.25 b 0.5\n{\"load\":0.5,\"tenant\":\"b\"} b\n");
  EXPECT_EQ(system.measure_texts(arm_).front(),
            "sh -c 'echo \"$CANOPY_CONTEXT\" \"$CANOPY_tenant\" >> " + path("log") + "; echo 0.5'");
}

TEST_F(CommandSystemInFolder, TheSettingIsGivenAgainWhereApplyUsesAContextThatHasChanged) {
  CommandSystem system = in_contexts({.apply = "true {x} {tenant}", .measure = "echo {load}"});
  EXPECT_TRUE(system.enter(std::vector{0.5, 1.0}));
  EXPECT_FALSE(system.enter(std::vector{0.5, 1.0}));
  EXPECT_FALSE(system.enter(std::vector{0.7, 1.0})) << "measure alone uses it";
  EXPECT_TRUE(system.enter(std::vector{0.7, 0.0}));
}

TEST_F(CommandSystemInFolder, TheSettingIsGivenAgainWhereApplyMentionsTheVariablesOfContexts) {
  CommandSystem whole = in_contexts({.apply = "sh -c 'true $CANOPY_CONTEXT'", .measure = "true"});
  EXPECT_TRUE(whole.enter(std::vector{0.5, 1.0}));
  EXPECT_TRUE(whole.enter(std::vector{0.7, 1.0}));
  CommandSystem one = in_contexts({.apply = "sh -c 'true $CANOPY_tenant'", .measure = "true"});
  EXPECT_TRUE(one.enter(std::vector{0.5, 1.0}));
  EXPECT_FALSE(one.enter(std::vector{0.7, 1.0}));
  EXPECT_TRUE(one.enter(std::vector{0.7, 0.0}));
}

TEST_F(CommandSystemInFolder, WithoutAContextThatItNeedsNothingIsRun) {
  CommandSystem system = in_contexts({.apply = "true {x} {tenant}", .measure = "echo {load}"});
  EXPECT_EQ(text_of(system.apply(arm_)), "apply: no context has been observed yet");
  EXPECT_EQ(text_of(system.measure(arm_)), "measure: no context has been observed yet");
}

TEST_F(CommandSystemInFolder, AContextBeyondItsRangeIsHandedOnAsItWasObserved) {
  CommandSystem system = in_contexts({.measure = "echo {load}"});
  (void)system.enter(std::vector{2.5, 0.0});
  EXPECT_EQ(std::get<Reading>(system.measure(arm_)).reward, 2.5);
}

TEST_F(CommandSystemInFolder, ContextsAreObservedByTheirCommands) {
  CommandSystem system =
      in_contexts({.measure = "echo {load}",
                   .contexts = {{.kind = ContextInput::Kind::command, .command = "echo 0.125"},
                                {.kind = ContextInput::Kind::command, .command = "echo b"}}});
  const auto observed = system.observe();
  EXPECT_EQ(std::get<std::vector<double>>(observed), (std::vector{0.125, 1.0}));
  CommandSystem without = system_of({.measure = "echo 1"});
  EXPECT_TRUE(std::get<std::vector<double>>(without.observe()).empty());
}

TEST_F(CommandSystemInFolder, AProcessIsSentTheContextBesideTheArm) {
  CommandSystem system = in_contexts(
      {.process = "sh -c 'while read -r line; do echo \"$line\" >> <lines>; echo 0.5; done'"});
  (void)system.enter(std::vector{0.5, 1.0});
  EXPECT_EQ(std::get<Reading>(system.measure(arm_)).reward, 0.5);
  EXPECT_EQ(content("lines"),
            "{\"arm\": {\"x\":0.25}, \"context\": {\"load\":0.5,\"tenant\":\"b\"}}\n");
}

TEST_F(CommandSystemInFolder, AProgramThatTakesTooLongIsKilled) {
  CommandSystem system =
      system_of({.apply = "exec sleep 1000", .measure = "exec sleep 1000", .timeout_seconds = 0.1});
  EXPECT_EQ(text_of(system.apply(arm_)), "apply: took longer than 0.1 s");
  EXPECT_EQ(text_of(system.measure(arm_)), "measure: took longer than 0.1 s");
}

TEST_F(CommandSystemInFolder, AStopBreaksOffWhatIsGoingOnAndLeavingIsPossibleStill) {
  std::atomic<bool> stop{false};
  CommandSystem system = system_of({.apply = "echo $CANOPY_x >> <log>",
                                    .measure = "echo > <measuring>; exec sleep 1000",
                                    .timeout_seconds = 500.0},
                                   &stop);
  std::jthread stopper([&] {
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(path("measuring")); }));
    stop = true;
  });
  EXPECT_EQ(text_of(system.measure(arm_)), "measure: was stopped");
  EXPECT_EQ(text_of(system.apply(arm_)), "apply: was stopped");
  EXPECT_EQ(text_of(system.leave_at(std::vector{0.75})), "");
  EXPECT_EQ(content("log"), "0.75\n");
}

TEST_F(CommandSystemInFolder, WhatApplyLeavesRunningIsEndedUnlessItIsToBeKept) {
  for (const bool keep : {false, true}) {
    CommandSystem system = system_of(
        {.keep_background = keep,
         .apply = "rm -f <pid>; setsid sh -c 'echo $$ > <pid>; exec sleep 1000' > /dev/null 2>&1 &"
                  " while [ ! -s <pid> ]; do :; done",
         .measure = "echo 1"});
    EXPECT_EQ(text_of(system.apply(arm_)), "");
    const std::optional<pid_t> left = id_in(path("pid"));
    ASSERT_TRUE(left);
    EXPECT_EQ(is_running(*left), keep);
    if (keep) (void)kill(*left, SIGKILL);
  }
}

TEST_F(CommandSystemInFolder, AProcessIsToldWhatItIsMeasuredForAndWhatItIsLeftWith) {
  CommandSystem system =
      system_of({.process = "while read -r line; do echo \"$line\" >> <lines>; echo 0.5; done"});
  EXPECT_TRUE(system.can_be_set());
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  EXPECT_EQ(content("lines"), "") << "it is told when it is measured";
  EXPECT_EQ(std::get<Reading>(system.measure(arm_)).reward, 0.5);
  EXPECT_EQ(text_of(system.leave_at(std::vector{0.75})), "");
  EXPECT_EQ(content("lines"), "{\"arm\": {\"x\":0.25}}\n{\"arm\": {\"x\":0.75}}\n");
}

TEST_F(CommandSystemInFolder, AProcessThatAnswersNonsenseIsSaidToDoSo) {
  CommandSystem system = system_of({.process = "read -r line; echo oops; read -r line; exit 3"});
  EXPECT_EQ(text_of(system.measure(arm_)),
            "process: did not print a number or a JSON object: \"oops\"");
  EXPECT_EQ(text_of(system.leave_at(arm_)), "process: ended with status 3");
}

}  // namespace
}  // namespace canopy
