#include "systems/cgroup.hpp"
#include "systems/command.hpp"
#include "systems/coprocess.hpp"
#include "systems/processes.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Outcome = CommandResult::Outcome;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The control groups that a process created for its commands.
std::size_t cgroups_of(pid_t id) {
  const std::optional<std::string> folder = Cgroup::own_folder();
  if (!folder) return 0;
  std::size_t count = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(*folder, none)) {
    if (entry.path().filename().string().starts_with("canopy-" + std::to_string(id) + "-")) ++count;
  }
  return count;
}

bool can_make_cgroups() {
  const std::optional<Cgroup> group = Cgroup::choose();
  return group && group->make() && group->remove();
}

bool have_no_children() {
  return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

/// Commands that leave processes behind. All of them can be found by an environment variable.
class Leaving : public WithFolder {
 protected:
  Leaving() {
    write_script("stay", "echo $$ > \"$1\"; exec sleep 1000");
    write_script("stop", "echo $$ > \"$1\"; kill -STOP $$; exec sleep 1000");
    write_script("many",
                 "for i in $(seq 200); do setsid sleep 1000 & done; echo $$ > \"$1\"; wait");
    // Each of these starts the next one and ends.
    write_script("run",
                 "[ \"$2\" = 20 ] && echo $$ > \"$1\"; [ \"$2\" = 3000 ] && exit; "
                 "setsid \"$0\" \"$1\" $(($2 + 1)) &");
  }

  /// Ways to leave a script behind that writes its process id into the file `id`.
  [[nodiscard]] std::vector<std::string> ways() const {
    const std::string id = " " + path("id") + " ";
    return {path("stay") + id + "&",
            "setsid " + path("stay") + id + "&",
            "setsid sh -c '" + path("stay") + id + "& exit' &",
            "(setsid sh -c '(" + path("stay") + id + "&) &' &) &",
            "setsid sh -c 'trap \"\" TERM HUP INT; exec " + path("stay") + id + "' &",
            "setsid " + path("stop") + id + "&",
            "setsid " + path("many") + id + "&",
            "setsid " + path("run") + id + "1 &",
            "setsid sh -c 'setsid sh -c \"setsid " + path("stay") + id + "; :\"; :' &"};
  }

  /// The same, but waits until the script is running.
  [[nodiscard]] std::string left(const std::string& way) const {
    return way + " while ! [ -s " + path("id") + " ]; do sleep 0.01; done; ";
  }

  [[nodiscard]] std::string left() const { return left(ways()[1]); }

  [[nodiscard]] RunLimits limits() const {
    return {.timeout_seconds = 500.0, .environment = {{"CANOPY_TEST_FOLDER", path("")}}};
  }

  [[nodiscard]] std::vector<pid_t> left_running() const {
    std::vector<pid_t> ids;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const bool ours =
          content_of(entry.path() / "environ").find("CANOPY_TEST_FOLDER=" + path("")) !=
          std::string::npos;
      if (ours) ids.push_back(static_cast<pid_t>(std::stol(name)));
    }
    return ids;
  }

  [[nodiscard]] bool is_left() const { return std::filesystem::exists(path("id")); }
  [[nodiscard]] std::optional<pid_t> left_id() const { return id_in(path("id")); }

  void expect_nothing_left(const std::string& way) {
    EXPECT_TRUE(left_id()) << way;
    EXPECT_EQ(left_running(), std::vector<pid_t>{}) << way;
    EXPECT_TRUE(have_no_children()) << way;
    EXPECT_EQ(cgroups_of(getpid()), 0U) << way;
    std::filesystem::remove(path("id"));
  }

  /// Runs a function in a child process, which is killed as soon as it has left a process behind.
  void kill_meanwhile(const std::function<void()>& work) {
    const pid_t helper = fork();
    if (helper == 0) {
      work();
      _exit(0);
    }
    EXPECT_TRUE(eventually([&] { return left_id().has_value(); }));
    ASSERT_EQ(kill(helper, SIGKILL), 0);
    ASSERT_EQ(waitpid(helper, nullptr, 0), helper);
    EXPECT_TRUE(eventually([&] { return cgroups_of(helper) == 0; }));
  }

 private:
  void write_script(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << "#!/bin/sh\n" << text << '\n';
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }
};

