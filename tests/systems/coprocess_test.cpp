#include "systems/coprocess.hpp"

#include "systems/processes.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/time.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Outcome = CommandResult::Outcome;

class CoprocessInFolder : public WithFolder {
 protected:
  [[nodiscard]] bool appears(const std::string& name) const {
    return eventually([&] { return std::filesystem::exists(path(name)); });
  }
};

TEST(Coprocess, AnswersALineByALine) {
  Coprocess program({"cat"});
  for (const std::string line : {"first", "", "  third \t", "\x01\xff"}) {
    const CommandResult result = program.exchange(line, {});
    EXPECT_TRUE(result.succeeded()) << result.describe();
    EXPECT_EQ(result.output, line);
  }
}

TEST(Coprocess, RunsOnBetweenExchanges) {
  Coprocess program(shell("n=0; while read x; do n=$((n + 1)); echo \"$n $x\"; done"));
  EXPECT_EQ(program.exchange("a", {}).output, "1 a");
  EXPECT_EQ(program.exchange("b", {}).output, "2 b");
  EXPECT_EQ(program.exchange("c", {}).output, "3 c");
}

TEST(Coprocess, AnswersThousandsOfTimes) {
  Coprocess program({"cat"});
  for (int i = 0; i < 10'000; ++i) {
    const std::string line = std::to_string(i);
    const CommandResult result = program.exchange(line, {});
    ASSERT_EQ(result.output, line) << result.describe();
  }
}

TEST(Coprocess, ALineEndInsideALineIsRefused) {
  Coprocess program({"cat"});
  EXPECT_THROW((void)program.exchange("a\nb", {}), std::invalid_argument);
  EXPECT_EQ(program.exchange("c", {}).output, "c");
}

TEST(Coprocess, AProgramThatIsNotThereCannotBeStarted) {
  Coprocess program({"no-such-program"});
  for (int i = 0; i < 3; ++i) {
    const CommandResult result = program.exchange("a", {});
    EXPECT_EQ(result.outcome, Outcome::not_started);
    EXPECT_EQ(result.describe(),
              "no-such-program cannot be started: there is no such program in PATH");
  }
  EXPECT_EQ(Coprocess({}).exchange("a", {}).code, EINVAL);
}