/// With a control group, if available, and without one.
class Ending : public Leaving, public ::testing::WithParamInterface<bool> {
 protected:
  [[nodiscard]] RunLimits limits() const {
    RunLimits limits = Leaving::limits();
    limits.use_cgroup = GetParam();
    return limits;
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, Ending, ::testing::Bool(), [](const auto& test) {
  return test.param ? "WithCgroup" : "WithSubreaper";
});

TEST_P(Ending, OfACommandEndsEverythingThatItStarted) {
  for (const std::string& way : ways()) {
    const CommandResult result = run_command(shell(left(way) + "echo 5; exit 3"), limits());
    EXPECT_EQ(result.code, 3) << way;
    EXPECT_EQ(result.output, "5\n") << way;
    expect_nothing_left(way);
  }
}

TEST_P(Ending, ByASignalDoesSo) {
  const CommandResult result = run_command(shell(left() + "kill -SEGV $$"), limits());
  EXPECT_EQ(result.outcome, Outcome::killed_by_signal);
  EXPECT_EQ(result.code, SIGSEGV);
  expect_nothing_left("");
}

TEST_P(Ending, AfterTooLongATimeDoesSo) {
  for (const std::string& way : ways()) {
    RunLimits brief = limits();
    for (brief.timeout_seconds = 0.2; brief.timeout_seconds < 60.0; brief.timeout_seconds *= 4.0) {
      const CommandResult result = run_command(shell(left(way) + "sleep 1000"), brief);
      EXPECT_EQ(result.outcome, Outcome::timed_out) << way;
      if (left_id()) break;
      EXPECT_EQ(left_running(), std::vector<pid_t>{}) << way;
    }
    expect_nothing_left(way);
  }
}

TEST_P(Ending, WhenWeAreAskedToStopDoesSo) {
  for (const std::string& way : ways()) {
    std::atomic<bool> stop = false;
    RunLimits stoppable = limits();
    stoppable.stop = &stop;
    const std::jthread asking([&] { stop = eventually([&] { return left_id().has_value(); }); });
    const CommandResult result = run_command(shell(left(way) + "sleep 1000"), stoppable);
    EXPECT_EQ(result.outcome, Outcome::stopped) << way;
    expect_nothing_left(way);
  }
}

TEST_P(Ending, AfterTooMuchOutputDoesSo) {
  EXPECT_EQ(run_command(shell(left() + "yes"), limits()).outcome, Outcome::too_much_output);
  expect_nothing_left("");
}

TEST_P(Ending, WhenWeAreKilledDoesSo) {
  for (const std::string& way : ways()) {
    kill_meanwhile([&] { (void)run_command(shell(left(way) + "sleep 1000"), limits()); });
    EXPECT_TRUE(eventually([&] { return left_running().empty(); })) << way;
    expect_nothing_left(way);
  }
}

TEST_P(Ending, WhenWeAreKilledWithManyCommandsDoesSo) {
  kill_meanwhile([&] {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        const std::string id = " " + path("id") + std::to_string(i);
        (void)run_command(shell("setsid " + path("stay") + id + " & wait"), limits());
      });
    }
    const auto is_there = [&](int i) { return id_in(path("id") + std::to_string(i)).has_value(); };
    for (int i = 0; i < 8; ++i) eventually([&] { return is_there(i); });
    std::ofstream(path("id")) << "1\n";
  });
  EXPECT_TRUE(eventually([&] { return left_running().empty(); }));
  expect_nothing_left("");
}

TEST_P(Ending, OfACoprocessDoesSo) {
  for (const std::string& way : ways()) {
    {
      Coprocess program(shell(left(way) + "while read x; do echo $x; done"));
      EXPECT_EQ(program.exchange("a", limits()).output, "a") << way;
      EXPECT_FALSE(left_running().empty()) << way;
    }
    expect_nothing_left(way);
  }
}

TEST_P(Ending, OfACoprocessThatFailedDoesSo) {
  Coprocess program(shell(left() + "read x; echo $x; read x; exit 4"));
  EXPECT_EQ(program.exchange("a", limits()).output, "a");
  EXPECT_EQ(program.exchange("b", limits()).code, 4);
  expect_nothing_left("");
  EXPECT_EQ(program.exchange("c", limits()).output, "c");
}

TEST_P(Ending, OfACoprocessWhenWeAreKilledDoesSo) {
  for (const std::string& way : ways()) {
    kill_meanwhile([&] {
      Coprocess program(shell(left(way) + "sleep 1000"));
      (void)program.exchange("a", limits());
    });
    EXPECT_TRUE(eventually([&] { return left_running().empty(); })) << way;
    expect_nothing_left(way);
  }
}

TEST_P(Ending, SparesWhatOthersStarted) {
  Coprocess other({"cat"});
  EXPECT_EQ(other.exchange("a", limits()).output, "a");
  EXPECT_TRUE(run_command(shell("setsid true"), limits()).succeeded());
  EXPECT_EQ(run_command({"sleep", "1000"}, {.timeout_seconds = 0.05}).outcome, Outcome::timed_out);
  const std::vector<pid_t> running = left_running();
  EXPECT_EQ(running.size(), 1U);
  EXPECT_EQ(other.exchange("b", limits()).output, "b");
  EXPECT_EQ(left_running(), running) << "it is not another one";
}

TEST_P(Ending, ComesThoughTheGuardianIsKilled) {
  const CommandResult result = run_command(shell("kill -KILL $PPID; exec sleep 1000"), limits());
  EXPECT_FALSE(result.succeeded());
  EXPECT_TRUE(eventually([&] { return left_running().empty(); }));
  EXPECT_TRUE(have_no_children());
  EXPECT_EQ(cgroups_of(getpid()), 0U);
}