TEST(Coprocess, AnEndIsToldAndTheNextExchangeStartsItAnew) {
  Coprocess program(shell("read x; echo $x; read x; echo \"cannot do $x\" >&2; exit 3"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(program.exchange("a", {}).output, "a");
    const CommandResult result = program.exchange("b", {});
    EXPECT_EQ(result.outcome, Outcome::exited);
    EXPECT_EQ(result.describe(), "ended with status 3: cannot do b");
  }
}

TEST(Coprocess, AnEndWithStatusZeroIsNoAnswer) {
  Coprocess program({"true"});
  const CommandResult result = program.exchange("a", {});
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(result.describe(), "ended with status 0 before it answered");
}

TEST(Coprocess, AnEndByASignalIsTold) {
  Coprocess program(shell("read x; kill -KILL $$"));
  EXPECT_EQ(program.exchange("a", {}).describe(), "was killed by signal 9 (Killed)");
}

TEST(Coprocess, ALineWithoutAnEndIsNoAnswer) {
  Coprocess program(shell("read x; printf 0.5"));
  const CommandResult result = program.exchange("a", {});
  EXPECT_EQ(result.outcome, Outcome::exited);
  EXPECT_EQ(result.output, "0.5");
}

TEST(Coprocess, AnAnswerCountsThoughTheProgramEndsAfterIt) {
  Coprocess program(shell("read x; echo $x; exit 3"));
  EXPECT_EQ(program.exchange("a", {}).output, "a");
}

TEST_F(CoprocessInFolder, AProgramThatEndedMeanwhileIsStartedAnew) {
  Coprocess program(shell("read x; echo $x; echo $$ > " + path("id")));
  for (const std::string line : {"a", "b", "c"}) {
    const CommandResult result = program.exchange(line, {});
    EXPECT_EQ(result.output, line) << result.describe();
    EXPECT_TRUE(eventually([&] {
      const std::optional<pid_t> id = id_in(path("id"));
      return id && !is_running(*id);
    }));
    std::filesystem::remove(path("id"));
  }
}

TEST(Coprocess, SilenceEndsItWithItsWholeGroup) {
  Coprocess program(shell("sleep 1000 & while read x; do echo $!; read x; done"));
  const CommandResult answer = program.exchange("a", {});
  ASSERT_TRUE(answer.succeeded()) << answer.describe();
  const auto grandchild = static_cast<pid_t>(std::stol(answer.output));
  const CommandResult silence = program.exchange("b", {.timeout_seconds = 0.1});
  EXPECT_EQ(silence.outcome, Outcome::timed_out);
  EXPECT_EQ(silence.describe(), "took longer than 0.1 s");
  EXPECT_TRUE(eventually([&] { return !is_running(grandchild); }));
  EXPECT_TRUE(program.exchange("a", {}).succeeded());
}

TEST(Coprocess, AnAnswerToAnEarlierLineIsNeverTaken) {
  Coprocess program(shell("while read x; do [ $x = slow ] && sleep 0.3; echo $x; done"));
  EXPECT_EQ(program.exchange("slow", {.timeout_seconds = 0.05}).outcome, Outcome::timed_out);
  EXPECT_EQ(program.exchange("quick", {}).output, "quick");
}

TEST_F(CoprocessInFolder, LinesPrintedWithoutBeingAskedForAreThrownAway) {
  Coprocess program(shell("read x; echo $x; echo more; echo and more; touch " + path("printed") +
                          "; read x; echo $x"));
  EXPECT_EQ(program.exchange("a", {}).output, "a");
  ASSERT_TRUE(appears("printed"));
  EXPECT_EQ(program.exchange("b", {}).output, "b");
}

TEST_F(CoprocessInFolder, SoIsTheRestOfALineThatWasBegun) {
  Coprocess program(shell("read x; echo $x; printf 'more 1'; touch " + path("printed") +
                          "; read x; echo 2; echo $x"));
  EXPECT_EQ(program.exchange("a", {}).output, "a");
  ASSERT_TRUE(appears("printed"));
  EXPECT_EQ(program.exchange("b", {}).output, "b");
}

TEST(Coprocess, ALineThatIsTooLongEndsIt) {
  Coprocess endless(shell("read x; yes | tr -d '\\n'"));
  const CommandResult result = endless.exchange("a", {});
  EXPECT_EQ(result.outcome, Outcome::too_much_output);
  EXPECT_EQ(result.describe(), "printed more than 65536 bytes");
  Coprocess program({"cat"});
  EXPECT_EQ(program.exchange("12345", {.most_output = 5}).output, "12345");
  EXPECT_EQ(program.exchange("123456", {.most_output = 5}).outcome, Outcome::too_much_output);
  EXPECT_EQ(program.exchange("12345", {.most_output = 5}).output, "12345");
}

TEST(Coprocess, AProgramThatPrintsOnAndOnStillAnswersInTime) {
  Coprocess program({"yes", "0.5"});
  for (int i = 0; i < 20; ++i) {
    const CommandResult result = program.exchange("a", {});
    EXPECT_TRUE(result.succeeded()) << result.describe();
    EXPECT_EQ(result.output, "0.5");
  }
}

TEST(Coprocess, LongLinesGoBothWaysAtOnce) {
  Coprocess program({"cat"});
  const std::string line(3'000'000, 'x');
  const CommandResult result = program.exchange(line, {.most_output = 3'000'000});
  EXPECT_TRUE(result.succeeded()) << result.describe();
  EXPECT_EQ(result.output, line);
}

TEST(Coprocess, AProgramThatDoesNotReadDoesNotHoldUsUp) {
  Coprocess program({"sleep", "1000"});
  const std::string line(1'000'000, 'x');
  EXPECT_EQ(program.exchange(line, {.timeout_seconds = 0.1}).outcome, Outcome::timed_out);
}

TEST(Coprocess, AProgramThatClosesItsInputHungUp) {
  Coprocess program(shell("exec <&-; echo no >&2; sleep 1000"));
  const std::string line(1'000'000, 'x');
  const CommandResult result = program.exchange(line, {.timeout_seconds = 300.0});
  EXPECT_EQ(result.outcome, Outcome::hung_up);
  EXPECT_EQ(result.describe(), "closed its input or output before it answered: no");
}

TEST(Coprocess, AProgramThatClosesItsOutputHungUp) {
  Coprocess program(shell("exec >&-; sleep 1000"));
  const CommandResult result = program.exchange("a", {.timeout_seconds = 300.0});
  EXPECT_EQ(result.outcome, Outcome::hung_up);
}

TEST(Coprocess, MayPrintAnyAmountOfErrors) {
  Coprocess program(
      shell("while read x; do head -c 300000 /dev/zero >&2; echo $x; done; echo end >&2"));
  for (const std::string line : {"a", "b", "c"}) EXPECT_EQ(program.exchange(line, {}).output, line);
}

TEST(Coprocess, IsKilledWhenWeAreAskedToStop) {
  std::atomic<bool> stop = false;
  std::jthread asking([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop = true;
  });
  Coprocess program({"sleep", "1000"});
  const RunLimits limits{.timeout_seconds = 500.0, .stop = &stop};
  EXPECT_EQ(program.exchange("a", limits).outcome, Outcome::stopped);
  EXPECT_EQ(program.exchange("a", limits).outcome, Outcome::stopped);
}

TEST(Coprocess, HasTheEnvironmentOfTheExchangeThatStartedIt) {
  Coprocess program(shell("while read x; do echo $CANOPY_ADDED; done"));
  EXPECT_EQ(program.exchange("a", {.environment = {{"CANOPY_ADDED", "1"}}}).output, "1");
  EXPECT_EQ(program.exchange("a", {.environment = {{"CANOPY_ADDED", "2"}}}).output, "1");
}

TEST(Coprocess, SignalsThatArriveMeanwhileDoNoHarm) {
  EXPECT_TRUE(is_true_in_own_process([] {
    (void)std::signal(SIGALRM, [](int) {});
    const itimerval often{{0, 500}, {0, 500}};
    (void)setitimer(ITIMER_REAL, &often, nullptr);
    Coprocess program({"cat"});
    const std::string line(200'000, 'x');
    for (int i = 0; i < 100; ++i) {
      if (program.exchange(line, {.most_output = line.size()}).output != line) return false;
    }
    return true;
  }));
}

TEST(Coprocess, NothingIsStartedUnlessALineIsExchanged) {
  { const Coprocess program({"sleep", "1000"}); }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(CoprocessInFolder, IsGivenTimeToLeave) {
  // The time is short: a busy machine may need several attempts.
  EXPECT_TRUE(eventually([&] {
    {
      Coprocess program(shell("while read x; do echo $x; done; touch " + path("left")));
      EXPECT_EQ(program.exchange("a", {}).output, "a");
    }
    return std::filesystem::exists(path("left"));
  }));
}

TEST(Coprocess, IsKilledWhenItDoesNotLeave) {
  std::string id;
  {
    Coprocess program(shell("trap '' TERM HUP; read x; echo $$; while :; do sleep 1000; done"));
    id = program.exchange("a", {}).output;
  }
  EXPECT_FALSE(is_running(static_cast<pid_t>(std::stol(id))));
}

TEST_F(CoprocessInFolder, DiesWithUs) {
  const pid_t helper = fork();
  if (helper == 0) {
    Coprocess program(shell("echo $$ > " + path("id") + "; exec sleep 1000"));
    (void)program.exchange("a", {.timeout_seconds = 500.0});
    _exit(0);
  }
  std::optional<pid_t> grandchild;
  EXPECT_TRUE(eventually([&] { return (grandchild = id_in(path("id"))).has_value(); }));
  ASSERT_EQ(kill(helper, SIGKILL), 0);
  ASSERT_EQ(waitpid(helper, nullptr, 0), helper);
  ASSERT_TRUE(grandchild);
  EXPECT_TRUE(eventually([&] { return !is_running(*grandchild); }));
}

}  // namespace
}  // namespace canopy