TEST_P(Ending, ComesThoughTheGuardianIsStopped) {
  RunLimits brief = limits();
  brief.timeout_seconds = 0.3;
  EXPECT_EQ(run_command(shell("kill -STOP $PPID; sleep 1000"), brief).outcome, Outcome::timed_out);
  EXPECT_EQ(left_running(), std::vector<pid_t>{});
}

TEST_F(Leaving, SignalsThatCanBeBlockedDoNotReachTheGuardian) {
  const CommandResult result = run_command(
      shell("for s in INT TERM HUP QUIT USR1 ALRM CHLD PIPE TSTP; do kill -$s $PPID; done; echo 5"),
      limits());
  EXPECT_TRUE(result.succeeded()) << result.describe();
  EXPECT_EQ(result.output, "5\n");
}

TEST_F(Leaving, TheGuardianIsInAGroupOfItsOwnAndHasAnotherName) {
  const CommandResult result =
      run_command(shell("cut -d ' ' -f 1 /proc/$PPID/stat; cut -d ' ' -f 5 /proc/$PPID/stat; "
                        "cat /proc/$PPID/comm; tr -d '\\000' < /proc/$PPID/cmdline"),
                  limits());
  const std::size_t line = result.output.find('\n');
  const std::string id = result.output.substr(0, line);
  EXPECT_EQ(result.output, id + "\n" + id + "\nguardian\nguardian");
}

TEST_F(Leaving, TheGuardianKeepsNoDescriptorOfOurs) {
  const int leaky = open(path("leaky").c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_GE(leaky, 0);
  const CommandResult result =
      run_command(shell("while ls -l /proc/$PPID/fd | grep -q leaky; do sleep 0.01; done; "
                        "ls /proc/$PPID/fd | tr '\\n' ' '"),
                  limits());
  close(leaky);
  EXPECT_EQ(result.output, "0 1 ");
}

TEST_F(Leaving, ACommandIsInACgroupOfItsOwnIfItCanBe) {
  if (!can_make_cgroups()) GTEST_SKIP() << "there are no control groups for us";
  const std::string name = "/canopy-" + std::to_string(getpid()) + "-";
  RunLimits how = limits();
  EXPECT_NE(run_command({"cat", "/proc/self/cgroup"}, how).output.find(name), std::string::npos);
  how.use_cgroup = false;
  EXPECT_EQ(run_command({"cat", "/proc/self/cgroup"}, how).output.find(name), std::string::npos);
}

TEST_F(Leaving, WithACgroupEverythingIsEndedThoughTheGuardianIsKilled) {
  if (!can_make_cgroups()) GTEST_SKIP() << "there are no control groups for us";
  (void)run_command(shell(left() + "kill -KILL $PPID; sleep 1000"), limits());
  expect_nothing_left("");
}

TEST_F(Leaving, WhatLeftTheGroupMayStayIfItIsWanted) {
  RunLimits how = limits();
  how.keep_background = true;
  const CommandResult result = run_command(shell("sleep 1000 & " + left() + "exit 3"), how);
  EXPECT_EQ(result.code, 3);
  const std::optional<pid_t> daemon = left_id();
  ASSERT_TRUE(daemon);
  EXPECT_TRUE(eventually([&] { return left_running() == std::vector{*daemon}; }));
  EXPECT_TRUE(have_no_children());
  EXPECT_EQ(kill(*daemon, SIGKILL), 0);
  EXPECT_TRUE(eventually([&] { return left_running().empty(); }));
}

TEST_F(Leaving, AlsoByACoprocess) {
  RunLimits how = limits();
  how.keep_background = true;
  {
    Coprocess program(shell(left() + "while read x; do echo $x; done"));
    EXPECT_EQ(program.exchange("a", how).output, "a");
  }
  const std::optional<pid_t> daemon = left_id();
  ASSERT_TRUE(daemon);
  EXPECT_TRUE(eventually([&] { return left_running() == std::vector{*daemon}; }));
  EXPECT_EQ(kill(*daemon, SIGKILL), 0);
  EXPECT_TRUE(eventually([&] { return left_running().empty(); }));
}

TEST_F(Leaving, AlsoWhenWeAreKilled) {
  RunLimits how = limits();
  how.keep_background = true;
  kill_meanwhile([&] { (void)run_command(shell(left() + "sleep 1000"), how); });
  const std::optional<pid_t> daemon = left_id();
  ASSERT_TRUE(daemon);
  EXPECT_TRUE(eventually([&] { return left_running() == std::vector{*daemon}; }));
  EXPECT_EQ(kill(*daemon, SIGKILL), 0);
  EXPECT_TRUE(eventually([&] { return left_running().empty(); }));
}

}  // namespace
}  // namespace canopy
